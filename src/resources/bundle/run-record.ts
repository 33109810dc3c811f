import type { Event } from '#eventlog/event-log.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { TaskState } from '#resources/states.ts';
import { GATEWAY_FORMAT } from './document/gateway-rows.ts';
import type { RunRecord } from './document/run-record.ts';
import { Streamed } from './document/write-bundle.ts';
import { artifactsOf } from './exported-artifacts.ts';
import type { ExportedRun } from './exported-run.ts';
import type { MaterialReader } from './material-reader.ts';
import { eventRows, frameRows, pieceRows } from './material-rows.ts';
import { usageOf } from './run-usage.ts';
import { checkpoints, questions, spans, toolCalls, transitions } from './told-by-log.ts';
import { toldTranscript } from './told-transcript.ts';

export interface RecordFacts {
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
  const ofEvents = (kinds: RegExp, tell: () => (event: Event) => JsonValue[]) => toldBy(run, tell, kinds);
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
    transcript: toldTranscript(run, facts.reader),
    usage: await usageOf(run, facts.reader.log),
    replay_fixture: summary.fixture,
    event_log_pointers: [pointerTo(run, facts.throughOriginal)],
    metadata: {},
    harn_gateway: gatewayRecord(run, facts),
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

function toldBy(run: ExportedRun, tell: () => (event: Event) => JsonValue[], kinds: RegExp): Streamed {
  return new Streamed(async function* () {
    const told = tell();
    for await (const event of run.events(kinds)) yield* told(event);
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
  const status = (last?.resource.status ?? session.state).toLowerCase();
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
