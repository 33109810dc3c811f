import { fitsAsJson } from '#json/json-size.ts';
import type { CleanObject } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { isRawBody, isSpooledBody } from './decode-input.ts';
import type { DecisionLimits } from './facts.ts';

type Limits = Pick<DecisionLimits, 'inlineBytes'>;

/** Members that say something instead of describing it; each has a way to an Artifact of its own. */
const CONTENT: ReadonlySet<string> = new Set([
  'input',
  'message',
  'initial_messages',
  'content',
  'answer',
  'override',
]);

/**
 * Refuses a body in which a describing member, such as `metadata`, is larger as JSON than the inline limit: it stays in
 * the resource, in its events and in every list. Holds for every command, and for the metadata of the Messages in it.
 * Throws 413 `payload_too_large`; the caller registers an Artifact for it.
 */
export function refuseLargeMembers(body: unknown, limits: Limits): void {
  if (!isObject(body) || isRawBody(body as never) || isSpooledBody(body as never)) return;
  for (const [name, value] of Object.entries(body)) {
    if (!CONTENT.has(name)) refuseLarge(value, name, limits);
  }
  for (const name of ['input', 'message', 'answer'])
    if (body[name] !== undefined) refuseInMessage(body[name], name, limits);
  const { initial_messages: drafts } = body;
  if (!Array.isArray(drafts)) return;
  drafts.forEach((draft, at) => {
    refuseInMessage(draft, `initial_messages[${at}]`, limits);
  });
}

/** Metadata with a patch of a caller in it; many small patches may not grow past the limit either. */
export function patchedMetadata(before: CleanObject, patch: CleanObject, limits: Limits): CleanObject {
  const patched = { ...before, ...patch };
  refuseLarge(patched, 'metadata', limits);
  return patched;
}

/** Throws 413 `payload_too_large` for a value that is larger as JSON than the inline limit. */
export function refuseLarge(value: JsonValue | undefined, param: string, { inlineBytes }: Limits): void {
  if (value === undefined || fitsAsJson(value, inlineBytes)) return;
  const message = `${param} is larger than ${inlineBytes} bytes. Register it as an Artifact and name its id here instead.`;
  throw new ProtocolError('payload_too_large', message, { param, details: { limit_bytes: inlineBytes } });
}

/** An object without parts is a payload, which is content as a whole. */
function refuseInMessage(message: JsonValue | undefined, path: string, limits: Limits): void {
  if (!isObject(message) || !Array.isArray(message['parts'])) return;
  refuseLarge(message['metadata'], `${path}.metadata`, limits);
  message['parts'].forEach((part, at) => {
    if (isObject(part)) refuseLarge(part['metadata'], `${path}.parts[${at}].metadata`, limits);
  });
}
