import { metadataOf, refuseLarge } from '#core/decode-input.ts';
import type { Facts } from '#core/facts.ts';
import { load } from '#core/load.ts';
import { newEvent, placeOfTask } from '#core/new-event.ts';
import type { Event, Transaction } from '#eventlog/event-log.ts';
import { isEventId } from '#eventlog/segment.ts';
import { sha256Hex } from '#json/canonical.ts';
import { parseStrictText } from '#json/strict-parse.ts';
import { type Clean, type CleanText, own, sentence, word } from '#protocol/clean.ts';
import { ProtocolError, shownName } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { CURRENT_RULES } from '#protocol/rules.ts';
import { isTerminal } from '#protocol/task-states.ts';
import { contentOf } from '#resources/artifact/content.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';
import { refreshedMemories } from '#resources/memory/given-to-run.ts';
import { issueAcceptanceReceipt, provesAcceptance } from '#resources/receipt/issue-receipt.ts';
import { laneIsBusy } from '#resources/session/session-lane.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import { moveTask } from '#resources/task/move-task.ts';
import type { Task } from '#resources/task/schema.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { queueIsEmpty, refuseFullQueue } from '#resources/task/submit-task.ts';
import { frameKey } from '#store/keys.ts';
import { hashOf } from './record/compare.ts';
import { framesInRow, wholeFrame } from './record/frame-row.ts';
import { type PlannedOverride, type PlanSource, planReplay, type ReplayPlan } from './record/plan.ts';
import type { RecordedFrame } from './record/recorded-frame.ts';
import type { Refreshable, ReplayTaskRequest, ReplayTerms } from './schema.ts';

/** Route of the replays of tasks on another route. */
const REPLAY_ROUTE = 'replay:';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Digits of a ULID that are its time, and those after. */
const TIME_DIGITS = 10;
const HASH_DIGITS = 16;

/** A request with its defaults; a body may be left out. */
export function requestOf(body: Clean<ReplayTaskRequest> | undefined): Clean<ReplayTaskRequest> {
  return body ?? { mode: 'exact', override: {} };
}

/** Reads the request against its source; throws a ProtocolError that names what is wrong with it. */
export function planFor(
  tx: Transaction,
  facts: Facts,
  source: CleanTaskState,
  request: ReplayTaskRequest,
): ReplayPlan {
  refuseOpen(source);
  for (const [key, { value }] of Object.entries(request.override))
    refuseLarge(value, `override.${shownName(key)}.value`, facts.limits);
  return planReplay(request, planSource(tx, facts, source));
}

function refuseOpen({ resource }: CleanTaskState): void {
  if (isTerminal(resource.status)) return;
  const message = 'The Task has not ended. Wait for its end, or cancel it, and replay it then.';
  throw new ProtocolError('conflict', message, { details: { status: resource.status } });
}

/** Accepts a replay as a Task of the same Session, closed or not; it starts when its lane and a slot are free. */
export function submitReplay(
  tx: Transaction,
  facts: Facts,
  source: CleanTaskState,
  request: Clean<ReplayTaskRequest>,
): Clean<Task> {
  const plan = planFor(tx, facts, source, request);
  const sessionId = source.resource.session_id;
  const session = tx.get<CleanSessionFold>(sessionKeys.session(sessionId));
  const route = sentence`${word(REPLAY_ROUTE)}${source.internal.route}`;
  const startsNow =
    !laneIsBusy(tx, sessionId) && (!session || queueIsEmpty(session)) && facts.runs.hasSlot(route);
  if (!startsNow) refuseFullQueue(facts);
  const taskId = appendSubmission(tx, facts, source, { request, plan, route });
  if (startsNow) moveTask(tx, facts, taskId, 'WORKING');
  facts.runs.claim(taskId, { tenant: facts.by.tenant, sessionId, route }, startsNow);
  tx.afterCommit(() => facts.runs.wake(taskId));
  const accepted = tx.get<CleanTaskState>(taskKeys.task(taskId));
  if (!accepted) throw new Error(`replay task ${taskId} was not folded`);
  return accepted.resource;
}

interface Asked {
  request: Clean<ReplayTaskRequest>;
  plan: ReplayPlan;
  route: CleanText;
}

function appendSubmission(tx: Transaction, facts: Facts, source: CleanTaskState, asked: Asked): CleanText {
  const ordinal = (source.internal.replays ?? 0) + 1;
  const id = replayTaskId(source.resource.id, asked.request, ordinal);
  const task = replayTask(id, tx.time, facts.by.actor, source.resource, asked);
  const replay = facts.redact(termsOf(tx, source, asked, ordinal)).value;
  recordSubstitutes(tx, id, asked.plan.overrides);
  const { persona, turn_message } = source.internal;
  const payload: Clean<PayloadOf<'task.submitted'>> = {
    task,
    route: asked.route,
    rules: CURRENT_RULES,
    message_id: turn_message,
    preceding: [],
    ...(persona === undefined ? {} : { persona }),
    replay,
    checkpoint_id: sentence`${id}.1`,
  };
  const receiptId = provesAcceptance(source.internal.persona, facts) ? facts.newId('receipt') : undefined;
  const pointer = { object: 'task', id };
  const submitted = tx.append(newEvent('task.submitted', pointer, placeOfTask(task), payload, receiptId));
  if (receiptId !== undefined) issueAcceptanceReceipt(tx, facts, id, receiptId, submitted.id);
  return id;
}

/**
 * Derived from the source, the request and how many replays came before, so that the same replay has the same id on any
 * gateway. It keeps the time of the source's id, so a replay is listed beside its source.
 */
function replayTaskId(sourceId: string, request: ReplayTaskRequest, ordinal: number): CleanText {
  const asked = hashOf(JSON.parse(JSON.stringify(request)) as JsonValue);
  const digest = Buffer.from(sha256Hex(`${sourceId}\n${asked}\n${ordinal}`), 'hex');
  const time =
    /^task_([0-9A-HJKMNP-TV-Z]{26})$/.exec(sourceId)?.[1]?.slice(0, TIME_DIGITS) ?? '0'.repeat(TIME_DIGITS);
  const tail = Array.from(digest.subarray(0, HASH_DIGITS), (byte) => CROCKFORD[byte & 31]).join('');
  return own(`task_${time}${tail}`);
}

function termsOf(
  tx: Transaction,
  { resource }: CleanTaskState,
  { request, plan }: Asked,
  ordinal: number,
): ReplayTerms {
  let frame = 0;
  return {
    source_task_id: resource.id,
    ordinal,
    mode: plan.mode,
    checkpoint_id: plan.checkpointId,
    checkpoint_event_id: plan.checkpointEventId,
    through_event_id: tx.position,
    refresh: plan.refresh,
    overrides: plan.overrides.map(({ key, kind, visibility, delta, substitute }) => {
      if (substitute !== undefined) frame += 1;
      return {
        key,
        kind,
        visibility,
        delta_id: delta.delta_id,
        frame: substitute === undefined ? null : frame,
      };
    }),
    deltas: plan.deltas,
    reason: request.reason ?? null,
  };
}

/** A substitute is replay material of the replay: a replay of it finds what it ran with. */
function recordSubstitutes(tx: Transaction, taskId: string, overrides: readonly PlannedOverride[]): void {
  let number = 0;
  for (const { key, substitute } of overrides) {
    if (substitute === undefined) continue;
    number += 1;
    const sha256 = hashOf(substitute as unknown as JsonValue);
    const record: RecordedFrame = { key, at: tx.time, sha256, after: tx.position, frame: substitute };
    tx.record(frameKey(taskId, number), JSON.stringify(record));
  }
}

function replayTask(
  id: CleanText,
  time: CleanText,
  actor: CleanText,
  source: Clean<Task>,
  { request, route }: Asked,
): Clean<Task> {
  return {
    ...source,
    id,
    created_at: time,
    updated_at: time,
    metadata: metadataOf(request),
    status: 'SUBMITTED',
    created_by: actor,
    parent_task_id: source.id,
    assigned_agent_id: route,
    receipt_id: null,
    outcome_id: null,
    quota_id: null,
    started_at: null,
    completed_at: null,
    canceled_at: null,
    failure: null,
  };
}

/** What a plan may know of its source, as the caller may see it. */
function planSource(tx: Transaction, facts: Facts, { resource, internal }: CleanTaskState): PlanSource {
  return {
    task: resource,
    transitions: internal.transitions,
    frame: (key) => findFrame(tx, resource.id, key),
    event: (id) => eventOf(tx, resource.id, id),
    artifact: (id, param) => jsonArtifact(tx, facts, id, param),
    refreshed: (what) => REFRESHED[what](tx, facts, resource.session_id),
  };
}

function findFrame(
  tx: Transaction,
  taskId: string,
  key: string,
): { record: RecordedFrame; sha256: string } | undefined {
  let n = 1;
  for (let row = tx.recorded(frameKey(taskId, n)); row; row = tx.recorded(frameKey(taskId, n))) {
    const frames = framesInRow(row);
    const stored = frames.find((frame) => frame.key === key);
    const record = stored && wholeFrame(stored, (id) => tx.event(id));
    if (record) return { record, sha256: hashOf(record.frame as unknown as JsonValue) };
    n += frames.length;
  }
  return undefined;
}

function eventOf(tx: Transaction, taskId: string, id: string): Event | undefined {
  const event = isEventId(id) ? tx.event(id) : undefined;
  return event?.task_id === taskId ? event : undefined;
}

function jsonArtifact(
  tx: Transaction,
  facts: Facts,
  id: string,
  param: string,
): { value: JsonValue; sha256: string } {
  const state = load(tx, facts.caller, 'artifact', id, param);
  const { bytes } = contentOf(state, (key) => tx.recorded(key));
  try {
    return { value: parseStrictText(bytes.toString('utf8')), sha256: `sha256:${sha256Hex(bytes)}` };
  } catch (cause) {
    throw new ProtocolError('invalid_request', 'The content of this Artifact is no JSON. Upload JSON.', {
      param,
      cause,
    });
  }
}

/** What the run could learn anew, by its hash. Its own facts are recorded; only these come from now. */
const REFRESHED: {
  readonly [What in Refreshable]: (tx: Transaction, facts: Facts, sessionId: string) => string;
} = {
  memory: (tx, facts, sessionId) => hashOf(refreshedMemories(tx, facts, sessionId)),
  // Which secrets there are is for the operator; that they were read again is all a receipt may say.
  secrets: () => hashOf({ refreshed: 'secrets' }),
  host_facts: (_tx, { limits }) => hashOf({ inline_bytes: limits.inlineBytes }),
};
