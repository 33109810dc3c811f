/** One request of the revision without sessions, by hand, so that a test reads the answer as it is on the wire. */
export function postStateless(
  url: string | URL,
  headers: Readonly<Record<string, string>>,
  method: string,
  params: Readonly<Record<string, unknown>>,
  capabilities: object = {},
): Promise<Response> {
  const name = params['name'] ?? params['uri'];
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  return fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
}

/** One request of a revision with sessions, by hand; `body` is the message without its `jsonrpc`. */
export function sendWithSession(
  { url, client }: { url: string; client: { key: string } },
  method: 'POST' | 'GET',
  headers: Readonly<Record<string, string>>,
  body?: object,
): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method,
    headers: {
      authorization: `Bearer ${client.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify({ jsonrpc: '2.0', ...body }) }),
  });
}
