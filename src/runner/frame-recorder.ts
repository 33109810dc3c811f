import type { DecisionTools } from '#core/facts.ts';
import type { Origin, Transaction } from '#eventlog/event-log.ts';
import { contentHash, wholeText } from '#json/canonical.ts';
import { AT_ONCE_BYTES, jsonSize } from '#json/large-json.ts';
import { asCleanObject, type Clean, type CleanText, fromLog, own } from '#protocol/clean.ts';
import type { JsonValue } from '#protocol/json.ts';
import { isTerminal } from '#protocol/task-states.ts';
import type { Frame, ProtocolClient } from '#protocol-client.ts';
import type { MemoryFrame } from '#resources/memory/given-memory.ts';
import { applyMemoryRead, memoryKey } from '#resources/memory/given-to-run.ts';
import { type CleanMessageState, messageKeys } from '#resources/message/state.ts';
import { waitsInTurn } from '#resources/permission/permission-request.ts';
import { encodeFrameRow, MAX_ROW_FRAMES } from '#resources/replay/record/frame-row.ts';
import type { RecordedFrame } from '#resources/replay/record/recorded-frame.ts';
import { sessionBinding } from '#resources/session/fold.ts';
import { makeRoomForAgent } from '#resources/session/transcript/make-room.ts';
import { type TurnSpan, turnSpan } from '#resources/task/move-task.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import type { FrameNumbers } from '#resources/task/task-frames.ts';
import { frameKey, inputKey } from '#store/keys.ts';
import { applyMoves, noteCancelFault, seenBy } from './apply-moves.ts';
import type { RunnerDeps } from './runner-deps.ts';

/** Frames whose commits may be in flight before the run waits for the store: bounds memory, keeps groups large. */
const FRAMES_IN_FLIGHT = 64;
/** A larger frame has a row of its own, so that a row stays small. */
const SHARED_ROW_BYTES = 16 * 1024;

export async function openRecorder(
  deps: RunnerDeps,
  client: ProtocolClient,
  turn: RecordedTurn,
): Promise<FrameRecorder> {
  await deps.frameNumbers.open(turn.taskId, turn.isStarting);
  return new FrameRecorder(deps, client, turn);
}

interface RecordedTurn {
  taskId: string;
  /** The first turn of a new task, which has no frames yet. */
  isStarting: boolean;
  /** Messages the turn sends. */
  sent: readonly string[];
  /** Of its events, where it is known. */
  span?: TurnSpan | undefined;
}

interface FramePlace extends Pick<Clean<RecordedFrame>, 'after' | 'block' | 'turn'> {
  number: number;
  /** Of the JSON of the frame, as it came; what is above AT_ONCE_BYTES is not counted to its end. */
  bytes: number;
  material: CleanText;
  isNoted: boolean;
  content: Pick<Clean<RecordedFrame>, 'sha256' | 'redaction_proof' | 'redacted' | 'frame'>;
}

/** A row of frames that its transaction may still extend. */
interface OpenRow {
  tx: Transaction;
  frames: Clean<RecordedFrame>[];
  isMade: boolean;
}

/** Records frames as replay material and applies their moves, each in one transaction. */
export class FrameRecorder {
  readonly #deps: RunnerDeps;
  readonly #client: ProtocolClient;
  readonly #taskId: string;
  readonly #numbers: FrameNumbers;
  #sent: readonly string[];
  /** Frames that came together, until the last of them is there. */
  readonly #held: { frame: Frame; bytes: number }[] = [];
  /** Lets go of what was read ahead of those. */
  readonly #forget: (() => void)[] = [];
  #row: OpenRow | undefined;
  #pending: Promise<unknown>[] = [];
  #inFlight = 0;
  #atRest = false;
  /** Message of the turn when the task came to rest; undefined while the agent waits inside this very turn. */
  #restedOn: string | undefined;
  #isFirst = true;
  #span: TurnSpan | undefined;

  constructor(deps: RunnerDeps, client: ProtocolClient, { taskId, sent, span }: RecordedTurn) {
    this.#deps = deps;
    this.#client = client;
    this.#taskId = taskId;
    this.#sent = sent;
    this.#span = span;
    this.#numbers = deps.frameNumbers;
  }

  /**
   * `over` when the task ended or waits for the caller's input, so that the turn needs no more frames; `held` while the frame
   * waits for those it came together with.
   */
  async take(frame: Frame): Promise<'held' | 'open' | 'over'> {
    const { readAhead } = this.#deps;
    const bytes = jsonSize(frame, AT_ONCE_BYTES);
    if (readAhead !== undefined && bytes > AT_ONCE_BYTES)
      this.#forget.push(await readAhead(frame as unknown as JsonValue));
    this.#held.push({ frame, bytes });
    if (frame.kind === 'message' && frame.more) return 'held';
    const frames = this.#held.splice(0);
    let status: 'open' | 'over' = 'open';
    let isApplied = false;
    const committed = this.#deps.log.transact(this.#origin(), (tx) => {
      for (const each of frames) if (status === 'open') status = this.#apply(tx, each.frame, each.bytes);
      isApplied = true;
    });
    // Read by now: what a transaction does is done when it is asked.
    for (const forget of this.#forget.splice(0)) forget();
    await this.#track(committed, frames.length);
    // What could not be applied ends the turn here: its agent may say nothing more for a long time.
    if (!isApplied || (frame.kind === 'message' && frame.intent)) await committed;
    return status;
  }

  /** Records a Memory that the run is given, before its agent gets anything. */
  async give(frame: MemoryFrame): Promise<void> {
    const committed = this.#deps.log.transact(this.#origin(), (tx) => {
      const task = tx.get<CleanTaskState>(taskKeys.task(this.#taskId));
      if (!task) return;
      const place = this.#place(tx, task, frame);
      this.#record(tx, place);
      if (place.content.frame.kind === 'memory')
        applyMemoryRead(tx, task, place.content.frame, place.material);
    });
    await this.#track(committed);
  }

  async noteFault(frame: Extract<Frame, { kind: 'fault' }>): Promise<void> {
    const committed = this.#deps.log.transact(this.#origin(), (tx) => {
      const task = tx.get<CleanTaskState>(taskKeys.task(this.#taskId));
      if (!task) return;
      const place = this.#place(tx, task, frame);
      this.#record(tx, { ...place, isNoted: true });
      const { frame: kept } = place.content;
      if (kept.kind === 'fault') noteCancelFault({ tx, material: place.material }, task, kept);
    });
    await this.#track(committed);
  }

  /** True when the last applied frame left the task ended or blocked. */
  isAtRest(): boolean {
    return this.#atRest;
  }

  /** Resolves when what was taken so far is durable, so that everybody can read it. */
  async isKept(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Waits for durability and gives the numbering free; nothing may be taken afterwards. */
  async finish(): Promise<void> {
    try {
      await this.#durable();
    } finally {
      this.#numbers.close(this.#taskId);
    }
  }

  async #durable(): Promise<void> {
    await Promise.all(this.#pending);
    this.#pending = [];
    this.#inFlight = 0;
  }

  #apply(tx: Transaction, frame: Frame, bytes: number): 'open' | 'over' {
    const before = tx.get<CleanTaskState>(taskKeys.task(this.#taskId));
    if (!before || this.#isAnswered(before)) return 'over';
    makeRoomForAgent(tx, this.#deps.tools, before.resource.session_id);
    const place = this.#place(tx, before, frame, bytes);
    this.#record(tx, place);
    if (provesSent(frame)) this.#forgetSentInput(tx);
    const { tools } = this.#deps;
    const clean = place.content.redacted ? tools.redact : readBefore;
    const moves = this.#client.interpret(frame, seenBy(tx, clean, before));
    const said = place.content.redacted ? tools.inputs.hide(before.resource.session_id, moves) : moves;
    applyMoves({ tx, tools, taskId: this.#taskId, material: place.material, clean }, said);
    const after = tx.get<CleanTaskState>(taskKeys.task(this.#taskId));
    const status = after?.resource.status ?? 'FAILED';
    this.#atRest = status !== 'WORKING' && status !== 'SUBMITTED';
    const waits = this.#atRest && waitsInTurn(tx, after);
    this.#restedOn = this.#atRest && !waits ? before.internal.turn_message : undefined;
    const asks = status === 'INPUT_REQUIRED' && !waits;
    return isTerminal(status) || asks ? 'over' : 'open';
  }

  /**
   * The task was answered while this turn still looked at it: the next turn goes on, and what the agent said of the state
   * before the answer would block the task again.
   */
  #isAnswered({ resource, internal }: CleanTaskState): boolean {
    const isLeft = this.#restedOn !== undefined && internal.turn_message !== this.#restedOn;
    return isLeft && resource.status === 'WORKING';
  }

  /** What the record says besides the frame, as it is before its moves are applied. */
  #place(
    tx: Transaction,
    task: CleanTaskState,
    frame: Frame | MemoryFrame,
    bytes = jsonSize(frame, AT_ONCE_BYTES),
  ): FramePlace {
    const number = this.#numbers.take(this.#taskId);
    const material = this.#keyOf(frame, number);
    const content = this.#clean(frame, number);
    const { sha256, redaction_proof } = content;
    const proof = redaction_proof === undefined ? {} : { redaction_proof };
    const block = this.#numbers.extend(this.#taskId, { key: material, sha256, ...proof });
    const place: FramePlace = { number, bytes, material, after: tx.position, isNoted: false, content };
    if (block !== undefined) place.block = block;
    if (this.#isFirst) {
      const session_binding = fromLog(
        sessionBinding(tx, task.resource.session_id, task.internal.route) ?? null,
      );
      place.turn = { session_binding };
    }
    this.#isFirst = false;
    return place;
  }

  #keyOf(frame: Frame | MemoryFrame, number: number): CleanText {
    if (frame.kind === 'memory') return memoryKey(own(frame.memory.id));
    const { label } = frame.kind === 'message' ? frame : {};
    const { materialPrefix } = this.#client;
    if (label === undefined) return own(`${materialPrefix}:${number}`);
    return this.#deps.tools.redact(wholeText(`${materialPrefix}:${label}`)).value;
  }

  /** The frame as it is kept: without its label, which is in the key, and without secrets. */
  #clean(frame: Frame | MemoryFrame, number: number): FramePlace['content'] {
    const kept = frame.kind === 'message' ? { kind: frame.kind, body: frame.body } : frame;
    const { value: clean, hit } = this.#deps.redactFrame<RecordedFrame['frame']>(kept);
    const content = { sha256: contentHash(asCleanObject<RecordedFrame['frame']>(clean)), frame: clean };
    if (!hit) return content;
    const place = `${this.#taskId}/frames/${number}`;
    const redaction_proof = own(this.#deps.tools.proveRedaction(place, kept as unknown as JsonValue));
    return { ...content, redaction_proof, redacted: true };
  }

  #record(
    tx: Transaction,
    { number, bytes, material, after, isNoted, turn, content, block }: FramePlace,
  ): void {
    const { sha256, redaction_proof, redacted, frame } = content;
    const record: Clean<RecordedFrame> = {
      key: material,
      at: tx.time,
      sha256,
      ...(redaction_proof === undefined ? {} : { redaction_proof }),
      ...(block === undefined ? {} : { block }),
      after,
      ...(turn === undefined ? {} : { turn }),
      ...(isNoted ? { noted: true } : {}),
      ...(redacted === undefined ? {} : { redacted }),
      frame,
    };
    this.#extendRow(tx, number, record, bytes);
  }

  /** Frames of one transaction are one row; it is made when they are, and their events with them. */
  #extendRow(tx: Transaction, number: number, record: Clean<RecordedFrame>, bytes: number): void {
    const open = this.#row;
    const isAlone = record.block !== undefined || bytes > SHARED_ROW_BYTES;
    if (open?.tx === tx && !open.isMade && open.frames.length < MAX_ROW_FRAMES && !isAlone) {
      open.frames.push(record);
      return;
    }
    const row: OpenRow = { tx, frames: [record], isMade: false };
    this.#row = isAlone ? undefined : row;
    tx.recordLater(frameKey(this.#taskId, number), () => {
      row.isMade = true;
      const events = tx.eventsBehind(record.after);
      // The task's own stay as long as its frames.
      return encodeFrameRow(
        row.frames,
        events.filter(({ task_id }) => task_id === this.#taskId),
      );
    });
  }

  /** The first answer proves that the input was sent, so its encrypted original goes. */
  #forgetSentInput(tx: Transaction): void {
    for (const id of this.#sent) {
      const isSealed = tx.get<CleanMessageState>(messageKeys.message(id))?.internal.sealed;
      if (isSealed && tx.recorded(inputKey(id))) tx.erase(inputKey(id));
    }
    tx.afterCommit(() => {
      this.#sent = [];
    });
  }

  #origin(): Origin {
    const task = this.#deps.log.state<CleanTaskState>(taskKeys.task(this.#taskId));
    const origin: Origin = { actor: this.#client.route };
    if (!task) return origin;
    if (task.internal.trace_id !== null) origin.traceId = task.internal.trace_id;
    // Another turn may have begun while this one still speaks.
    if (this.#span?.turn !== task.internal.turns) this.#span = turnSpan(task);
    origin.spanId = this.#span.id;
    return origin;
  }

  async #track(committed: Promise<unknown>, frames = 1): Promise<void> {
    this.#pending.push(committed);
    this.#inFlight += frames;
    committed.catch(() => undefined);
    if (this.#inFlight >= FRAMES_IN_FLIGHT) await this.#durable();
  }
}

/** Where a login is missing the peer has taken nothing: what was to be sent is sent again after it. */
function provesSent(frame: Frame): boolean {
  if (frame.kind === 'fault') return frame.code !== 'auth_required';
  return frame.kind !== 'message' || !frame.unsent;
}

/**
 * Stands for the redactor where what is read was read before: a recorded frame, and one in which nothing was found. What the
 * tables of a bridge make of it has no secret either.
 */
export const readBefore: DecisionTools['redact'] = (value) => ({ value: fromLog(value), hit: false });
