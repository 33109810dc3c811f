import type { Event } from '#eventlog/event-log.ts';
import { canonicalJson } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf } from '#protocol/json-shape.ts';
import type { KnownKind } from '#resources/event-payloads.ts';
import { erasedWord, type SessionTraces, saidAs } from './actor-traces.ts';
import type { ErasedPayload } from './schema.ts';

export interface ErasedBy {
  id: string;
  created_at: string;
}

/** What is left of an event; undefined where it stays as it is. */
export type Left = Pick<Event, 'payload' | 'metadata'> | undefined;

/** Nothing of what an event said, and by which erasure. */
export function erasedWhole(event: Event, by: ErasedBy): Left {
  return isWhollyErased(event) ? undefined : { payload: erasedMark(by), metadata: {} };
}

function erasedMark({ id, created_at }: ErasedBy): ErasedPayload {
  return { erased: { erasure_id: id, erased_at: created_at } };
}

/** What stands for the parts of a Message that were erased. */
export function erasedParts(erasureId: string): JsonObject[] {
  return [{ type: 'text', text: erasedWord(erasureId), visibility: 'public' }];
}

/**
 * What is left of an event of a Session in which others work too: of the runs of the actor nothing but what others said in them, of
 * what the actor said elsewhere its place. Decisions stay without their words. Messages keep their shape, since who reads the Session
 * as a whole reads them.
 */
export function leftOfShared(event: Event, traces: SessionTraces, actor: string, by: ErasedBy): Left {
  const isOwnRun = event.task_id !== null && traces.tasks.has(event.task_id);
  const isHers = event.actor === actor;
  if (isWhollyErased(event) || !(isOwnRun || isHers || OF_BOTH.has(event.event))) return undefined;
  const shape = isOwnRun ? SHAPES_OF_RUN[event.event as KnownKind] : SHAPES[event.event as KnownKind];
  if (shape === undefined) return isOwnRun ? erasedWhole(event, by) : undefined;
  const payload = shape(event, { traces, isHers, isOwnRun, by });
  if (payload === undefined || isSame(payload, event.payload)) return undefined;
  const left = DECISIONS.has(event.event) ? payload : { ...payload, ...erasedMark(by) };
  return { payload: left, metadata: isHers || isOwnRun ? {} : event.metadata };
}

function isWhollyErased({ payload }: Event): boolean {
  return 'erased' in payload && Object.keys(payload).length === 1;
}

/** But for the mark of an earlier time. */
function isSame(one: JsonObject, other: JsonObject): boolean {
  return canonicalJson(withoutMark(one)) === canonicalJson(withoutMark(other));
}

function withoutMark({ erased: _, ...payload }: JsonObject): JsonObject {
  return payload;
}

interface Means {
  traces: SessionTraces;
  isHers: boolean;
  isOwnRun: boolean;
  by: ErasedBy;
}

/** Makes what is left of a payload; undefined where all of it stays. */
type Shape = (event: Event, means: Means) => JsonObject | undefined;

/** Events that repeat what several people said, whoever caused them. */
const OF_BOTH: ReadonlySet<string> = new Set([
  'session.created',
  'vendor.harn_gateway.session_updated',
  'session.compacted',
  'vendor.harn_gateway.transcript_budget',
  'vendor.harn_gateway.live_client_changed',
] satisfies KnownKind[]);

/** They stay a decision, for who reads the audit. */
const DECISIONS: ReadonlySet<string> = new Set([
  'tool.approved',
  'tool.denied',
  'vendor.harn_gateway.permission_resolved',
] satisfies KnownKind[]);

/** Of the runs of the actor: who reads a Session from its beginning reads its Messages, and what agents said of it. */
const SHAPES_OF_RUN: Partial<Record<KnownKind, Shape>> = {
  'user.message': messageLeft,
  'agent.message': messageLeft,
  'session.message_appended': messageLeft,
  'vendor.harn_gateway.agent_update': updateLeft,
};

/** Of everything else that the actor did there, and of what repeats it. Kinds without a row say nothing in words. */
const SHAPES: Partial<Record<KnownKind, Shape>> = {
  'user.message': messageLeft,
  'agent.message': messageLeft,
  'session.message_appended': messageLeft,
  'session.created': (event, means) => sessionLeft(event, means, 'session'),
  'vendor.harn_gateway.session_updated': (event, means) => sessionLeft(event, means, 'changes'),
  'session.compacted': archiveLeft,
  'vendor.harn_gateway.transcript_budget': archiveLeft,
  'session.truncated': withoutReason,
  'session.closed': withoutReason,
  'user.cancel_requested': withoutReason,
  'task.canceled': withoutReason,
  'branch.abandoned': withoutReason,
  'branch.created': branchLeft,
  'branch.merged': ({ payload }) => ({ ...payload, metadata: {} }),
  'artifact.created': () => ({}),
  'artifact.updated': () => ({}),
  'artifact.redacted': withoutReason,
  'vendor.harn_gateway.live_client_changed': clientsLeft,
  'tool.approved': answerLeft,
  'tool.denied': answerLeft,
  'vendor.harn_gateway.permission_resolved': answerLeft,
};

function messageLeft(event: Event, { traces, by }: Means): JsonObject | undefined {
  const { payload, resource } = event;
  const id = event.event === 'session.message_appended' ? payload['message_id'] : resource.id;
  const { message } = payload;
  if (!traces.messages.has(String(id)) || !isObject(message)) return undefined;
  const { redaction_proof: _, ...rest } = payload;
  return { ...rest, message: { ...message, parts: erasedParts(by.id), metadata: {} } };
}

/** A Session says again what it was called before, whoever changed it. */
function sessionLeft(
  { payload }: Event,
  { traces: { said }, isHers, by }: Means,
  member: 'session' | 'changes',
): JsonObject {
  const gone = erasedWord(by.id);
  const { key, forked, ...rest } = payload;
  const words = objectOf(payload[member]);
  const { summary = null } = words;
  const metadata = Object.entries(objectOf(words['metadata'])).map(([name, value]): [string, JsonValue] => [
    name,
    said.has(saidAs(value, name)) ? gone : value,
  ]);
  return {
    ...rest,
    ...(key === undefined || isHers ? {} : { key }),
    ...(isObject(forked) ? { forked: withoutSummary(forked, by) } : {}),
    [member]: {
      ...words,
      ...('summary' in words ? { summary: said.has(saidAs(summary)) ? gone : summary } : {}),
      ...('metadata' in words ? { metadata: Object.fromEntries(metadata) } : {}),
    },
  };
}

/** What compaction says of the archived turns is made of what everybody said in them; why is said by who asked for it. */
function archiveLeft(event: Event, means: Means): JsonObject {
  const left = withoutSummary(event.payload, means.by);
  return means.isHers ? withoutReason({ ...event, payload: left }, means) : left;
}

function withoutSummary(owner: JsonObject, { id }: ErasedBy): JsonObject {
  const { archive } = owner;
  if (!isObject(archive) || typeof archive['summary'] !== 'string') return owner;
  return { ...owner, archive: { ...archive, summary: erasedWord(id) } };
}

function withoutReason({ payload }: Event, { by }: Means): JsonObject {
  return typeof payload['reason'] === 'string' ? { ...payload, reason: erasedWord(by.id) } : payload;
}

/** Who else was there stands in each of them, so all of them go. */
function clientsLeft(_event: Event, { traces: { clients } }: Means): JsonObject | undefined {
  return clients.size === 0 ? undefined : {};
}

/** The kind of what an agent said stays, so that a second reading knows which member of the metadata it became. */
function updateLeft({ payload }: Event, { isOwnRun }: Means): JsonObject | undefined {
  return isOwnRun ? { ...payload, update: { ...objectOf(payload['update']), body: {} } } : undefined;
}

function branchLeft({ payload }: Event): JsonObject {
  return { ...payload, branch: { ...objectOf(payload['branch']), metadata: {} } };
}

/** The decision stays, without the words. */
function answerLeft({ payload }: Event): JsonObject {
  return isObject(payload['response'])
    ? { ...payload, response: answerWithoutWords(payload['response']) }
    : payload;
}

/** What is left of an answer. */
export function answerWithoutWords<Response extends object>(response: Response): Response {
  return { ...response, answer: null, reason: null, metadata: {} };
}
