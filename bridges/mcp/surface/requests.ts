import type { JsonValue } from '../../../src/protocol/json.ts';

/** Whether a body opens a session. The SDK is loaded with the first client. */
export async function isInitialize(body: JsonValue): Promise<boolean> {
  const { isInitializeRequest } = await import('@modelcontextprotocol/sdk/types.js');
  return isInitializeRequest(body);
}

/** Whether a POST is of the revision without sessions. `url`: where it was sent. */
export async function isModern(
  url: string,
  sent: Readonly<Record<string, string | string[] | undefined>>,
  body: JsonValue,
): Promise<boolean> {
  const { isLegacyRequest } = await import('@modelcontextprotocol/server');
  const headers = Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
  const request = new Request(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return !(await isLegacyRequest(request, body));
}
