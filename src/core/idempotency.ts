import type { Transaction } from '#eventlog/event-log.ts';
import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import { ERROR_CODES, type ErrorCode, ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { timestamp } from '#protocol/ports.ts';
import type { ProtocolVersion } from '#protocol/versions.ts';
import { idempotencyKey } from '#store/keys.ts';
import type { Decided } from './command.ts';

/**
 * actor + workspace_id + method + canonical target + key. An actor is a name of its tenant: two tenants may have the same
 * one. Source: Agents Protocol v1, "Idempotency"; see README.md, Idempotency.
 */
export interface IdempotencyScope {
  tenant: string;
  actor: string;
  workspaceId: string | null;
  method: string;
  target: string;
  key: string;
}

/** Where the answer of one key is kept, for which body, and for how long. */
export interface KeyRecord {
  key: string;
  bodyHash: string;
  /** Where a call in another version, or at the other path of the same target, may have kept its answer; see `placesOfCreate`. */
  others?: () => readonly { key: string; bodyHashes: readonly string[] }[];
  /** The asked path as a target of its own, and the body as it was sent there. */
  asSent?: () => { key: string; bodyHash: string };
  windowMs: number;
  /** Epoch milliseconds by which the window is counted; not the wall clock, which may jump. */
  nowMs: number;
}

interface Answered {
  body_hash: string;
  expires_at: string;
  status?: number;
  body?: object;
  error?: { code: ErrorCode; message: string; param?: string; details?: JsonObject };
}

/** Answers that were decided and are given again; never 401, 403, 429 or 5xx, which may be another one next time. */
const KEPT_ERRORS: ReadonlySet<number> = new Set([400, 404, 409, 422]);

export function recordKeyOf(scope: IdempotencyScope): string {
  const { tenant, actor, workspaceId, method, target, key } = scope;
  // Each part begins with its length, so that no two scopes spell the same text.
  const parts = [tenant, actor, method, target, key, ...(workspaceId === null ? [] : [workspaceId])];
  let text = '';
  for (const part of parts) text += `${part.length}:${part}`;
  return idempotencyKey(sha256Hex(text));
}

/** Equal for bodies that differ only in member order or white space. */
export function bodyHash(body: JsonValue | Uint8Array | undefined): string {
  if (body === undefined) return sha256Hex('');
  return sha256Hex(body instanceof Uint8Array ? body : canonicalJson(body));
}

/**
 * The stored answer for this key, or undefined; another body for the same key is refused. What was kept at the other path is kept
 * at the asked one too: a version that takes each path for a target of its own has to find there what was answered there.
 */
export function findAnswer(tx: Transaction, record: KeyRecord): Decided | undefined {
  const own = answerAt(tx, record, record.key, [record.bodyHash]);
  if (own !== undefined) return decidedOf(own);
  for (const { key, bodyHashes } of record.others?.() ?? []) {
    const other = answerAt(tx, record, key, bodyHashes);
    if (other === undefined) continue;
    const asked = record.asSent?.();
    if (asked !== undefined && asked.key !== key)
      tx.record(asked.key, JSON.stringify({ ...other, body_hash: asked.bodyHash }));
    return decidedOf(other);
  }
  return undefined;
}

function answerAt(
  tx: Transaction,
  { nowMs }: KeyRecord,
  key: string,
  bodyHashes: readonly string[],
): Answered | undefined {
  const bytes = tx.recorded(key);
  if (!bytes) return undefined;
  const answered = JSON.parse(bytes.toString()) as Answered;
  if (nowMs > Date.parse(answered.expires_at)) return undefined;
  if (!bodyHashes.includes(answered.body_hash)) throw reused();
  return answered;
}

/** The answer that was decided. Throws the refusal where it was one. */
function decidedOf({ error, body = {}, status }: Answered): Decided {
  if (error) throw errorOf(error);
  return { body, ...(status === undefined ? {} : { status }) };
}

export function keepAnswer(tx: Transaction, record: KeyRecord, decided: Decided): void {
  keep(tx, record, {
    body: decided.body,
    ...(decided.status === undefined ? {} : { status: decided.status }),
  });
}

/** Keeps a refusal that another try could not change; true when it was kept. */
export function keepRefusal(tx: Transaction, record: KeyRecord, error: ProtocolError): boolean {
  if (!KEPT_ERRORS.has(ERROR_CODES[error.code].status) || error.code === 'idempotency_key_reused')
    return false;
  const { code, message, param, details } = error;
  const kept = {
    code,
    message,
    ...(param === undefined ? {} : { param }),
    ...(details === undefined ? {} : { details }),
  };
  if (tx.recorded(record.key)) return false;
  keep(tx, record, { error: kept });
  return true;
}

function keep(tx: Transaction, record: KeyRecord, answer: Omit<Answered, 'body_hash' | 'expires_at'>): void {
  const expiresAt = record.nowMs + record.windowMs;
  const answered: Answered = { body_hash: record.bodyHash, expires_at: timestamp(expiresAt), ...answer };
  tx.record(record.key, JSON.stringify(answered));
}

/** Epoch milliseconds through which a stored answer is given again. */
export function expiryOfAnswer(bytes: Buffer): number {
  const { expires_at }: Answered = JSON.parse(bytes.toString());
  return Date.parse(expires_at);
}

function errorOf(error: NonNullable<Answered['error']>): ProtocolError {
  const { code, message, param, details } = error;
  return new ProtocolError(code, message, {
    ...(param === undefined ? {} : { param }),
    ...(details === undefined ? {} : { details }),
  });
}

function reused(): ProtocolError {
  const message = 'This Idempotency-Key was used with another body. Send the same body, or a new key.';
  return new ProtocolError('idempotency_key_reused', message, { param: 'Idempotency-Key' });
}

/**
 * The target of a command as idempotency sees it: the operation's path with its parameters, percent-encoded one way,
 * and the query in name order. Different spellings of one target are one target.
 */
export function canonicalTarget(
  path: string,
  parameters: Record<string, string>,
  query: Record<string, string | string[]>,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  const pairs = Object.keys(query)
    .sort()
    .flatMap((name) =>
      [query[name] ?? []].flat().map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
    );
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

/** A target of a create of a Task, with the spellings of the body that count as the same there; the first is what is kept. */
export interface CreatePlace {
  target: string;
  bodies: readonly [JsonValue | undefined, ...(JsonValue | undefined)[]];
}

/**
 * Where the answer to a create of a Task is kept, first, and then where a retry may find it besides. Under `commands` each path is a
 * target of its own; under `task_create` both are one, of the Session. Each rule looks at the places of the other, so that a retry
 * may come in another version, and keeps at its own, so that what was two targets stays two.
 */
export function placesOfCreate(
  rule: ProtocolVersion['idempotency'],
  asked: {
    target: string;
    sessionId: string | undefined;
    workspaceId: string | null;
    body: JsonValue | undefined;
  },
  pathsOf: (sessionId: string) => { ofAny: string; ofSession: string },
): readonly [CreatePlace, ...CreatePlace[]] {
  const { target, sessionId: named, workspaceId, body } = asked;
  // A Session says which Workspace it is in, whether the body does so too or not; a key counts in one Workspace.
  const { session_id, workspace_id: _, ...bare } = isObject(body) ? body : {};
  const sessionId = named ?? session_id;
  const asSent: CreatePlace = { target, bodies: [body] };
  if (!isObject(body) || typeof sessionId !== 'string') {
    const shared: CreatePlace = { target: 'a Task', bodies: [body] };
    return rule === 'commands' ? [asSent, shared] : [shared, asSent];
  }
  const shared: CreatePlace = { target: `a Task of ${sessionId}`, bodies: [bare] };
  if (rule === 'commands') return [asSent, shared];
  const both = { ...bare, session_id: sessionId };
  const inWorkspace = (one: JsonObject): JsonObject => ({ ...one, workspace_id: workspaceId });
  const paths: CreatePlace[] = [
    { target: pathsOf(sessionId).ofAny, bodies: [both, inWorkspace(both)] },
    { target: pathsOf(sessionId).ofSession, bodies: [bare, both, inWorkspace(bare), inWorkspace(both)] },
  ];
  return [
    shared,
    ...paths.filter((place) => place.target === target),
    ...paths.filter((place) => place.target !== target),
  ];
}
