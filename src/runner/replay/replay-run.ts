import type { DecisionTools } from '#core/facts.ts';
import { newEvent, type Pointer, placeOfTask } from '#core/new-event.ts';
import type { Event, EventLog, Origin, Projection, Transaction } from '#eventlog/event-log.ts';
import { NO_EVENT } from '#eventlog/segment.ts';
import type { Clean } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Logger } from '#protocol/ports.ts';
import type { Failure } from '#protocol/task-states.ts';
import type { Interpret } from '#protocol-client.ts';
import type { VerificationKeys } from '#receipts/verification-keys.ts';
import type { ReceiptVerdict } from '#receipts/verify-chain.ts';
import { verifyStoredReceipt } from '#resources/receipt/verify-receipt.ts';
import { damageOf, type Tampering } from '#resources/replay/load-history.ts';
import type { History, MissingDependency } from '#resources/replay/record/history.ts';
import type { ReplayEventMetadata, ReplayTerms, ReplayVerdict } from '#resources/replay/schema.ts';
import { moveTask } from '#resources/task/move-task.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { prepareReplay } from './prepare-replay.ts';
import { payloadFor, type ReplayEnd, type ReplayedEvent, replayedEvents } from './replayed-events.ts';

/** Replayed events appended in one transaction. */
const BATCH = 200;
const PAGE = 500;

interface ReplayRunDeps {
  log: EventLog;
  tools: DecisionTools;
  logger: Logger;
  project: Projection;
  /** What the frames of a route mean, configured or not; undefined when no bridge knows its words. */
  interpretOf(route: string): Interpret | undefined;
  /** Public keys of the receipts; as of now, so that a revoked key counts. */
  verificationKeys(): VerificationKeys;
}

/** One replay task at work. It ends as COMPLETED with a verdict, or FAILED with what kept it from one. */
export class ReplayRun {
  /** Resolves when the replay is over or was stopped; rejects for what the store refuses. */
  readonly ended: Promise<void>;
  readonly #deps: ReplayRunDeps;
  readonly #taskId: string;
  #stopped = false;

  constructor(deps: ReplayRunDeps, taskId: string) {
    this.#deps = deps;
    this.#taskId = taskId;
    this.ended = this.#run();
  }

  /** Ends after the transaction at hand; the next start takes it up again. */
  stop(): void {
    this.#stopped = true;
  }

  stopCanceled(): void {
    this.stop();
  }

  async yieldTo(): Promise<void> {
    this.stop();
    await this.ended;
  }

  async takenOr(): Promise<void> {}

  async endedOr(signal: AbortSignal): Promise<void> {
    if (!signal.aborted) await this.yieldTo();
  }

  async #run(): Promise<void> {
    const task = this.#deps.log.state<CleanTaskState>(taskKeys.task(this.#taskId));
    const terms = task?.internal.replay;
    if (!task || !terms || task.resource.status !== 'WORKING') return;
    try {
      await this.#replay(task, terms);
    } catch (error) {
      if (ProtocolError.from(error).code === 'service_unavailable') throw error;
      this.#deps.logger.error({ err: error, task_id: this.#taskId }, 'a replay failed inside the gateway');
      await this.#fail(task, terms, { message: BROKEN });
    }
  }

  async #replay(task: CleanTaskState, terms: Clean<ReplayTerms>): Promise<void> {
    const recorded = await this.#recorded();
    if (recorded === undefined) await this.#transact(task, (tx) => void tx.append(startedEvent(task, terms)));
    const preparation = await prepareReplay(this.#deps.log, task);
    if (preparation.status === 'missing') return this.#fail(task, terms, { missing: preparation.missing });
    if (preparation.status === 'tampered') return this.#fail(task, terms, { verdict: preparation.tampering });
    const { history } = preparation.prepared;
    const forged = await receiptTampering(
      this.#deps.log,
      this.#deps.verificationKeys(),
      history,
      terms.source_task_id,
    );
    if (forged) return this.#fail(task, terms, { verdict: forged });
    const interpret = this.#deps.interpretOf(history.route);
    const mapping = { kind: 'host_fact', id: `host:mapping:${history.route}` } as const;
    if (!interpret) return this.#fail(task, terms, { missing: mapping });
    const { tools } = this.#deps;
    const run = replayedEvents(preparation.prepared, {
      interpret,
      tools,
      projection: this.#deps.project,
      seed: this.#taskId,
    });
    const end = await this.#record(run, { task, terms, skip: recorded ?? 0 });
    if (end?.missing) await this.#fail(task, terms, { verdict: end.verdict, missing: end.missing });
    else if (end) await this.#complete(task, terms, end);
  }

  /** Replayed events that an earlier start of this run has recorded already; undefined before the first. */
  async #recorded(): Promise<number | undefined> {
    let recorded: number | undefined;
    const scope = { kind: 'task', id: this.#taskId } as const;
    for (let after = NO_EVENT, size = PAGE; size === PAGE; ) {
      const page = await this.#deps.log.range(scope, after, PAGE);
      for (const bytes of page) {
        const event: Event = JSON.parse(bytes.toString());
        if (event.event === 'replay.started') recorded ??= 0;
        if (event.event === 'replay.event_replayed') recorded = (recorded ?? 0) + 1;
        after = event.id;
      }
      size = page.length;
    }
    return recorded;
  }

  /** Appends what is replayed, in batches; undefined when it was stopped before the end. */
  async #record(
    run: Generator<ReplayedEvent, ReplayEnd>,
    { task, terms, skip }: { task: CleanTaskState; terms: Clean<ReplayTerms>; skip: number },
  ): Promise<ReplayEnd | undefined> {
    let left = skip;
    for (;;) {
      const batch: ReplayedEvent[] = [];
      let end: ReplayEnd | undefined;
      while (batch.length < BATCH && end === undefined) {
        const next = run.next();
        if (next.done) end = next.value;
        else if (left > 0) left -= 1;
        else batch.push(next.value);
      }
      if (batch.length > 0)
        await this.#transact(task, (tx) => {
          for (const replayed of batch) tx.append(replayedEvent(this.#deps.tools, task, terms, replayed));
        });
      if (this.#stopped) return undefined;
      if (end !== undefined) return end;
    }
  }

  async #complete(task: CleanTaskState, terms: Clean<ReplayTerms>, end: ReplayEnd): Promise<void> {
    const { source_task_id, mode, deltas } = terms;
    const { verdict, events, run } = end;
    const replay = { verdict, missing: null, ...(run ? { run } : {}) };
    const summary = summaryOf(verdict, events);
    await this.#transact(task, (tx) => {
      const { redact } = this.#deps.tools;
      const payload = redact({ source_task_id, mode, verdict, events, deltas }).value;
      tx.append(newEvent('replay.completed', pointerTo(task), placeOfTask(task.resource), payload));
      moveTask(tx, this.#deps.tools, this.#taskId, 'COMPLETED', { summary: redact(summary).value, replay });
    });
  }

  async #fail(task: CleanTaskState, terms: Clean<ReplayTerms>, finding: Finding): Promise<void> {
    const { source_task_id, mode } = terms;
    const { verdict = null, missing = null } = finding;
    const message = finding.message ?? messageOf(finding);
    const failure: Failure = {
      code: 'runtime_error',
      type: 'runtime_error',
      message,
      details: detailsOf(verdict, missing),
    };
    await this.#transact(task, (tx) => {
      const { redact } = this.#deps.tools;
      const lack: { kind: string; id: string } | null = missing;
      const payload = redact({ source_task_id, mode, verdict, missing: lack, message }).value;
      tx.append(newEvent('replay.failed', pointerTo(task), placeOfTask(task.resource), payload));
      const replay = { verdict, missing };
      moveTask(tx, this.#deps.tools, this.#taskId, 'FAILED', { failure: redact(failure).value, replay });
    });
  }

  /** Nothing more is said of a replay that was canceled meanwhile. */
  async #transact(task: CleanTaskState, append: (tx: Transaction) => void): Promise<void> {
    const { trace_id } = task.internal;
    const origin: Origin = { actor: null, ...(trace_id === null ? {} : { traceId: trace_id }) };
    await this.#deps.log.transact(origin, (tx) => {
      const now = tx.get<CleanTaskState>(taskKeys.task(this.#taskId));
      if (now?.resource.status === 'WORKING') append(tx);
      else this.stop();
    });
  }
}

interface Finding {
  verdict?: ReplayVerdict;
  missing?: MissingDependency;
  message?: string;
}

const BROKEN = 'The gateway failed while it replayed this task. Replay it again.';

function messageOf({ verdict, missing }: Finding): string {
  if (missing?.erased) return `The replay material was erased by ${missing.id}.`;
  if (missing) return `The replay needs ${missing.kind} ${missing.id}, which is not available.`;
  if (verdict?.status === 'tamper_detected')
    return `The history of the source was changed after it was recorded: ${verdict.where} is not what was written.`;
  return BROKEN;
}

function detailsOf(verdict: ReplayVerdict | null, missing: MissingDependency | null): JsonObject {
  const reason = missing ? 'missing_dependency' : (verdict?.status ?? 'internal');
  return {
    reason,
    ...(verdict ? { verdict: verdict as unknown as JsonObject } : {}),
    ...(missing ? { missing: { ...missing } } : {}),
  };
}

function summaryOf(verdict: ReplayVerdict, events: number): string {
  if (verdict.status === 'byte_equal')
    return `byte_equal: all ${events} events came out as they are recorded.`;
  const where = verdict.status === 'diverged' ? verdict.path : verdict.where;
  return `${verdict.status}: first at ${where}.`;
}

function pointerTo({ resource }: CleanTaskState): Pointer {
  return { object: 'task', id: resource.id };
}

function startedEvent(
  task: CleanTaskState,
  { source_task_id, mode, overrides, refresh, reason, ...terms }: Clean<ReplayTerms>,
) {
  return newEvent('replay.started', pointerTo(task), placeOfTask(task.resource), {
    source_task_id,
    mode,
    checkpoint_id: terms.checkpoint_id,
    checkpoint_event_id: terms.checkpoint_event_id,
    override_keys: overrides.map(({ key }) => key),
    refresh,
    reason,
  });
}

/** Members in RFC 8785 order, as everything of an event that is not its payload. */
function replayedEvent(
  { redact }: DecisionTools,
  task: CleanTaskState,
  { source_task_id, mode }: ReplayTerms,
  replayed: ReplayedEvent,
) {
  const metadata: ReplayEventMetadata = {
    mode,
    original_event_id: replayed.originalEventId,
    override_key: replayed.override?.key ?? null,
    receipt_delta_id: replayed.override?.deltaId ?? null,
    replay_cursor: replayed.cursor,
    replay_task_id: task.resource.id,
    source_task_id,
  };
  const { event, sha256, equal } = replayed;
  const payload = redact({
    event: String(event.event),
    resource: { ...event.resource },
    payload: payloadFor(replayed),
    sha256,
    equal,
  }).value;
  const recorded = newEvent('replay.event_replayed', pointerTo(task), placeOfTask(task.resource), payload);
  return { ...recorded, replay: metadata };
}

/**
 * Verifies the receipts of a run, every step and with the whole chain of its Session before them; where a replay is replayed,
 * its receipt too. Returns the first that does not verify.
 */
export async function receiptTampering(
  log: EventLog,
  keys: VerificationKeys,
  { events, sessionId }: Pick<History, 'events' | 'sessionId'>,
  sourceTaskId: string,
): Promise<Tampering | undefined> {
  // The events are verified against their commits already, so no receipt can be left out by changing a state.
  const issued = events.findLast(({ event }) => event === 'receipt.issued')?.payload['receipt_id'];
  const named = log.state<CleanTaskState>(taskKeys.task(sourceTaskId))?.resource.receipt_id;
  for (const id of new Set([issued, named])) {
    if (typeof id !== 'string') continue;
    const found = await tamperingOf(log, keys, id, sessionId);
    if (found) return found;
  }
  return undefined;
}

async function tamperingOf(
  log: EventLog,
  keys: VerificationKeys,
  receiptId: string,
  sessionId: string,
): Promise<Tampering | undefined> {
  let verdict: ReceiptVerdict;
  try {
    verdict = await verifyStoredReceipt(log, keys, receiptId);
  } catch (error) {
    return { status: 'tamper_detected', index: 0, where: `receipts of ${sessionId}`, ...damageOf(error) };
  }
  const { ok, step, index, expected, observed } = verdict;
  if (ok) return undefined;
  return {
    status: 'tamper_detected',
    index: index ?? 0,
    where: `receipt ${index} of ${sessionId}: ${step}`,
    expected: String(expected),
    observed: String(observed),
  };
}
