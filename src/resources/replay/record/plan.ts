import type { Event } from '#eventlog/event-log.ts';
import { ProtocolError, shownName } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { Frame } from '#protocol-client.ts';
import type { MemoryFrame } from '#resources/memory/given-memory.ts';
import type { Task } from '#resources/task/schema.ts';
import {
  type OverrideKind,
  REFRESHABLE,
  type Refreshable,
  type ReplayDelta,
  type ReplayOverride,
  type ReplayTaskRequest,
} from '../schema.ts';
import { hashOf } from './compare.ts';
import type { RecordedFrame } from './recorded-frame.ts';

/** What a plan may know of the source; each look-up is undefined for what is not there. */
export interface PlanSource {
  task: Task;
  /** Lifecycle transitions so far; they number the checkpoints. */
  transitions: number;
  frame(key: string): { record: RecordedFrame; sha256: string } | undefined;
  /** An event of this Task. */
  event(id: string): Event | undefined;
  /** Content of an Artifact as JSON; throws a ProtocolError for one that the caller cannot see or that is none. */
  artifact(id: string, param: string): { value: JsonValue; sha256: string };
  /** Hash of what may be refreshed, now; throws a ProtocolError that names what is missing. */
  refreshed(what: Refreshable): string;
}

export interface PlannedOverride {
  key: string;
  kind: ReplayOverride['kind'];
  visibility: ReplayOverride['visibility'];
  delta: ReplayDelta;
  /** Takes the place of the recorded frame; undefined where it is recorded only. */
  substitute: Frame | MemoryFrame | undefined;
}

export interface ReplayPlan {
  mode: ReplayTaskRequest['mode'];
  /** Events after this one are replayed; null: all. */
  checkpointEventId: string | null;
  /** A checkpoint named by its id, which the history has to find. */
  checkpointId: string | null;
  refresh: Refreshable[];
  overrides: PlannedOverride[];
  deltas: ReplayDelta[];
}

/** Reads a replay request against its source; throws `invalid_request` naming the member that is wrong. */
export function planReplay(request: ReplayTaskRequest, source: PlanSource): ReplayPlan {
  const refresh = refreshOf(request);
  const keys = Object.keys(request.override).sort();
  if (request.mode === 'exact') refuseInExact(keys, refresh);
  const overrides = keys.map((key, at) => planOverride(key, request, source, at + 1));
  const fresh = refresh.map((what, at) => refreshDelta(what, request, source, overrides.length + at + 1));
  return {
    mode: request.mode,
    ...checkpointOf(request, source),
    refresh,
    overrides,
    deltas: [...overrides.map(({ delta }) => delta), ...fresh],
  };
}

function refuseInExact(keys: readonly string[], refresh: readonly Refreshable[]): void {
  if (keys[0] !== undefined)
    throw invalid('An exact replay takes no overrides. Send mode with_overrides.', 'override');
  if (refresh.length > 0)
    throw invalid('An exact replay refreshes nothing. Leave metadata.refresh out.', 'metadata.refresh');
}

function refreshOf({ metadata }: ReplayTaskRequest): Refreshable[] {
  const asked = metadata?.['refresh'];
  if (asked === undefined) return [];
  const isKnown = (item: JsonValue): item is Refreshable => REFRESHABLE.some((name) => name === item);
  if (Array.isArray(asked) && asked.every(isKnown)) return REFRESHABLE.filter((name) => asked.includes(name));
  throw invalid(`metadata.refresh is a list of ${REFRESHABLE.join(', ')}.`, 'metadata.refresh');
}

function refreshDelta(
  what: Refreshable,
  { reason }: ReplayTaskRequest,
  source: PlanSource,
  ordinal: number,
): ReplayDelta {
  return {
    delta_id: `delta_${ordinal}`,
    operation: 'replace',
    path: `/refresh/${what}`,
    after_sha256: source.refreshed(what),
    reason: reason ?? 'refresh',
  };
}

function planOverride(
  key: string,
  request: ReplayTaskRequest,
  source: PlanSource,
  ordinal: number,
): PlannedOverride {
  const param = `override.${shownName(key)}`;
  const override = request.override[key];
  if (override === undefined) throw invalid('Name each override once.', param);
  const { kind, visibility } = override;
  const row = OVERRIDE_KIND_ROWS[kind];
  if (!row.key.test(key))
    throw invalid(`An override of kind ${kind} has a key of the form ${row.form}.`, `${param}.kind`);
  if (kind === 'secret_value' && visibility !== 'receipt_only')
    throw invalid('A secret is receipt_only: its value never leaves.', `${param}.visibility`);
  const given = givenValue(override, source, param);
  const before = beforeOf(key, override, source, param);
  if (override.event_id && !source.event(override.event_id))
    throw invalid('event_id is no event of this Task. Leave it out or name one.', `${param}.event_id`);
  const delta: ReplayDelta = {
    delta_id: `delta_${ordinal}`,
    operation: before.sha256 === null ? 'add' : 'replace',
    path: before.path,
    override_key: key,
    ...(override.event_id ? { event_id: override.event_id } : {}),
    before_sha256: before.sha256,
    after_sha256: given.sha256,
    ...(override.artifact_id ? { artifact_id: override.artifact_id } : {}),
    reason: override.reason ?? request.reason ?? 'override',
  };
  const substitute = before.record && substituteFor(before.record.frame, substitutedValue(given, param));
  return { key, kind, visibility, delta, substitute };
}

interface Given {
  value: JsonValue | undefined;
  sha256: string | null;
}

/** Inline or by Artifact; a claimed hash has to be that of the value, and stands alone where there is none. */
function givenValue(override: ReplayOverride, source: PlanSource, param: string): Given {
  const { value, artifact_id, sha256: claimed } = override;
  if (value !== undefined && artifact_id)
    throw invalid('Give the value inline or by Artifact, not both.', `${param}.artifact_id`);
  const claim = claimed ? `sha256:${claimed.replace(/^sha256:/, '').toLowerCase()}` : null;
  const found = artifact_id ? source.artifact(artifact_id, `${param}.artifact_id`) : undefined;
  const given: Given = found ?? { value, sha256: value === undefined ? claim : hashOf(value) };
  if (claim === null || claim === given.sha256) return given;
  throw new ProtocolError('invalid_request', 'The value does not have this sha256. Send the right one.', {
    param: `${param}.sha256`,
    details: { expected: claim, observed: given.sha256 },
  });
}

function substitutedValue({ value }: Given, param: string): JsonValue {
  if (value !== undefined) return value;
  throw invalid(
    'Send the value that takes the place of the recorded one, or an artifact_id.',
    `${param}.value`,
  );
}

/** What the override stands for, where the source has it. */
function beforeOf(
  key: string,
  { kind }: ReplayOverride,
  source: PlanSource,
  param: string,
): { path: string; sha256: string | null; record?: RecordedFrame } {
  if (OVERRIDE_KIND_ROWS[kind].effect === 'substitute') {
    const found = source.frame(key);
    if (found) return { path: `/replay_input/materials/${key}`, ...found };
    throw invalid('No material of this Task has this key. Take one from its receipt.', param);
  }
  if (kind === 'time')
    return { path: `/lifecycle/${key.slice('time:'.length)}`, sha256: clockRead(key, source, param) };
  if (kind === 'secret_value') return { path: `/secrets/${key.slice('secret:'.length)}`, sha256: null };
  if (kind === 'checkpoint_value') {
    if (ordinalOf(key.slice('checkpoint:'.length), source) === undefined) throw foreignCheckpoint(param);
    return { path: `/checkpoints/${key.slice('checkpoint:'.length)}`, sha256: null };
  }
  const event = source.event(key.slice('event:'.length));
  if (!event) throw invalid('The key names no event of this Task.', param);
  return { path: `/events/${event.id}/payload`, sha256: hashOf(event.payload) };
}

function clockRead(key: string, { task }: PlanSource, param: string): string {
  const label = CLOCK_READS.find((name) => key === `time:${name}`);
  const read = label && task[label];
  if (read) return hashOf(read);
  throw invalid(`The run read no such clock. Name one of ${CLOCK_READS.join(', ')} that it has.`, param);
}

function checkpointOf(
  { mode, checkpoint_id, checkpoint_event_id }: ReplayTaskRequest,
  source: PlanSource,
): Pick<ReplayPlan, 'checkpointEventId' | 'checkpointId'> {
  const named = checkpoint_id ?? checkpoint_event_id;
  if (mode !== 'from_checkpoint') {
    if (!named) return { checkpointEventId: null, checkpointId: null };
    const param = checkpoint_id ? 'checkpoint_id' : 'checkpoint_event_id';
    throw invalid('A checkpoint is for mode from_checkpoint.', param);
  }
  if (!named)
    throw invalid('Name the checkpoint: its id is in the payload of each task event.', 'checkpoint_id');
  if (checkpoint_id && ordinalOf(checkpoint_id, source) === undefined)
    throw foreignCheckpoint('checkpoint_id');
  if (checkpoint_event_id) {
    const checkpoint = source.event(checkpoint_event_id)?.payload['checkpoint_id'];
    if (typeof checkpoint !== 'string' || (checkpoint_id && checkpoint !== checkpoint_id))
      throw foreignCheckpoint('checkpoint_event_id');
  }
  return { checkpointEventId: checkpoint_event_id ?? null, checkpointId: checkpoint_id ?? null };
}

/** The number of a checkpoint of this Task. */
function ordinalOf(checkpointId: string, { task, transitions }: PlanSource): number | undefined {
  const prefix = `${task.id}.`;
  const ordinal = checkpointId.startsWith(prefix) ? checkpointId.slice(prefix.length) : '';
  return /^[1-9]\d{0,8}$/.test(ordinal) && Number(ordinal) <= transitions ? Number(ordinal) : undefined;
}

function foreignCheckpoint(param: string): ProtocolError {
  return invalid(
    'No checkpoint of this Task. Take checkpoint_id from the payload of one of its task events.',
    param,
  );
}

function invalid(message: string, param: string, details?: JsonObject): ProtocolError {
  return new ProtocolError('invalid_request', message, { param, ...(details ? { details } : {}) });
}

/** What an override of a kind does, and which keys it may have. Source: Harn replay contract, "Override keys". */
interface OverrideKindRow {
  /** `substitute`: it takes the place of a recorded frame. `delta`: it is recorded, and changes nothing that is replayed. */
  effect: 'substitute' | 'delta';
  /** The form of its keys, for a refusal. */
  form: string;
  key: RegExp;
}

const OVERRIDE_KIND_ROWS = {
  llm_provider_response: { effect: 'substitute', form: 'llm:, a2a: or acp:', key: /^(llm|a2a|acp):/ },
  mcp_tool_return: { effect: 'substitute', form: 'mcp:', key: /^mcp:/ },
  tool_result: { effect: 'substitute', form: 'mcp:, acp: or host:', key: /^(mcp|acp|host):/ },
  host_fact: { effect: 'substitute', form: 'host:', key: /^host:/ },
  secret_value: { effect: 'delta', form: 'secret:<name>', key: /^secret:[!-~]{1,200}$/ },
  time: {
    effect: 'delta',
    form: 'time:<created_at, started_at, completed_at or canceled_at>',
    key: /^time:/,
  },
  event_payload: { effect: 'delta', form: 'event:<id of an event of the task>', key: /^event:\d{20}$/ },
  checkpoint_value: {
    effect: 'delta',
    form: 'checkpoint:<checkpoint_id of the task>',
    key: /^checkpoint:[!-~]+$/,
  },
} as const satisfies Record<OverrideKind, OverrideKindRow>;

/** Clock reads of a Task that a `time` override may name. */
const CLOCK_READS = ['created_at', 'started_at', 'completed_at', 'canceled_at'] as const;

/**
 * The frame that an override puts in the place of a recorded one. A value that names a `kind` of frame is a whole one. Any
 * other stands for what was said: where the recorded body wraps the words of its protocol as `message`, it takes their place.
 */
function substituteFor(recorded: Frame | MemoryFrame, value: JsonValue): Frame | MemoryFrame {
  if (recorded.kind === 'memory') return { ...recorded, memory: { ...recorded.memory, content: value } };
  if (isFrame(value)) return value;
  const wrap = recorded.kind === 'message' && isObject(recorded.body) && 'message' in recorded.body;
  if (!wrap || (isObject(value) && 'message' in value)) return { kind: 'message', body: value };
  return { kind: 'message', body: { ...(recorded.body as JsonObject), message: value } };
}

function isFrame(value: JsonValue): value is Frame & JsonObject {
  if (!isObject(value)) return false;
  if (value['kind'] === 'end') return true;
  if (value['kind'] === 'message') return value['body'] !== undefined;
  return (
    value['kind'] === 'fault' && typeof value['code'] === 'string' && typeof value['message'] === 'string'
  );
}
