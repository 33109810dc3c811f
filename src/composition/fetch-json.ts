import { parseStrict } from '../json/strict-parse.ts';
import type { JsonValue } from '../protocol/json.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;

/** Reads a small JSON document from an address that the operator, or an issuer the operator trusts, named. */
export function fetchSmallJson(url: URL): Promise<JsonValue> {
  return smallJson(url, { headers: { accept: 'application/json' } });
}

/** Posts a form to an address that the operator named, and reads a small JSON document. */
export function postSmallForm(
  url: URL,
  form: URLSearchParams,
  headers: Record<string, string>,
): Promise<JsonValue> {
  return smallJson(url, { method: 'POST', headers: { accept: 'application/json', ...headers }, body: form });
}

/** Redirects are errors: they would take the credential along. */
async function smallJson(url: URL, request: RequestInit): Promise<JsonValue> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(url, { ...request, redirect: 'error', signal });
  if (answer.status !== 200) throw new Error(`${url.origin}${url.pathname} answered ${answer.status}`);
  return parseStrict(await boundedBody(answer), { maxBytes: MAX_BYTES });
}

async function boundedBody({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`the document is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
