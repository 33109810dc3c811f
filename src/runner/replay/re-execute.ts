import type { DecisionTools } from '#core/facts.ts';
import type { Event, Projection } from '#eventlog/event-log.ts';
import { Rehearsal } from '#eventlog/rehearsal.ts';
import { sha256Hex } from '#json/canonical.ts';
import { type CleanText, fromLog, own, word } from '#protocol/clean.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { IdSource } from '#protocol/ports.ts';
import { type Failure, isTerminal, type TaskStatus } from '#protocol/task-states.ts';
import type { Frame, Move, Seen } from '#protocol-client.ts';
import type { RunRecord } from '#receipts/receipt-draft.ts';
import type { MemoryFrame } from '#resources/memory/given-memory.ts';
import { applyMemoryRead } from '#resources/memory/given-to-run.ts';
import { type CleanPermissionRequestState, permissionKeys } from '#resources/permission/state.ts';
import { taskRecord } from '#resources/receipt/run-record.ts';
import { hashOf } from '#resources/replay/record/compare.ts';
import type { History, Stimulus } from '#resources/replay/record/history.ts';
import type { RecordedFrame } from '#resources/replay/record/recorded-frame.ts';
import { stimuliOf } from '#resources/replay/record/stimuli.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import type { CancelReport } from '#resources/task/events.ts';
import { type MoveFacts, moveTask } from '#resources/task/move-task.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { readBefore } from '#runner/frame-recorder.ts';
import { frameKey } from '#store/keys.ts';
import { applyMoves, noteCancelFault, seenBy } from '../apply-moves.ts';
import { approvalsOf, recordedAnswersOf } from './recorded-terms.ts';

/** What a re-execution needs besides the history; none of it may ask the clock, chance or the network. */
interface ReExecutionParts {
  interpret(frame: Frame, seen: Seen): Move[];
  tools: DecisionTools;
  projection: Projection;
  /** Names the ids of what was never recorded. */
  seed: string;
  /** Frames to take instead of the recorded ones, by override key. */
  substitutes?: ReadonlyMap<string, Frame | MemoryFrame>;
}

/** One step of a replay: what was recorded, and what the same stimulus becomes now. */
export interface ReplayedStep {
  stimulus: Stimulus;
  replayed: readonly Event[];
  /** Key of the override that was taken for its frame. */
  overrideKey?: string;
}

/**
 * Runs a recorded run again: frames through the same mappings, moves and folds as live, in memory, with the recorded times
 * and ids. What callers said is given; what became of it is decided again. Returns what the run did, as its receipt would say
 * it; undefined where it did not end.
 */
export function* reExecute(
  history: History,
  parts: ReExecutionParts,
): Generator<ReplayedStep, RunRecord | undefined> {
  const run = new ReExecution(history, parts);
  for (const stimulus of stimuliOf(history)) yield run.step(stimulus);
  return run.record();
}

class ReExecution {
  readonly #history: History;
  readonly #parts: ReExecutionParts;
  readonly #tx: Rehearsal;
  readonly #ids: RecordedIds;
  readonly #tools: DecisionTools;
  #frames = 0;

  constructor(history: History, parts: ReExecutionParts) {
    this.#history = history;
    this.#parts = parts;
    this.#tx = new Rehearsal(parts.projection);
    this.#ids = new RecordedIds(parts.seed);
    const approvals = approvalsOf(history.events);
    const recordedAnswers = recordedAnswersOf(history.events);
    this.#tools = { ...parts.tools, ...RECORDED, approvals, recordedAnswers, newId: this.#ids.next };
    this.#tx.set(sessionKeys.session(history.sessionId), emptySession(history));
  }

  record(): RunRecord | undefined {
    const task = this.#task;
    return task && isTerminal(task.resource.status) ? taskRecord(this.#tx, task) : undefined;
  }

  step(stimulus: Stimulus): ReplayedStep {
    const { events } = stimulus;
    this.#tx.begin(timeOf(stimulus), events);
    this.#ids.begin(events);
    this.#placeTranscript(events);
    const overrideKey = this.#take(stimulus);
    return {
      stimulus,
      replayed: this.#tx.appended,
      ...(overrideKey === undefined ? {} : { overrideKey }),
    };
  }

  get #task(): CleanTaskState | undefined {
    return this.#tx.get<CleanTaskState>(taskKeys.task(this.#history.taskId));
  }

  #take(stimulus: Stimulus): string | undefined {
    if (stimulus.kind === 'frame') return this.#takeFrame(stimulus.frame);
    if (stimulus.kind === 'move') this.#move(stimulus.event);
    else if (this.#hasPlace(stimulus.event)) this.#tx.keep(stimulus.event);
    return undefined;
  }

  #takeFrame(record: RecordedFrame): string | undefined {
    const task = this.#task;
    if (!task) return undefined;
    const substitute = this.#parts.substitutes?.get(record.key);
    const frame = substitute ?? record.frame;
    if (!isTerminal(task.resource.status)) this.#recordMaterial(record, substitute);
    const target = {
      tx: this.#tx,
      tools: this.#tools,
      taskId: this.#history.taskId,
      material: fromLog(record.key),
      clean: readBefore,
    };
    if (record.turn) this.#bindSession(record.turn.session_binding);
    if (record.noted && frame.kind === 'fault') noteCancelFault(target, task, fromLog(frame));
    else if (frame.kind === 'memory') applyMemoryRead(this.#tx, task, fromLog(frame), target.material);
    else applyMoves(target, this.#parts.interpret(frame, seenBy(this.#tx, readBefore, task)));
    return substitute === undefined ? undefined : record.key;
  }

  /** A receipt names the frames of a run up to its end, by their hashes alone. */
  #recordMaterial(
    { key, at, sha256, redaction_proof }: RecordedFrame,
    substitute: Frame | MemoryFrame | undefined,
  ): void {
    const listed = substitute
      ? { sha256: hashOf(substitute as unknown as JsonValue) }
      : { sha256, ...(redaction_proof === undefined ? {} : { redaction_proof }) };
    const taken = { key, at, ...listed };
    this.#frames += 1;
    this.#tx.record(frameKey(this.#history.taskId, this.#frames), JSON.stringify(taken));
  }

  #move({ payload }: Event): void {
    const { status, message_id, failure, reason, cancel, metadata, outcome } = fromLog(
      payload as unknown as Transition,
    );
    const facts: MoveFacts = {
      ...(message_id === undefined ? {} : { messageId: message_id }),
      ...(failure === undefined ? {} : { failure }),
      ...(reason ? { reason } : {}),
      ...(cancel === undefined ? {} : { cancel }),
      ...(metadata === undefined ? {} : { metadata }),
      // What the gateway completes by itself, it says in its own words.
      ...(status === 'COMPLETED' && outcome !== undefined ? { summary: outcome.summary } : {}),
    };
    moveTask(this.#tx, this.#tools, this.#history.taskId, status, facts);
  }

  /** An answer to a question that the replay never asked, or has answered, has no place in it. */
  #hasPlace({ resource, payload }: Event): boolean {
    if (resource.object !== 'permission_request' || payload['request_id'] === undefined) return true;
    const request = this.#tx.get<CleanPermissionRequestState>(permissionKeys.permissionRequest(resource.id));
    return request?.resource.status === 'pending';
  }

  /** The transcript as other tasks left it meanwhile. */
  #placeTranscript(events: readonly Event[]): void {
    const appended = events.find(({ event }) => event === 'session.message_appended');
    const session = this.#tx.get<CleanSessionFold>(sessionKeys.session(this.#history.sessionId));
    const messages = appended?.payload['position'];
    if (!session || typeof messages !== 'number') return;
    const internal = { ...session.internal, messages };
    this.#tx.set(sessionKeys.session(this.#history.sessionId), { ...session, internal });
  }

  #bindSession(binding: JsonObject | null): void {
    const { sessionId, route } = this.#history;
    const state = binding === null ? undefined : { binding, epoch: 0 };
    this.#tx.set(sessionKeys.sessionBinding(sessionId, route), state);
  }
}

/** What a recorded transition says of its cause. */
interface Transition {
  status: TaskStatus;
  message_id?: string;
  failure?: Failure;
  reason?: string | null;
  cancel?: CancelReport;
  metadata?: JsonObject;
  outcome?: { summary: string };
}

/** Recorded values have no secrets any more, nothing is sent, and no caller waits. */
const RECORDED: Pick<DecisionTools, 'redact' | 'sealInput' | 'receipts' | 'runs'> = {
  receipts: {
    issuer: { id: word('none'), name: null },
    acceptance: false,
    isRehearsal: true,
    key: refuseToSign,
  },
  redact: readBefore,
  sealInput: () => {
    throw new Error('a replay sends nothing, so it seals nothing');
  },
  runs: {
    hasSlot: () => true,
    queued: () => 0,
    hasShare: () => true,
    claim: () => undefined,
    wake: () => undefined,
    answer: () => undefined,
    answerOpen: () => undefined,
    answerByRule: () => undefined,
    endBeyondCeiling: () => undefined,
    haltsChanged: () => undefined,
    forwardCancel: () => undefined,
  },
};

function refuseToSign(): never {
  throw new Error('a rehearsal signs nothing');
}

function timeOf(stimulus: Stimulus): CleanText {
  return fromLog(stimulus.kind === 'frame' ? stimulus.frame.at : stimulus.event.created_at);
}

/** Only what the folds of a task's events need of its session. */
function emptySession({ sessionId, events }: History): CleanSessionFold {
  const [first] = events;
  const time = first?.created_at ?? '';
  return fromLog({
    resource: {
      id: sessionId,
      object: 'session',
      created_at: time,
      updated_at: time,
      metadata: {},
      workspace_id: first?.workspace_id ?? '',
      state: 'IDLE',
      transcript: {},
      persona_id: null,
      root_session_id: null,
      parent_session_id: null,
      branch_id: null,
      last_event_id: null,
      summary: null,
      expires_at: null,
    },
    internal: { open_tasks: [], working: 0, blocked: 0, messages: 0, epoch: 0, pending: [] },
  });
}

/** What makes its resource, by the object its id was drawn for. */
const MADE: Readonly<Record<string, string>> = {
  'user.message': 'message',
  'agent.message': 'message',
  'artifact.created': 'artifact',
  'tool.approval_required': 'permission_request',
  'vendor.harn_gateway.permission_requested': 'permission_request',
};

/**
 * Ids are recorded like everything else that chance decided: a step draws the ids of the events it became, in their order.
 * Where a replay draws more than were recorded, the id is a function of the seed and of how many there were.
 */
class RecordedIds {
  readonly #seed: string;
  #drawn = new Map<string, string[]>();
  #extra = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** Begins the next step. */
  begin(events: readonly Event[]): void {
    this.#drawn = new Map();
    for (const event of events) for (const [object, id] of idsOf(event)) this.#list(object).push(id);
  }

  readonly next: IdSource = (object) => {
    const recorded = this.#list(object).shift();
    if (recorded !== undefined) return fromLog(recorded);
    this.#extra += 1;
    return own(`${object}_${sha256Hex(`${this.#seed}:${object}:${this.#extra}`).slice(0, 26).toUpperCase()}`);
  };

  #list(object: string): string[] {
    const list = this.#drawn.get(object) ?? [];
    this.#drawn.set(object, list);
    return list;
  }
}

function idsOf(recorded: Event): [object: string, id: string][] {
  const receipt: [string, string][] =
    recorded.receipt_id === undefined ? [] : [['receipt', recorded.receipt_id]];
  return [...madeBy(recorded), ...receipt];
}

function madeBy({ event, resource, payload }: Event): [object: string, id: string][] {
  const made = MADE[event];
  if (made !== undefined) return [[made, resource.id]];
  const { outcome, message } = payload as { outcome?: { id: string }; message?: { id: string } };
  if (outcome !== undefined) return [['outcome', outcome.id]];
  return message === undefined ? [] : [['message', message.id]];
}
