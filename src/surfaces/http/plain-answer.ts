import type { IncomingMessage, ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Nothing the gateway serves may be sniffed, framed or run by a browser. */
export const SAFETY = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
] as const;

/** Answers a GET or a HEAD with JSON, where no exchange of the gateway does. */
export function answerJson(
  { method }: Pick<IncomingMessage, 'method'>,
  res: ServerResponse,
  { status = 200, body, cacheControl }: { status?: number; body: object; cacheControl: string },
): void {
  const text = JSON.stringify(body);
  res.writeHead(status, [
    ...['Content-Type', JSON_TYPE, 'Content-Length', String(Buffer.byteLength(text))],
    ...['Cache-Control', cacheControl],
    ...SAFETY,
  ]);
  res.end(method === 'HEAD' ? undefined : text);
}
