import { parseStrict } from '#json/strict-parse.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { AddressGuard } from '../../bridges/wire/address-guard.ts';
import { type GuardedRequest, guardedFetch } from '../../bridges/wire/guarded-fetch.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;

/**
 * Reads a JSON document of at most 64 KiB in at most 5 s, without redirects, from where the guard allows. `seen` gets the answer
 * before it is read.
 */
export function fetchSmallJson(
  guard: AddressGuard,
  url: URL,
  seen?: (answer: Response) => void,
): Promise<JsonValue> {
  return smallJson(guard, url, { headers: {} }, seen);
}

/** Posts a form and reads such a document. */
export function postSmallForm(
  guard: AddressGuard,
  url: URL,
  form: URLSearchParams,
  headers: Record<string, string>,
): Promise<JsonValue> {
  return smallJson(guard, url, { headers, form });
}

function smallJson(
  guard: AddressGuard,
  url: URL,
  { headers, ...form }: Omit<GuardedRequest, 'signal'>,
  seen: (answer: Response) => void = () => undefined,
): Promise<JsonValue> {
  const given = { accept: 'application/json', ...headers };
  const request = { ...form, headers: given, signal: AbortSignal.timeout(TIMEOUT_MS) };
  return guardedFetch(guard, url.href, request, (answer) => {
    seen(answer);
    return jsonOf(url, answer);
  });
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
