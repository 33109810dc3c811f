import { fromLog } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { type Clock, eventNumberOf, type Logger, timestamp } from '#protocol/ports.ts';
import { commitKey, SUMMARY_KEY } from '#store/keys.ts';
import type { DiskShortage, Store } from '#store/store.ts';
import type { IntegrityError } from '#store/store-errors.ts';
import { CheckpointWriter, type CheckpointWriterParts } from './checkpoint.ts';
import { type CommitRange, readSummary, SetHash, signSummary, withRange } from './commit-summary.ts';
import type {
  AcceptedBecause,
  CommitSpan,
  CopyBase,
  EventLog,
  FoundDamage,
  HistoryErasure,
  HistoryRemoval,
  Integrity,
  LogCopy,
  LogHead,
  LogStatistics,
  LogStatus,
  Origin,
  Projection,
  ResourcePointer,
  RowRemoval,
  Segment,
  StoredEvent,
  StreamOfOne,
  StreamScope,
  Transaction,
  WrittenGroup,
} from './event-log.ts';
import { foldCodec, recordOf, StateCache } from './fold-record.ts';
import { GroupStaging, GroupWriter } from './group-commit.ts';
import { leftOfSegments, planErasure, planRemoval } from './history-removal.ts';
import { openLogCopy } from './log-copy.ts';
import { type IndexRange, LogReader, storedEvent } from './log-reader.ts';
import { Reopener } from './reopener.ts';
import { idsGivenBy, NO_EVENT, type SaidSlots } from './segment.ts';
import { stageErasure, stageRemoval, stageRows, stageSegments } from './stage-rows.ts';
import { StagedTransaction } from './staged-transaction.ts';
import { removableCommits, removalCommits } from './summarise-commits.ts';
import type { Timers } from './timers.ts';
import type { TailVerdict } from './verify-tail.ts';

/** Events published at once when a group is found again after a reopen. */
const GHOST_PAGE = 500;
/** Most damaged records that are reported and counted. More of them add no information. */
const MAX_REPORTED_RECORDS = 1_000;
/** Where the log names its checkpoint file in findings. */
export const CHECKPOINT_FILE = 'checkpoint.json';

export interface CommitLogParts {
  store: Store;
  clock: Clock;
  timers: Timers;
  logger: Logger;
  projection: Projection;
  said: SaidSlots;
  endsWithRun(key: string): boolean;
  /** Memory bound of the parsed durable states, in characters of their JSON. */
  cacheChars: number;
  checkpoint: Pick<CheckpointWriterParts, 'keys' | 'path' | 'logId' | 'intervalMs'>;
  /** What the verification at start found. */
  start: TailVerdict & { trusted: LogHead };
  /** Event ids begin with it. */
  partition: string;
}

/** The log over a store. Reads come from the store; a transaction also sees what is not durable yet. */
export class CommitLog implements EventLog {
  /** The reader's own, as nearly every decision asks it. The caller names the type of the states under its own keys. */
  readonly state: EventLog['state'];
  readonly #parts: CommitLogParts;
  readonly #cache: StateCache;
  readonly #reader: LogReader;
  readonly #staging: GroupStaging;
  readonly #writer: GroupWriter;
  readonly #checkpoints: CheckpointWriter;
  readonly #reopener: Reopener;
  readonly #tail: Listeners<[readonly StoredEvent[], WrittenGroup?]>;
  readonly #reopened: Listeners<[]>;
  readonly #damagedRecords = new Set<string>();
  #status: LogStatus = 'open';
  #integrity: Integrity;
  #deciding = false;
  #closing: Promise<void> | undefined;

  constructor(parts: CommitLogParts) {
    const { store, logger, start, clock, timers } = parts;
    const cache = new StateCache(parts.cacheChars);
    this.#parts = parts;
    this.#cache = cache;
    this.#integrity = start.integrity;
    this.#reader = new LogReader(store, cache, foldCodec(store, parts.said), (error) =>
      this.#onDamagedRecord(error),
    );
    this.state = this.#reader.state.bind(this.#reader) as EventLog['state'];
    this.#staging = new GroupStaging(this.#reader, cache, { ...start, partition: parts.partition });
    this.#tail = new Listeners(logger);
    this.#reopened = new Listeners(logger);
    this.#writer = new GroupWriter(store, {
      seal: () => this.#staging.seal(),
      now: clock.monotonic.bind(clock),
      onDurable: (took) => {
        const { events, transactions } = this.#staging.settle();
        this.#tail.notify(events, { ...took, transactions });
        this.#checkpoints.headMoved();
      },
      onFailure: (error) => this.#onFailure(error),
    });
    const head = () => this.#staging.head;
    const isSound = () => this.#integrity.status === 'ok';
    const onDamage = (error: IntegrityError) => this.#onDamage(error);
    this.#checkpoints = new CheckpointWriter(
      { ...parts.checkpoint, store, clock, timers, logger, head, isSound, onDamage },
      start.trusted,
    );
    this.#reopener = new Reopener({
      store,
      timers,
      logger,
      trusted: () => [this.#checkpoints.trusted, head()],
      onReopened: (verdict) => this.#onReopened(verdict),
    });
  }

  get integrity(): Integrity {
    return this.#integrity;
  }

  get damage(): FoundDamage {
    return { ranges: this.#parts.store.lost.length, records: this.#damagedRecords.size };
  }

  get shortage(): DiskShortage | undefined {
    return this.#parts.store.shortage;
  }

  get status(): LogStatus {
    return this.#status;
  }

  get logId(): string {
    return this.#parts.checkpoint.logId;
  }

  get timeMs(): number {
    return this.#staging.timeMs;
  }

  /** A signature has to be made within the window of its key. */
  #mayGoBackTo(wallMs: number): boolean {
    const time = timestamp(wallMs);
    const marks = this.#parts.checkpoint.keys
      .rows()
      .flatMap((row) => [row.not_before, row.not_after, row.revoked_at]);
    return marks.every((mark) => mark === null || mark <= time);
  }

  get head(): LogHead {
    return this.#staging.head;
  }

  statistics(): LogStatistics {
    const { hits, misses, size } = this.#cache;
    const compaction = this.#parts.store.compaction?.();
    return { states: { hits, misses, kept: size }, ...(compaction === undefined ? {} : { compaction }) };
  }

  get checkpointed(): number {
    return this.#checkpoints.trusted.commit;
  }

  transact<T>(origin: Origin, decide: (tx: StagedTransaction) => T): Promise<T> {
    if (this.#status !== 'open' || this.#integrity.status !== 'ok') {
      const refused = refusal(this.#status, this.#integrity, this.shortage);
      if (refused !== undefined) return Promise.reject(refused);
    }
    const { clock, projection } = this.#parts;
    const time = this.#staging.timeAt(clock.now(), clock.monotonic(), (ms) => this.#mayGoBackTo(ms));
    const tx = new StagedTransaction({
      origin,
      time,
      earlier: this.#staging,
      projection,
      codec: this.#reader.codec,
    });
    const answer = this.#decide(tx, decide);
    const isStaged = answer.ok && !tx.changes.isEmpty;
    if (isStaged) this.#staging.merge(origin, tx.changes);
    const durable = isStaged || this.#staging.hasUnflushed ? this.#writer.flush() : Promise.resolve();
    return durable.then(() => {
      if (!answer.ok) throw answer.error;
      if (tx.actions.length > 0) this.#act(tx.actions);
      return answer.result;
    });
  }

  /** The answer to the transaction goes out first: its effects start with the next turn of the event loop. */
  #act(actions: readonly (() => void)[]): void {
    setImmediate(() => runGuarded(this.#parts.logger, actions));
  }

  indexKeys(range: IndexRange): Promise<string[]> {
    return this.#reader.indexKeys(range);
  }

  record(key: string): Buffer | undefined {
    return this.#reader.record(key);
  }

  event(id: string): StoredEvent | undefined {
    return this.#reader.event(id);
  }

  segment(id: string): Segment | undefined {
    return this.#reader.segment(id);
  }

  range(scope: StreamScope, afterId: string, limit: number): Promise<Buffer[]> {
    return this.#reader.range(scope, afterId, limit);
  }

  recent(scope: StreamScope, afterId: string, limit: number): StoredEvent[] | undefined {
    return this.#staging.recent.range(scope, afterId, limit);
  }

  eventIds(scope: StreamOfOne, afterId: string, limit: number): Promise<string[]> {
    return this.#reader.eventIds(scope, afterId, limit);
  }

  holds(scope: StreamScope, id: string): boolean {
    return this.#reader.isInStream(scope, id);
  }

  isCut(sessionId: string): boolean {
    return (
      this.#reader.mark({ kind: 'session', id: sessionId }) !== undefined ||
      this.#reader.foldedThrough(sessionId) !== NO_EVENT
    );
  }

  baseKeys(prefix: string): AsyncIterable<string> {
    return this.#reader.baseKeys(prefix);
  }

  async removeHistory(removal: HistoryRemoval): Promise<number> {
    const { projection, endsWithRun } = this.#parts;
    const plan = await planRemoval({ reader: this.#reader, projection, endsWithRun }, removal);
    if (plan === undefined) return 0;
    return this.transact({ actor: null }, (tx) =>
      removal.isKept?.(tx) ? 0 : stageRemoval(tx, plan, this.#reader.codec),
    );
  }

  async eraseHistory(erasure: HistoryErasure): Promise<number> {
    const { projection, endsWithRun } = this.#parts;
    const plan = await planErasure({ reader: this.#reader, projection, endsWithRun }, erasure);
    if (plan === undefined) return 0;
    return this.transact({ actor: null }, (tx) =>
      erasure.isKept?.(tx) ? 0 : stageErasure(tx, plan, this.#reader.codec),
    );
  }

  eraseWords(
    ids: readonly string[],
    left: HistoryErasure['left'],
    also: (tx: Transaction) => void,
  ): Promise<void> {
    const events = ids.flatMap((id) => this.#reader.event(id)?.event ?? []);
    const { segments } = leftOfSegments(this.#reader, events, left);
    return this.transact({ actor: null }, (tx) => {
      stageSegments(tx, segments);
      also(tx);
    });
  }

  newestEventOf(resource: ResourcePointer): string | undefined {
    return this.#reader.fold(recordOf(resource))?.head?.event_id;
  }

  async summariseCommits(
    goesOn: () => boolean = () => true,
    spans: readonly CommitSpan[] = [],
  ): Promise<number> {
    const removed = this.#reader.mark({ kind: 'all' })?.event.id;
    if (removed === undefined) return 0;
    const { store } = this.#parts;
    const before = this.checkpointed;
    const found = [removableCommits(store, { before, throughId: removed })];
    for (const span of spans) found.push(removalCommits(store, { before, ...span }));
    let commits = 0;
    for (const ranges of found)
      for await (const { range, sum } of ranges) {
        if (!goesOn()) return commits;
        await this.#summarise(range, sum);
        commits += range.through - range.from + 1;
      }
    return commits;
  }

  async #summarise(range: CommitRange, sum: SetHash): Promise<void> {
    const { store, checkpoint } = this.#parts;
    const summary = readSummary(store);
    sum.merge(new SetHash(summary?.sum));
    const unsigned = { ranges: withRange(summary?.ranges ?? [], range), sum: sum.toString() };
    await this.transact({ actor: null }, (tx) => {
      for (let n = range.from; n <= range.through; n += 1) tx.putRow(commitKey(n), undefined);
      tx.record(SUMMARY_KEY, JSON.stringify(signSummary(checkpoint.keys, unsigned)));
    });
  }

  removeRows(removal: RowRemoval): Promise<boolean> {
    return this.transact({ actor: null }, (tx) => stageRows(tx, removal));
  }

  async copy(since?: CopyBase): Promise<LogCopy> {
    const refused = refusal(this.#status, this.#integrity, this.shortage);
    if (refused !== undefined) throw refused;
    const { store, clock, checkpoint } = this.#parts;
    return openLogCopy({ store, ...checkpoint, time: timestamp(clock.now()) }, since);
  }

  compact(range: { gte: string; lte: string }): Promise<void> {
    return this.#parts.store.compact(range);
  }

  purge(): Promise<void> {
    return this.#parts.store.purge();
  }

  tail(listener: (events: readonly StoredEvent[], group?: WrittenGroup) => void): () => void {
    return this.#tail.add(listener);
  }

  onReopen(listener: () => void): () => void {
    return this.#reopened.add(listener);
  }

  acceptTruncation(origin: Origin, why?: AcceptedBecause): Promise<void> {
    const payload = acceptable(this.#integrity);
    if (payload === undefined)
      return Promise.reject(new ProtocolError('conflict', 'The log has no truncation to accept.'));
    return this.#goOnWith(origin, { ...payload, ...why });
  }

  acceptRestore(origin: Origin, why?: AcceptedBecause): Promise<void> {
    const { status } = this.#integrity;
    const payload =
      status === 'ok'
        ? { expected: 'a restored backup', found: headJson(this.head) }
        : acceptable(this.#integrity);
    if (payload === undefined) {
      const message = 'The log is damaged. Run "harn-gateway log check", and restore another backup.';
      return Promise.reject(new ProtocolError('conflict', message));
    }
    return this.#goOnWith(
      origin,
      { ...payload, ...why },
      idsGivenBy(Math.max(this.#parts.clock.now(), this.timeMs)),
    );
  }

  /**
   * Records that the operator takes the log as it is, at the begin of a new epoch of event ids. `given`: the highest number that
   * may have been given to an event this log knows nothing of.
   */
  async #goOnWith(origin: Origin, payload: JsonObject, given = 0): Promise<void> {
    const fault = this.#integrity;
    const known = [this.head.eventId, this.#checkpoints.trusted.eventId];
    if (fault.status === 'truncated') known.push(fault.expected.eventId);
    this.#integrity = { status: 'ok' };
    this.#staging.beginEpochBehind(Math.max(given, ...known.map(eventNumberOf)));
    try {
      const resource = { object: 'log', id: this.logId };
      await this.transact(origin, (tx) =>
        tx.append({ event: 'vendor.harn_gateway.truncation_accepted', resource, payload: fromLog(payload) }),
      );
    } catch (error) {
      this.#integrity = fault;
      this.#staging.restart(this.#staging.head);
      throw error;
    }
    await this.#checkpoints.write();
    // Without the new file the next start would find the store truncated again.
    if (this.#checkpoints.trusted.hash !== this.head.hash)
      throw new ProtocolError('service_unavailable', 'The new checkpoint could not be written. Try again.');
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const wasOpen = this.#status === 'open';
    this.#status = 'closing';
    await this.#reopener.stop();
    this.#checkpoints.stop();
    if (wasOpen && this.#staging.hasUnflushed)
      // The transactions themselves have failed with it; closing goes on.
      await this.#writer
        .flush()
        .catch((error) => this.#parts.logger.error({ err: error }, 'last group lost'));
    if (wasOpen) await this.#checkpoints.write();
    await this.#parts.store.close();
    this.#status = 'closed';
  }

  #decide<T>(tx: StagedTransaction, decide: (tx: StagedTransaction) => T): Decided<T> {
    if (this.#deciding) throw new Error('A decision must not start a transaction of its own.');
    this.#deciding = true;
    try {
      return { ok: true, result: tx.run(decide) };
    } catch (error) {
      return { ok: false, error };
    } finally {
      this.#deciding = false;
    }
  }

  #onFailure(error: ProtocolError): void {
    this.#parts.logger.error(
      { err: error },
      'the log failed to write; it is fenced until the store is reopened',
    );
    this.#staging.restart(this.#staging.head);
    if (this.#status !== 'open') return;
    this.#status = 'fenced';
    this.#reopener.start();
  }

  #onDamage({ where, expected, observed }: IntegrityError): void {
    this.#integrity = { status: 'damaged', where, expected, observed };
  }

  /** Reports each record once. A range of keys is reported by its finder. */
  #onDamagedRecord({ where, expected, observed }: IntegrityError): void {
    if (this.#damagedRecords.has(where) || this.#damagedRecords.size === MAX_REPORTED_RECORDS) return;
    this.#damagedRecords.add(where);
    this.#parts.logger.warn({ where, expected, observed }, 'a stored record is damaged');
  }

  async #onReopened(verdict: TailVerdict): Promise<void> {
    const before = this.#staging.head;
    this.#integrity = verdict.integrity;
    this.#staging.restart(verdict.head);
    if (verdict.integrity.status === 'ok') await this.#publishFound(before, verdict.head);
    if (this.#status !== 'fenced') return;
    this.#writer.resume();
    this.#status = 'open';
    this.#checkpoints.headMoved();
    this.#parts.logger.info({ head: verdict.head, integrity: verdict.integrity }, 'store reopened');
    this.#reopened.notify();
  }

  /** Publishes the events of a group whose write failed although its bytes reached the disk. */
  async #publishFound(before: LogHead, now: LogHead): Promise<void> {
    for (let after = before.eventId; after < now.eventId; ) {
      const page = (await this.range({ kind: 'all' }, after, GHOST_PAGE)).map(storedEvent);
      this.#tail.notify(page);
      after = page.at(-1)?.event.id ?? now.eventId;
    }
  }
}

type Decided<T> = { ok: true; result: T } | { ok: false; error: unknown };

/** What the accepting event records; undefined when the fault is none that can be accepted. */
function acceptable(fault: Integrity): JsonObject | undefined {
  if (fault.status === 'truncated')
    return { expected: headJson(fault.expected), found: headJson(fault.found) };
  if (fault.status === 'damaged' && fault.where === CHECKPOINT_FILE)
    return { expected: fault.expected, found: fault.observed };
  return undefined;
}

function headJson({ commit, hash, eventId }: LogHead): JsonObject {
  return { commit, event_id: eventId, hash };
}

const RETRY_AFTER_SECONDS = 1;

/** Why a transaction cannot be taken now; undefined when it can. The caller retries with the same idempotency key. */
export function refusal(
  status: LogStatus,
  integrity: Integrity,
  shortage?: DiskShortage,
): ProtocolError | undefined {
  if (integrity.status !== 'ok')
    return unavailable('The log failed its integrity check; only reads are served until the operator acts.');
  if (status === 'fenced' && shortage !== undefined) return unavailable(shortage.reason);
  if (status === 'fenced') return unavailable('The store failed to write and is being reopened.');
  if (status !== 'open') return unavailable('The gateway is shutting down.');
  return undefined;
}

function unavailable(message: string): ProtocolError {
  return new ProtocolError('service_unavailable', `${message} Retry with the same Idempotency-Key.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** Listeners that are called in order; one that throws is logged and never stops the log or the others. */
class Listeners<Args extends readonly unknown[]> {
  readonly #listeners = new Set<(...args: Args) => void>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  add(listener: (...args: Args) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(...args: Args): void {
    runGuarded(
      this.#logger,
      Array.from(this.#listeners, (listener) => () => listener(...args)),
    );
  }
}

/** Runs reactions to something already durable: a failure is logged, stops no other one, and cannot undo the commit. */
function runGuarded(logger: Logger, actions: readonly (() => void)[]): void {
  for (const action of actions)
    try {
      action();
    } catch (error) {
      logger.error({ err: error }, 'a listener of the log failed');
    }
}
