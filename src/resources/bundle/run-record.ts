import type { Event, EventLog } from '#eventlog/event-log.ts';
import { conceal } from '#policy/access.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { artifactIn } from '#resources/artifact/artifact-in.ts';
import type { Message } from '#resources/message/schema.ts';
import type { WireReceipt } from '#resources/receipt/schema.ts';
import { systemPromptEvent, transcriptEventOf } from '#resources/session/transcript/event-layer.ts';
import type { TranscriptEvent } from '#resources/session/transcript/schema.ts';
import {
  transcriptAsset,
  transcriptHead,
  transcriptId,
  transcriptMessage,
} from '#resources/session/transcript/transcript.ts';
import type { TaskState } from '#resources/task/state.ts';
import { receiptKey } from '#store/keys.ts';
import { GATEWAY_FORMAT } from './document/gateway-rows.ts';
import { type RunRecord, SESSION_LIVENESS, WORKER_SNAPSHOTS } from './document/run-record.ts';
import { Streamed } from './document/write-bundle.ts';
import { artifactsOf, assetStates } from './exported-artifacts.ts';
import type { ExportedRun } from './exported-run.ts';
import type { MaterialReader } from './material-reader.ts';
import { eventRows, frameRows, pieceRows } from './material-rows.ts';

interface RecordFacts {
  reader: MaterialReader;
  issuer: string;
  attachments: boolean;
  /** Id that the newest event has where it was recorded. */
  throughOriginal: string;
}

/** Stages that the fixture of a long session asserts. */
const MAX_ASSERTIONS = 200;

/** A Session of the gateway, or one of its Tasks, as a run record; its long lists are streamed from the log. */
export async function runRecordOf(run: ExportedRun, facts: RecordFacts): Promise<RunRecord> {
  const { session } = run.scope;
  const summary = await summaryOf(run);
  const ofEvents = (kinds: RegExp, reader: () => (event: Event) => JsonValue[]) => readBy(run, reader, kinds);
  return {
    _type: 'run_record',
    id: run.scope.task?.resource.id ?? run.sessionId,
    workflow_id: summary.route,
    workflow_name: null,
    task: summary.task,
    status: summary.status,
    started_at: session.resource.created_at,
    finished_at: summary.finishedAt,
    parent_run_id: session.resource.parent_session_id,
    root_run_id: session.resource.root_session_id,
    persisted_path: null,
    child_runs: [],
    completed_nodes: [],
    pending_nodes: [],
    stages: new Streamed(() => mapped(run.tasks(), stageOf)),
    transitions: ofEvents(/^task\./, transitions),
    checkpoints: ofEvents(/^task\./, checkpoints),
    tool_recordings: ofEvents(/^tool\./, toolCalls),
    hitl_questions: ofEvents(/^tool\.approval_required$|permission_requested$/, questions),
    evidence: { trace_spans: ofEvents(/^span\.started$/, spans) },
    artifacts: new Streamed(() => artifactsOf(run, facts)),
    transcript: recordedTranscript(run, facts.reader),
    usage: await usageOf(run, facts.reader.log),
    replay_fixture: summary.fixture,
    event_log_pointers: [pointerTo(run, facts.throughOriginal)],
    metadata: {},
    ...toldOfRun(session.resource.metadata),
    harn_gateway: gatewayRecord(run, facts),
  };
}

/** What a bundle of another producer said beside its run, which came along with the Session. */
function toldOfRun(metadata: JsonObject): RunRecord {
  const { [WORKER_SNAPSHOTS]: snapshots, [SESSION_LIVENESS]: liveness } = objectOf(metadata['run']);
  return {
    ...(Array.isArray(snapshots) ? { [WORKER_SNAPSHOTS]: snapshots } : {}),
    ...(typeof liveness === 'string' ? { [SESSION_LIVENESS]: liveness } : {}),
  };
}

function gatewayRecord(run: ExportedRun, facts: RecordFacts): RunRecord {
  const { task, session } = run.scope;
  return {
    format: GATEWAY_FORMAT,
    session_id: run.sessionId,
    task_id: task?.resource.id ?? null,
    workspace_id: facts.reader.originalWorkspace(session),
    tenant_id: facts.reader.originalTenant(session),
    issuer: facts.issuer,
    events: new Streamed(() => eventRows(run, facts.reader)),
    frames: new Streamed(() => frameRows(run, facts.reader)),
    pieces: new Streamed(() => pieceRows(run, facts)),
  };
}

function readBy(run: ExportedRun, reader: () => (event: Event) => JsonValue[], kinds: RegExp): Streamed {
  return new Streamed(async function* () {
    const read = reader();
    for await (const event of run.events(kinds)) yield* read(event);
  });
}

async function* mapped<From>(
  items: AsyncIterable<From>,
  make: (item: From) => JsonValue,
): AsyncGenerator<JsonValue> {
  for await (const item of items) yield make(item);
}

function stageOf({ resource, internal }: TaskState): JsonObject {
  const { id, status, failure, started_at, completed_at, canceled_at } = resource;
  return {
    id,
    node_id: internal.route,
    kind: internal.replay === undefined ? 'agent' : 'replay',
    status: status.toLowerCase(),
    outcome: outcomeOf(resource.status),
    branch: resource.branch_id,
    started_at,
    finished_at: completed_at ?? canceled_at,
    visible_text: internal.last_text ?? internal.summary ?? '',
    private_reasoning: null,
    failure: failure === null ? null : { code: failure.code, message: failure.message },
    produced_artifact_ids: [],
    consumed_artifact_ids: [],
    verification: null,
    metadata: {},
  };
}

function outcomeOf(status: string): string {
  if (status === 'COMPLETED') return 'ok';
  return status === 'CANCELED' ? 'canceled' : 'failed';
}

interface Summary {
  route: string;
  task: string;
  status: string;
  finishedAt: string | null;
  fixture: JsonObject;
}

/** What the run was about and how it ended: the newest Task that is no replay says so. */
async function summaryOf(run: ExportedRun): Promise<Summary> {
  const { resource: session } = run.scope.session;
  const assertions: JsonObject[] = [];
  let [first, last]: (TaskState | undefined)[] = [];
  for await (const task of run.tasks()) {
    if (task.internal.replay) continue;
    first ??= task;
    last = task;
    if (assertions.length < MAX_ASSERTIONS) assertions.push(assertionOf(task));
  }
  const route = last?.internal.route ?? 'none';
  const before = objectOf(session.metadata['run'])['status'];
  // Until it runs something here, the run is what it was elsewhere.
  const now = typeof before === 'string' && before !== '' ? before : session.state;
  const status = (last?.resource.status ?? now).toLowerCase();
  return {
    route,
    status,
    task: first === undefined ? (session.summary ?? '') : textOf(first),
    finishedAt:
      last?.resource.completed_at ?? last?.resource.canceled_at ?? last?.resource.updated_at ?? null,
    fixture: {
      _type: 'replay_fixture',
      id: `fixture_${session.id}`,
      source_run_id: session.id,
      workflow_id: route,
      workflow_name: null,
      created_at: session.created_at,
      eval_kind: null,
      clarifying_question: null,
      expected_status: status,
      stage_assertions: assertions,
    },
  };
}

function assertionOf({ resource, internal }: TaskState): JsonObject {
  return {
    node_id: internal.route,
    expected_status: resource.status.toLowerCase(),
    expected_outcome: outcomeOf(resource.status),
    expected_branch: null,
    required_artifact_kinds: [],
    visible_text_contains: null,
  };
}

/** The public text of the input. */
function textOf({ resource }: TaskState): string {
  const { parts } = resource.input as { parts?: { type?: string; text?: string; visibility?: string }[] };
  if (!Array.isArray(parts)) return '';
  const texts = parts.flatMap(({ type, text, visibility }) =>
    type === 'text' && visibility === 'public' && text !== undefined ? [text] : [],
  );
  return texts.join('\n');
}

function pointerTo(run: ExportedRun, through: string): JsonObject {
  return { kind: 'session', id: run.sessionId, through_event_id: through, path: null };
}

/** What the receipts of the Tasks say was used, together. */
async function usageOf(run: ExportedRun, log: EventLog): Promise<JsonObject> {
  const sum = { call_count: 0, input_tokens: 0, output_tokens: 0, total_cost: 0, total_duration_ms: 0 };
  const models = new Set<string>();
  for await (const { resource, internal } of run.tasks()) {
    if (internal.replay || resource.receipt_id === null) continue;
    const bytes = log.record(receiptKey(resource.receipt_id));
    if (bytes === undefined) continue;
    const { autonomy_budget, model_route, cost }: WireReceipt = JSON.parse(bytes.toString('utf8'));
    const { input_tokens = 0, output_tokens = 0, wall_time_ms = 0 } = autonomy_budget.consumed;
    sum.call_count += 1;
    sum.input_tokens += input_tokens;
    sum.output_tokens += output_tokens;
    sum.total_cost += cost.total;
    sum.total_duration_ms += wall_time_ms;
    const { provider, model } = model_route.chosen_model;
    if (model !== 'none') models.add(`${provider}/${model}`);
  }
  return { ...sum, models: [...models].sort() };
}

/** What one event says in the words of a run record; a teller is made per list, because some remember what came before. */
type Teller = (event: Event) => JsonValue[];

/** Lifecycle moves of the Tasks. */
function transitions(): Teller {
  return ({ id, payload, resource, created_at }) => {
    const { status, previous_status, checkpoint_id } = payload;
    if (resource.object !== 'task' || typeof checkpoint_id !== 'string' || previous_status === undefined)
      return [];
    return [
      {
        id,
        task_id: resource.id,
        from_node_id: previous_status,
        to_node_id: status ?? null,
        checkpoint_id,
        timestamp: created_at,
      },
    ];
  };
}

/** Where a replay can begin. */
function checkpoints(): Teller {
  return ({ id, event, payload, resource, created_at }) => {
    const { checkpoint_id } = payload;
    if (resource.object !== 'task' || typeof checkpoint_id !== 'string') return [];
    return [
      {
        id: checkpoint_id,
        event_id: id,
        last_stage_id: resource.id,
        persisted_at: created_at,
        reason: event,
      },
    ];
  };
}

/** Calls of tools by their hashes: what went in and out is in the frames. */
function toolCalls(): Teller {
  const inputs = new Map<string, { args_hash: JsonValue; at: string }>();
  return ({ event, payload, created_at, task_id }) => {
    const { tool_call_id, name = null, input_sha256 = null, output_sha256 = null } = payload;
    const id = `${task_id}/${String(tool_call_id)}`;
    if (event === 'tool.requested') inputs.set(id, { args_hash: input_sha256, at: created_at });
    if (event !== 'tool.completed' && event !== 'tool.failed') return [];
    const asked = inputs.get(id);
    inputs.delete(id);
    return [
      {
        tool_use_id: id,
        tool_name: name,
        args_hash: asked?.args_hash ?? null,
        result_hash: output_sha256,
        is_rejected: event === 'tool.failed',
        duration_ms: asked === undefined ? null : Date.parse(created_at) - Date.parse(asked.at),
        timestamp: created_at,
      },
    ];
  };
}

/** What people were asked. */
function questions(): Teller {
  return ({ payload, actor, created_at, trace_id }) => {
    const asked = payload['permission_request'] as { id: string; request?: { message?: string } } | undefined;
    if (asked === undefined) return [];
    const prompt = asked.request?.message ?? '';
    return [{ request_id: asked.id, agent: actor, prompt, asked_at: created_at, trace_id }];
  };
}

function spans(): Teller {
  return ({ event, payload, trace_id, created_at }) => {
    if (event !== 'span.started') return [];
    const { span_id = null, parent_span_id = null, name = null, route = null } = payload;
    return [
      {
        span_id,
        parent_span_id,
        name,
        kind: route,
        trace_id,
        started_at: created_at,
        links: [],
        metadata: {},
      },
    ];
  };
}

/** Kinds that bring a Message. */
const TURNS = /^(?:user|agent)\.message$|^session\.message_appended$/;

/**
 * The transcript of the run in the shape that `GET /v1/sessions/{id}/transcript` has, with two differences: it has every turn as
 * it was recorded, also those that compaction archived or a truncation dropped, and what an event brought stands in the
 * gateway's record of it alone.
 */
function recordedTranscript(run: ExportedRun, reader: MaterialReader): RunRecord {
  const { resource, internal } = run.scope.session;
  const { state, summary } = transcriptHead(resource, internal.messages, internal.archive);
  return {
    _type: 'transcript',
    version: 2,
    id: transcriptId(resource.id),
    state,
    summary,
    metadata: resource.metadata,
    messages: new Streamed(() => messages(run, reader)),
    events: new Streamed(() => events(run, reader)),
    assets: new Streamed(() => assets(run, reader)),
  };
}

async function* messages(run: ExportedRun, { seesInternal }: MaterialReader): AsyncGenerator<JsonValue> {
  let position = 0;
  for await (const { payload } of run.events(TURNS)) {
    const message = payload['message'] as unknown as Message | undefined;
    if (message === undefined) continue;
    yield transcriptMessage(conceal(message, seesInternal), position) as unknown as JsonObject;
    position += 1;
  }
}

async function* events(
  run: ExportedRun,
  { states, seesInternal }: MaterialReader,
): AsyncGenerator<JsonValue> {
  const { workspace_id } = run.scope.session.resource;
  const nameOf = (id: string) => artifactIn(states, workspace_id, id)?.internal.name ?? id;
  const leading = systemPromptEvent(run.scope.session.resource.metadata, seesInternal);
  if (leading !== undefined) yield leading as unknown as JsonObject;
  for await (const event of run.events()) yield audit(event, seesInternal, nameOf);
}

function audit(event: Event, seesInternal: boolean, nameOf: (id: string) => string): JsonObject {
  const { data, ...shown }: TranscriptEvent = transcriptEventOf(
    conceal(event, seesInternal),
    nameOf,
    seesInternal,
  );
  return shown as unknown as JsonObject;
}

async function* assets(run: ExportedRun, reader: MaterialReader): AsyncGenerator<JsonValue> {
  for await (const state of assetStates(run, reader))
    yield conceal(transcriptAsset(state), reader.seesInternal) as unknown as JsonObject;
}
