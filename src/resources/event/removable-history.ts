import { idsIn, tasksOfSession } from '#core/list-page.ts';
import type { Event, EventLog } from '#eventlog/event-log.ts';
import { isNoMark } from '#eventlog/history-mark.ts';
import { NO_EVENT } from '#eventlog/segment.ts';
import { isTerminal } from '#protocol/task-states.ts';
import { erasureKeys } from '#resources/erasure/state.ts';
import type { KnownKind } from '#resources/event-payloads.ts';
import { type SessionFold, sessionKeys } from '#resources/session/state.ts';
import type { Task } from '#resources/task/schema.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';

/** Events removed in one transaction: small, so that no request waits behind it. */
const BATCH = 200;
/** Events of a run read at once. */
const PAGE = 500;

/** Times (RFC 3339) before which events go. */
export interface Horizons {
  events: string;
  /** For runs of interest; null: they are never removed. */
  interesting: string | null;
}

interface RemovableHistory {
  firstId: string;
  throughId: string;
  tasks: Set<string>;
}

/**
 * Finds out how much of the beginning of one session may go: events behind the window, in whole runs that have ended. The
 * first event that has to stay ends it, so that what is left of a stream has no hole.
 */
export class SessionHistory {
  readonly #log: EventLog;
  readonly #horizons: Horizons;
  readonly #session: SessionFold['resource'];
  readonly #verdicts = new Map<string, boolean>();
  #newestTask: string | undefined;

  constructor(log: EventLog, horizons: Horizons, session: SessionFold['resource']) {
    this.#log = log;
    this.#horizons = horizons;
    this.#session = session;
  }

  /** The next batch; undefined when nothing (more) may go. */
  async next(): Promise<RemovableHistory | undefined> {
    const { id } = this.#session;
    const page = await this.#log.range({ kind: 'session', id }, NO_EVENT, BATCH);
    const events = page.map((bytes): Event => JSON.parse(bytes.toString())).filter(isNoMark);
    if (events.length > 0) this.#newestTask ??= await this.#findNewestTask();
    const firstId = events[0]?.id ?? NO_EVENT;
    let throughId: string | undefined;
    const tasks = new Set<string>();
    for (const event of events) {
      if (!(await this.#mayGo(event))) break;
      throughId = event.id;
      if (event.task_id !== null) tasks.add(event.task_id);
    }
    return throughId === undefined ? undefined : { firstId, throughId, tasks };
  }

  async #mayGo(event: Event): Promise<boolean> {
    if (event.created_at >= this.#horizons.events) return false;
    if (this.#session.state !== 'CLOSED' && this.#isNewest(event)) return false;
    if (event.event === 'session.thread_forked') return this.#forkIsCut(event);
    return event.task_id === null || (await this.#runMayGo(event.task_id));
  }

  /** An open session keeps its newest run, and its newest event: a client may be reading there. */
  #isNewest({ id, task_id }: Event): boolean {
    return id === this.#session.last_event_id || (task_id !== null && task_id === this.#newestTask);
  }

  /** The fork was folded from this transcript, so its own history goes first, or went with it. */
  #forkIsCut({ payload }: Event): boolean {
    const fork = String(payload['session_id']);
    return this.#log.isCut(fork) || this.#log.state(sessionKeys.session(fork)) === undefined;
  }

  async #runMayGo(taskId: string): Promise<boolean> {
    const known = this.#verdicts.get(taskId);
    if (known !== undefined) return known;
    const verdict = await this.#judgeRun(taskId);
    this.#verdicts.set(taskId, verdict);
    return verdict;
  }

  async #judgeRun(taskId: string): Promise<boolean> {
    const task = this.#log.state<TaskState>(taskKeys.task(taskId));
    // Of a run that an erasure took out of its Session the events are left, and nothing of interest.
    const isErased = task === undefined && this.#log.state(erasureKeys.erased(taskId)) !== undefined;
    if (!isErased && (task === undefined || !isTerminal(task.resource.status))) return false;
    let interesting = task !== undefined && (endedBadly(task.resource) || wasReplayed(task.internal));
    let last = '';
    for (let after = NO_EVENT, size = PAGE; size === PAGE; ) {
      const page = await this.#log.range({ kind: 'task', id: taskId }, after, PAGE);
      const events = page.map((bytes): Event => JSON.parse(bytes.toString()));
      interesting ||= !isErased && events.some(isOfInterest);
      last = events.at(-1)?.created_at ?? last;
      after = events.at(-1)?.id ?? after;
      size = events.length;
    }
    return this.#isBehind(last, interesting);
  }

  #isBehind(time: string, interesting: boolean): boolean {
    const { events, interesting: longer } = this.#horizons;
    return time < events && (!interesting || (longer !== null && time < longer));
  }

  async #findNewestTask(): Promise<string | undefined> {
    const list = tasksOfSession(this.#log, this.#session.id);
    const [newest] = await idsIn(this.#log, list, { reverse: true, limit: 1 });
    return newest;
  }
}

/**
 * Events that make a run worth keeping longer: somebody will want to know why. A new kind that stands for a failed check, a
 * loop guard or a refused or destructive action belongs here. See README.md, Retention.
 */
const OF_INTEREST: ReadonlySet<string> = new Set<KnownKind>([
  'task.auth_required',
  'user.cancel_requested',
  'user.tool_confirmation',
  'tool.approval_required',
  'tool.approved',
  'tool.denied',
  'tool.failed',
  'vendor.harn_gateway.policy_decided',
  'span.failed',
  'receipt.verification_failed',
  'replay.started',
  'replay.event_replayed',
  'replay.completed',
  'replay.failed',
  'session.replayed',
]);

/** Somebody wanted to see the run again. */
function wasReplayed({ replays }: TaskState['internal']): boolean {
  return replays !== undefined;
}

/** A run that did not simply succeed. */
function endedBadly({ status }: Pick<Task, 'status'>): boolean {
  return status === 'FAILED' || status === 'CANCELED';
}

function isOfInterest({ event, payload }: Event): boolean {
  if (event === 'vendor.harn_gateway.permission_requested') return asksForPermission(payload);
  return OF_INTEREST.has(event);
}

/** A question for more input is no approval. */
function asksForPermission(payload: Event['payload']): boolean {
  const { permission_request } = payload as { permission_request?: { request?: { kind?: string } } };
  return permission_request?.request?.kind !== 'elicitation';
}
