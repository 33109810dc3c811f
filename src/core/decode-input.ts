import { z } from 'zod';
import type { Call } from '#gateway.ts';
import { jsonSize } from '#json/large-json.ts';
import type { CleanObject } from '#protocol/clean.ts';
import { ProtocolError, shownName } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { ProtocolVersion } from '#protocol/versions.ts';
import type { OperationRow, RawBody, SpooledBody } from '#resources/operations.ts';
import type { DecisionLimits } from './facts.ts';
import { wordsOf } from './words-of-fault.ts';

/** A call that fits the schemas of its operation. */
export interface DecodedInput {
  path: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
}

const NO_MEMBERS = z.strictObject({});

/** Faults listed in the details of one refusal. */
const MAX_LISTED = 20;

/** Checks a call against the schemas of its operation; all faults at once, each with its path. */
export function decodeInput(row: OperationRow, call: Pick<Call, 'path' | 'query' | 'body'>): DecodedInput {
  const query = row.query ? check(row.query, call.query, 'query') : {};
  return { path: call.path, query: query as Record<string, unknown>, body: decodeBody(row, call) };
}

function decodeBody(row: OperationRow, { body }: Pick<Call, 'body'>): unknown {
  if (row.body === undefined) {
    // Clients that always send one send an empty object.
    if (body !== undefined) check(NO_MEMBERS, body, 'body');
    return undefined;
  }
  if (row.body === 'bytes' || row.body === 'spooled') {
    if (row.body === 'bytes' ? isRawBody(body) : isSpooledBody(body)) return body;
    throw new ProtocolError('invalid_request', 'Send the content as the request body.', { param: 'body' });
  }
  if (body !== undefined) return check(row.body, body, 'body');
  if (row.bodyRequired === false) return undefined;
  throw new ProtocolError('invalid_request', 'Send a JSON body with Content-Type: application/json.', {
    param: 'body',
  });
}

export function isRawBody(body: Call['body']): body is RawBody {
  return typeof body === 'object' && body !== null && 'bytes' in body && Buffer.isBuffer(body.bytes);
}

export function isSpooledBody(body: Call['body']): body is SpooledBody {
  return typeof body === 'object' && body !== null && 'spooled' in body && isSource(body.spooled);
}

function isSource(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'read' in value && typeof value.read === 'function';
}

function check(schema: z.ZodType, value: unknown, where: 'query' | 'body'): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.flatMap((issue) => faultsOf(issue, where)).slice(0, MAX_LISTED);
  const first = faults[0] ?? { param: where, message: 'is invalid' };
  throw new ProtocolError('invalid_request', `${first.param}: ${first.message}.`, {
    param: first.param,
    details: faults.length > 1 ? { faults: faults as unknown as JsonObject[] } : {},
  });
}

/** One fault of an issue, or one for each member that the shape does not have. */
function faultsOf(issue: z.core.$ZodIssue, where: string): { param: string; message: string }[] {
  if (issue.code !== 'unrecognized_keys')
    return [{ param: pathOf(issue.path) || where, message: wordsOf(issue) }];
  const message = 'is no member of this request; correct its name, or leave it out';
  return issue.keys.map((key) => ({ param: pathOf([...issue.path, key]), message }));
}

/** Refuses what is none of the words that this version of the protocol has for a member, with those words only. */
export function refuseOtherWords({ id, words }: ProtocolVersion, operationId: string, body: unknown): void {
  if (!isObject(body)) return;
  for (const { member, words: allowed, advice } of words[operationId] ?? []) {
    const word = body[member];
    if (typeof word === 'string' && allowed.includes(word)) continue;
    const message = `${member}: must be ${allowed.join(' or ')} in ${id}. ${advice}.`;
    throw new ProtocolError('invalid_request', message, { param: member });
  }
}

/** `parts[0].text`: the spelling of JSON paths in errors. */
export function pathOf(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += `${text === '' ? '' : '.'}${shownName(String(step))}`;
  }
  return text;
}

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
  if (!isObject(body)) return;
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

/** Metadata of a request, with the default. */
export function metadataOf(body: { metadata?: CleanObject | undefined }): CleanObject {
  return body.metadata ?? {};
}

/** Metadata with a patch of a caller in it; many small patches may not grow past the limit either. */
export function patchedMetadata(before: CleanObject, patch: CleanObject, limits: Limits): CleanObject {
  const patched = { ...before, ...patch };
  refuseLarge(patched, 'metadata', limits);
  return patched;
}

/** Throws 413 `payload_too_large` for a value that is larger as JSON than the inline limit. */
export function refuseLarge(value: JsonValue | undefined, param: string, { inlineBytes }: Limits): void {
  if (value === undefined || jsonSize(value, inlineBytes) <= inlineBytes) return;
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
