import { keysOf } from '#core/list-page.ts';
import type { CommitSpan, Event, EventLog, StateReader } from '#eventlog/event-log.ts';
import { isNoMark } from '#eventlog/history-mark.ts';
import { refuseKept } from '#eventlog/retention-rules.ts';
import { NO_EVENT } from '#eventlog/segment.ts';
import { type Clock, type Logger, timestamp } from '#protocol/ports.ts';
import { holdOn } from '#resources/hold/held.ts';
import type { Session } from '#resources/session/schema.ts';
import { SessionRemoval } from '#resources/session/session-removal.ts';
import { type SessionFold, sessionKeys } from '#resources/session/state.ts';
import { workspaceKeys } from '#resources/workspace/state.ts';
import { framesOf, KEY_KINDS, keysUnder, lastSegment } from '#store/keys.ts';
import { type Horizons, SessionHistory } from './removable-history.ts';

/** Frames erased at once. */
const PAGE = 200;
/** Sessions removed in one pass over the base: memory holds what belongs to them. */
const SESSIONS = 200;

/** How long events are kept, milliseconds; null: for ever. */
interface RetentionWindow {
  eventsMs: number | null;
  /** For runs of interest; counts where it is longer. */
  interestingMs: number | null;
  /** How long closed sessions are kept, milliseconds since their last event; null: for ever. */
  sessionsMs: number | null;
}

interface RetentionDeps {
  log: EventLog;
  clock: Clock;
  logger: Logger;
  windowOf(workspaceId: string): RetentionWindow;
  /** Runs a removal when no other one is under way. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Least time between two sweeps. */
  intervalMs: number;
}

/**
 * Removes events and replay material of ended runs behind the window, in small transactions of whole runs, and frees their
 * space. Resources stay, but for closed sessions behind their own window, which go whole. A crash in between leaves work for the
 * next sweep, nothing else. See README.md, Retention.
 */
export class RetentionSweep {
  readonly #deps: RetentionDeps;
  #dueAtMs = 0;
  #running: Promise<number> | undefined;
  #stopped = false;
  /** True at first: an earlier process may have left some. */
  #mayHaveSpentCommits = true;
  /** The commits of earlier sweeps that wait for a checkpoint behind them. */
  #ownCommits: CommitSpan | undefined;

  constructor(deps: RetentionDeps) {
    this.#deps = deps;
  }

  /** Sweeps when the interval is over; joins a sweep that runs. Returns the events removed. */
  async runIfDue(): Promise<number> {
    const now = this.#deps.clock.monotonic();
    if (this.#running === undefined && now < this.#dueAtMs) return 0;
    this.#dueAtMs = now + this.#deps.intervalMs;
    this.#running ??= this.#deps
      .inTurn(() => this.#sweep())
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  /** Ends a running sweep after the transaction at hand. */
  async stop(): Promise<void> {
    this.#stopped = true;
    // Its failure was reported to who started it.
    await this.#running?.catch(() => 0);
  }

  async #sweep(): Promise<number> {
    const { log, logger } = this.#deps;
    const swept = new SweptRanges();
    const ended: Session[] = [];
    let removed = 0;
    const from = log.head.commit + 1;
    for await (const key of keysOf(log, workspaceKeys.everyWorkspace)) {
      if (this.#stopped) break;
      removed += await this.#sweepWorkspace(lastSegment(key), swept, ended);
    }
    await this.#removeSessions(ended, swept);
    // What earlier sweeps removed waited for a checkpoint; otherwise the log is not read for nothing.
    if (removed > 0 || this.#mayHaveSpentCommits) {
      const own = this.#ownCommits;
      const waits = own !== undefined && own.through > log.checkpointed;
      const spans = own === undefined || waits ? [] : [own];
      if ((await log.summariseCommits(() => !this.#stopped, spans)) > 0) swept.commits();
      this.#mayHaveSpentCommits = removed > 0 || waits;
      if (removed > 0) this.#ownCommits = { from: waits ? own.from : from, through: log.head.commit };
      else if (!waits) this.#ownCommits = undefined;
    }
    for (const range of swept) if (!this.#stopped) await log.compact(range);
    if (removed === 0) return 0;
    logger.info({ events: removed }, 'retention removed events behind their window');
    return removed;
  }

  /** Adds the closed sessions of which nothing is left to wait for to `ended`. */
  async #sweepWorkspace(workspaceId: string, swept: SweptRanges, ended: Session[]): Promise<number> {
    const { log, windowOf, clock } = this.#deps;
    const { events, sessions, interesting } = horizonsOf(windowOf(workspaceId), clock.now());
    const newest = newestOf(events, sessions);
    if (newest === null) return 0;
    let removed = 0;
    for await (const key of keysOf(log, sessionKeys.sessions(workspaceId))) {
      const session = log.state<SessionFold>(sessionKeys.session(lastSegment(key)))?.resource;
      if (session === undefined || session.created_at >= newest) continue;
      if (this.#isHeld(session.id)({ get: log.state.bind(log) })) continue;
      const isDue = sessions !== null && session.state === 'CLOSED' && session.updated_at < sessions;
      // What is removed whole loses its events with it.
      const horizon = isDue ? newest : events;
      if (horizon !== null)
        removed += await this.#sweepSession(session, { events: horizon, interesting }, swept);
      if (this.#stopped) break;
      if (isDue && (await this.#hasNoEvents(session))) ended.push(session);
    }
    return removed;
  }

  /** All but the mark of what went. */
  async #hasNoEvents({ id }: Session): Promise<boolean> {
    const page = await this.#deps.log.range({ kind: 'session', id }, NO_EVENT, 2);
    return page.every((bytes) => !isNoMark(JSON.parse(bytes.toString()) as Event));
  }

  /** Whether a hold keeps the session. */
  #isHeld(sessionId: string): (states: StateReader) => boolean {
    const now = timestamp(this.#deps.clock.now());
    return (states) => holdOn(states, sessionId, now) !== undefined;
  }

  async #removeSessions(sessions: readonly Session[], swept: SweptRanges): Promise<void> {
    const { log, logger, clock } = this.#deps;
    let removed = 0;
    for (let at = 0; at < sessions.length && !this.#stopped; at += SESSIONS) {
      const removal = new SessionRemoval(log, sessions.slice(at, at + SESSIONS), timestamp(clock.now()));
      removed += await removal.run(
        () => this.#stopped,
        (key) => swept.row(key),
      );
    }
    if (removed > 0)
      logger.info({ sessions: removed }, 'retention removed closed sessions behind their window');
  }

  async #sweepSession(
    session: SessionFold['resource'],
    horizons: Horizons,
    swept: SweptRanges,
  ): Promise<number> {
    const { log } = this.#deps;
    const isKept = this.#isHeld(session.id);
    const history = new SessionHistory(log, horizons, session);
    let removed = 0;
    for (let next = await history.next(); next && !this.#stopped; next = await history.next()) {
      // Frames go first: a sweep that is cut short here finds their run again by its events.
      for (const taskId of next.tasks) {
        if (!(await eraseFrames(log, taskId, isKept))) return removed;
        swept.task(taskId);
      }
      const { firstId, throughId } = next;
      swept.session(session.id, firstId, throughId);
      const removal = { sessionId: session.id, throughId, readsFrom: sourceOfFork, isKept };
      const gone = await log.removeHistory(removal);
      // A hold came meanwhile.
      if (gone === 0) return removed;
      removed += gone;
    }
    return removed;
  }
}

interface WorkspaceHorizons {
  events: string | null;
  interesting: string | null;
  sessions: string | null;
}

function horizonsOf(window: RetentionWindow, now: number): WorkspaceHorizons {
  const at = (ms: number | null) => (ms === null ? null : timestamp(now - ms));
  const { eventsMs, interestingMs, sessionsMs } = window;
  return { events: at(eventsMs), interesting: at(interestingMs), sessions: at(sessionsMs) };
}

function newestOf(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}

/** False where it was to be kept after all. */
export async function eraseFrames(
  log: EventLog,
  taskId: string,
  isKept: (states: StateReader) => boolean,
): Promise<boolean> {
  const range = { ...keysUnder(framesOf(taskId)), limit: PAGE };
  for (let keys = await log.indexKeys(range); keys.length > 0; keys = await log.indexKeys(range)) {
    const batch = keys;
    const isDone = await log.transact({ actor: null }, (tx) => {
      if (isKept(tx)) return false;
      for (const key of batch) {
        refuseKept(key);
        tx.erase(key);
      }
      return true;
    });
    if (!isDone) return false;
  }
  return true;
}

/** A fork begins with a copy of another session's turns. */
export function sourceOfFork({ event, payload }: Event): string | undefined {
  const { forked } = payload as { forked?: { session_id: string } };
  return event === 'session.created' ? forked?.session_id : undefined;
}

/** The key ranges in which a sweep removed something: what is compacted, so that the rest of a large store is left alone. */
class SweptRanges {
  readonly #ranges = new Map<string, { first: string; last: string }>();

  session(id: string, firstEventId: string, lastEventId: string): void {
    this.#note(KEY_KINDS.event.prefix, firstEventId);
    this.#note(KEY_KINDS.event.prefix, lastEventId);
    this.#note(KEY_KINDS.sessionEvent.prefix, id);
  }

  /** Their records go from the beginning of the log, wherever events are left. */
  commits(): void {
    this.#note(KEY_KINDS.commit.prefix, '0');
    this.#note(KEY_KINDS.commit.prefix, '9');
  }

  task(id: string): void {
    this.#note(KEY_KINDS.taskEvent.prefix, id);
    this.#note(KEY_KINDS.frame.prefix, id);
  }

  /** A key, by what stands before its ids. */
  row(key: string): void {
    const [prefix = ''] = /^(p\/)?[^/]+\/([^/]+\/)?/.exec(key) ?? [];
    this.#note(prefix, key.slice(prefix.length));
  }

  *[Symbol.iterator](): Generator<{ gte: string; lte: string }, void> {
    for (const [prefix, { first, last }] of this.#ranges)
      yield { gte: prefix + first, lte: keysUnder(`${prefix}${last}/`).lt };
  }

  #note(prefix: string, id: string): void {
    const { first = id, last = id } = this.#ranges.get(prefix) ?? {};
    this.#ranges.set(prefix, { first: id < first ? id : first, last: id > last ? id : last });
  }
}
