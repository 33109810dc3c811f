import type { JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';

/** Whether a body opens a session. The SDK is loaded with the first client. */
export async function isInitialize(body: JsonValue): Promise<boolean> {
  if (objectOf(body)['method'] !== 'initialize') return false;
  const { isInitializeRequest } = await import('@modelcontextprotocol/sdk/types.js');
  return isInitializeRequest(body);
}

/** The judgement is about the message and its headers; where it was sent does not matter. */
const ANYWHERE = 'http://localhost/';

const ENVELOPE = 'io.modelcontextprotocol/protocolVersion';

/** Whether a POST is of the revision without sessions. What names a session, and no revision in its `_meta`, is not. */
export async function isModern(
  sent: Readonly<Record<string, string | string[] | undefined>>,
  body: JsonValue,
): Promise<boolean> {
  const { params } = objectOf(body);
  if (sent['mcp-session-id'] !== undefined && !(ENVELOPE in objectOf(objectOf(params)['_meta'])))
    return false;
  const { isLegacyRequest } = await import('@modelcontextprotocol/server');
  const headers = Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
  // The body is handed over as it was read; nobody reads it from the request.
  const request = new Request(ANYWHERE, { method: 'POST', headers });
  return !(await isLegacyRequest(request, body));
}
