import type { AddressGuard } from '../../bridges/outbound/address-guard.ts';
import { guardedFetch } from '../../bridges/outbound/guarded-fetch.ts';
import { parseStrict } from '../json/strict-parse.ts';
import type { JsonValue } from '../protocol/json.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;

/** Reads a small JSON document from an address that the operator, or an issuer the operator trusts, named. */
export function fetchSmallJson(url: URL): Promise<JsonValue> {
  return smallJson(url, { headers: { accept: 'application/json' } });
}

/** The same from an address that somebody else named, such as the metadata document of an issuer. */
export function fetchForeignJson(guard: AddressGuard, url: URL): Promise<JsonValue> {
  const request = { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(TIMEOUT_MS) };
  return guardedFetch(guard, url.href, request, (answer) => jsonOf(url, answer));
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
  return jsonOf(url, await fetch(url, { ...request, redirect: 'error', signal }));
}

async function jsonOf(url: URL, answer: Response): Promise<JsonValue> {
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
