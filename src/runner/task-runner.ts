import type { DecisionTools, RunFacts } from '#core/facts.ts';
import { unlessDamaged } from '#core/unless-damaged.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { isTerminal } from '#protocol/task-states.ts';
import type { Frame, PermissionAnswer, ProtocolClient } from '#protocol-client.ts';
import { endHalted, haltOfTask, targetsInForce } from '#resources/halt/end-halted.ts';
import { openRequestsOf, waitsInTurn } from '#resources/permission/permission-request.ts';
import { settleByRule } from '#resources/permission/settle-request.ts';
import { endBeyondCeiling } from '#resources/permission-rule/cost-ceiling.ts';
import { excessFailure } from '#resources/quota/check-quotas.ts';
import { laneIsBusy } from '#resources/session/session-lane.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import type { CancelReport } from '#resources/task/events.ts';
import { moveTask } from '#resources/task/move-task.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { type CleanWorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import { openRecorder } from './frame-recorder.ts';
import { recoverTask } from './recover.ts';
import { ReplayRun } from './replay/replay-run.ts';
import type { RunnerDeps } from './runner-deps.ts';
import { forwardCancel, type Run, TaskRun } from './task-run.ts';

const UNNAMED = 'The agent has not named its task yet.';
/** Tasks of a halted agent that are ended together, so that they share commits. */
const ENDED_AT_ONCE = 100;
/** How many open tasks recovery reads at once. */
const RECOVERY_PAGE = 500;

/** Starts accepted tasks, runs their turns, cancels them, and takes them up again after a restart. */
export class TaskRunner implements RunFacts {
  readonly #deps: RunnerDeps;
  readonly #lanes: Lanes;
  readonly #runs = new Map<string, Run>();
  /** How often open requests are to be looked at again, since that was done last. */
  #sweeps = 0;
  /** The client that an open task began with: it ends there, also when a reload has put another one in its place. */
  readonly #begun = new Map<string, ProtocolClient>();
  /** Sessions whose next task is about to start. */
  readonly #starting = new Set<string>();
  /** Called with the id of each task that leaves the queue. */
  readonly #awaited = new Map<string, () => void>();
  readonly #background = new Set<Promise<void>>();
  readonly #overheard: Overheard;
  #draining = false;
  /** Aborted by a drain. */
  readonly #leaving = new AbortController();

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    this.#lanes = new Lanes(deps.limits);
    this.#overheard = new Overheard(deps);
    for (const client of deps.clients.values()) this.adopt(client);
  }

  /** Takes what a client hears between turns. To call once for each, before its first turn. */
  adopt(client: ProtocolClient): void {
    client.listen?.((taskId, frame) => this.#overhear(client, taskId, frame));
  }

  /** Whether an open task began with this client. */
  serves(client: ProtocolClient): boolean {
    return [...this.#begun.values()].includes(client);
  }

  hasSlot(route: string): boolean {
    return !this.#draining && this.#lanes.hasSlot(route);
  }

  queued(): number {
    return this.#lanes.waitingCount;
  }

  running(): number {
    return this.#lanes.runningCount;
  }

  hasShare(tenant: string, length: number): boolean {
    return this.#lanes.hasShare(tenant, length);
  }

  claim(taskId: string, waiting: Waiting, startsNow: boolean): void {
    if (startsNow) this.#lanes.take(taskId, waiting.route, waiting.tenant);
    else this.#lanes.wait(taskId, waiting);
  }

  /**
   * Waits until a task has left the queue, for `acceptWaitMs` at most, or until the caller goes away. Returns the task as it
   * is then; undefined while it still waits.
   */
  async awaitStart(taskId: string, signal: AbortSignal): Promise<CleanTaskState['resource'] | undefined> {
    const { acceptWaitMs } = this.#deps.limits;
    if (acceptWaitMs === 0 || this.#draining) return undefined;
    const ends = [signal, this.#deps.timeoutSignal(acceptWaitMs)];
    return new Promise((resolve) => {
      const settle = () => {
        this.#awaited.delete(taskId);
        for (const end of ends) end.removeEventListener('abort', settle);
        const resource = this.#intact(() => this.#task(taskId)?.resource, undefined);
        resolve(resource?.status === 'SUBMITTED' ? undefined : resource);
      };
      if (signal.aborted || this.#task(taskId)?.resource.status !== 'SUBMITTED') return settle();
      this.#awaited.set(taskId, settle);
      for (const end of ends) end.addEventListener('abort', settle, { once: true });
    });
  }

  wake(taskId: string, messageId?: string): void {
    const task = this.#task(taskId);
    if (!task || isTerminal(task.resource.status)) {
      this.#awaited.get(taskId)?.();
      this.#lanes.forget(taskId);
      if (!this.#runs.has(taskId)) this.#end(taskId);
      this.#startWaiting();
      return;
    }
    if (task.resource.status === 'WORKING')
      this.#launch(task, task.internal.binding === null ? 'start' : 'continue', messageId);
    if (task.resource.status === 'SUBMITTED') {
      this.#wait(task);
      this.#startWaiting();
    }
  }

  /** After a restart no turn waits any more: the task is taken up again like one that worked. */
  answer(taskId: string, answer: PermissionAnswer): void {
    const { mayAct } = this.#deps;
    if (mayAct === undefined) this.#answerNow(taskId, answer);
    else
      this.#track(
        mayAct(this.#leaving.signal).then(() => void (this.#draining || this.#answerNow(taskId, answer))),
      );
  }

  #answerNow(taskId: string, answer: PermissionAnswer): void {
    const task = this.#task(taskId);
    if (!task) return;
    const client = this.#clientOf(task);
    if (this.#runs.has(taskId) && client?.answer?.(taskId, answer)) return;
    if (task.resource.status === 'WORKING') this.#track(this.#recover(taskId));
  }

  answerByRule(taskId: string): void {
    if (!this.#draining) this.#track(this.#answerByRule(taskId));
  }

  endBeyondCeiling(taskId: string): void {
    this.#track(this.#endBeyondCeiling(taskId));
  }

  async #endBeyondCeiling(taskId: string): Promise<void> {
    const ended = await this.#deps.log.transact({ actor: null }, (tx) =>
      endBeyondCeiling(tx, this.#deps.tools, taskId),
    );
    if (!ended) return;
    this.forwardCancel(taskId);
    this.wake(taskId);
  }

  /** Reads which halts are in force; to call at the start, too. */
  haltsChanged(): void {
    const { log, tools } = this.#deps;
    tools.self.halts.inForce = this.#intact(() => targetsInForce({ get: log.state.bind(log) }), undefined);
  }

  /**
   * Ends every task of what is halted, running or waiting, and waits, bounded, until their agents have let go. Returns how many
   * were ended. Questions about halted tools are answered with no.
   */
  async endHalted(): Promise<number> {
    this.answerOpen();
    const ended: string[] = [];
    let group: Promise<unknown>[] = [];
    for await (const taskId of this.#openTasks()) {
      group.push(this.#endHalted(taskId).then((isEnded) => isEnded && ended.push(taskId)));
      if (group.length < ENDED_AT_ONCE) continue;
      await Promise.all(group);
      group = [];
    }
    await Promise.all(group);
    const runs = ended.flatMap((taskId) => this.#runs.get(taskId) ?? []);
    const late = this.#deps.timeoutSignal(this.#deps.limits.cancelWaitMs);
    await Promise.all(runs.map((run) => run.endedOr(late)));
    return ended.length;
  }

  async #endHalted(taskId: string): Promise<boolean> {
    const { log, tools } = this.#deps;
    const task = this.#intact(() => this.#task(taskId), undefined);
    if (task === undefined || haltOfTask(tools.self.halts, task) === undefined) return false;
    const isEnded = await log.transact({ actor: null }, (tx) => endHalted(tx, tools, taskId));
    if (!isEnded) return false;
    this.forwardCancel(taskId);
    this.wake(taskId);
    return true;
  }

  answerOpen(): void {
    this.#sweeps += 1;
    if (this.#sweeps === 1 && !this.#draining) this.#track(this.#answerAll());
  }

  /** Once more where a rule was made meanwhile, however many were. */
  async #answerAll(): Promise<void> {
    try {
      for (let seen = 0; seen !== this.#sweeps && !this.#draining; ) {
        seen = this.#sweeps;
        for await (const taskId of this.#openTasks()) await this.#answerByRule(taskId);
      }
    } finally {
      this.#sweeps = 0;
    }
  }

  /** Lets rules and policy answer what a task waits for, where they do. */
  async #answerByRule(taskId: string): Promise<void> {
    const reader = { get: this.#deps.log.state.bind(this.#deps.log) };
    if (this.#intact(() => openRequestsOf(reader, taskId).length === 0, true)) return;
    await this.#deps.log.transact({ actor: null }, (tx) => {
      for (const request of openRequestsOf(tx, taskId)) settleByRule(tx, this.#deps.tools, request);
    });
  }

  forwardCancel(taskId: string): void {
    this.#awaited.get(taskId)?.();
    this.#lanes.forget(taskId);
    const run = this.#runs.get(taskId);
    if (run) run.stopCanceled();
    const task = this.#task(taskId);
    const client = task && this.#clientOf(task);
    if (!run) this.#begun.delete(taskId);
    if (!task || task.internal.binding === null) return;
    this.#track(forwardCancel(this.#deps, client, task).then(() => undefined));
  }

  /**
   * Asks the agent of a working task to cancel and waits, bounded, until the task has ended. Resolves with what is known of an
   * agent that did not confirm it.
   */
  async cancel(taskId: string): Promise<CancelReport | undefined> {
    const run = this.#runs.get(taskId);
    const signal = this.#deps.timeoutSignal(this.#deps.limits.cancelWaitMs);
    await run?.takenOr(signal);
    const task = this.#task(taskId);
    if (!task || isTerminal(task.resource.status)) return undefined;
    const report =
      task.internal.binding === null ? this.#unnamed(task) : await this.#forwarded(task, run, signal);
    // Some agents leave the stream of a task open that they have canceled.
    if (!this.#isOver(taskId)) await run?.endedOr(signal);
    run?.stopCanceled();
    return report;
  }

  #isOver(taskId: string): boolean {
    return isTerminal(this.#task(taskId)?.resource.status ?? 'FAILED');
  }

  /** There are agents that end the task in its stream and leave the cancel itself without an answer. */
  #forwarded(
    task: CleanTaskState,
    run: Run | undefined,
    signal: AbortSignal,
  ): Promise<CancelReport | undefined> {
    const forwarded = forwardCancel(this.#deps, this.#clientOf(task), task, signal);
    if (!run) return forwarded;
    this.#track(forwarded.then(() => undefined));
    const isOver = () => this.#isOver(task.resource.id);
    return Promise.race([forwarded, run.ended.then(() => (isOver() ? undefined : forwarded))]);
  }

  /** An agent that knows its task by a name is not asked to cancel before it gave that name. */
  #unnamed(task: CleanTaskState): CancelReport | undefined {
    const client = this.#clientOf(task);
    return client?.cancelsByBinding ? { agent: 'not_reached', because: UNNAMED } : undefined;
  }

  /** Takes up every open task that does not run: at the start, and after the store was reopened. */
  async recover(): Promise<void> {
    this.#lanes.keepOnly(new Set(this.#runs.keys()));
    this.haltsChanged();
    for await (const taskId of this.#openTasks())
      await this.#recover(taskId).catch((error: unknown) => this.#reportDamage(error));
    this.#startWaiting();
  }

  /** Ids of the tasks that have not ended. */
  async *#openTasks(): AsyncGenerator<string> {
    const prefix = taskKeys.openTasks;
    for (let after: string | undefined = prefix; after !== undefined; ) {
      const range = { gt: after, lt: `${prefix}~`, limit: RECOVERY_PAGE };
      const keys: string[] = await this.#deps.log.indexKeys(range).catch((error: unknown) => {
        this.#reportDamage(error);
        return [];
      });
      for (const key of keys) yield key.slice(prefix.length);
      after = keys.length < RECOVERY_PAGE ? undefined : keys.at(-1);
    }
  }

  /** Resolves when no turn of a Session runs any more. To ask for one that is closed. */
  async settled(sessionId: string): Promise<void> {
    const own = [...this.#runs].filter(([id]) => this.#task(id)?.resource.session_id === sessionId);
    await Promise.allSettled(own.map(([, run]) => run.ended));
  }

  /** Stops taking work and lets go of running turns; the tasks stay as they are and are taken up by the next start. */
  async drain(): Promise<void> {
    this.#draining = true;
    this.#leaving.abort();
    for (const settle of [...this.#awaited.values()]) settle();
    for (const run of this.#runs.values()) run.stop();
    await Promise.allSettled([...[...this.#runs.values()].map((run) => run.ended), ...this.#background]);
  }

  async #recover(taskId: string): Promise<void> {
    const task = this.#task(taskId);
    if (!task || this.#runs.has(taskId)) return;
    if (this.#deps.tools.self.halts.inForce && (await this.#endHalted(taskId))) return;
    const action = recoverTask(task, {
      routeExists: this.#clientOf(task) !== undefined,
      waitsInTurn: waitsInTurn({ get: this.#deps.log.state.bind(this.#deps.log) }, task),
    });
    if (action.kind === 'wait') this.#wait(task);
    if (action.kind === 'stay') this.#begin(task);
    if (action.kind === 'reattach') this.#launch(task, 'reattach');
    // A rule may have been made just before the stop.
    if (action.kind === 'stay') await this.#answerByRule(taskId);
    if (action.kind !== 'fail') return;
    await this.#deps.log.transact({ actor: null }, (tx) =>
      moveTask(tx, this.#deps.tools, taskId, 'FAILED', {
        failure: this.#deps.tools.redact(action.failure).value,
      }),
    );
  }

  #wait({ resource, internal: { route } }: CleanTaskState): void {
    const { id, session_id: sessionId, workspace_id } = resource;
    const workspace = this.#deps.log.state<CleanWorkspaceState>(workspaceKeys.workspace(workspace_id));
    this.#lanes.wait(id, { tenant: workspace?.internal.tenant ?? '', sessionId, route });
  }

  #startWaiting(): void {
    if (this.#draining) return;
    const reader = { get: this.#deps.log.state.bind(this.#deps.log) };
    const free = (sessionId: string) =>
      !this.#starting.has(sessionId) && !this.#intact(() => laneIsBusy(reader, sessionId), true);
    for (const taskId of this.#lanes.startable(free)) this.#track(this.#start(taskId));
  }

  /** Leaves a task waiting that is not durable yet, or whose slot another one took meanwhile. */
  async #start(taskId: string): Promise<void> {
    const waiting = this.#task(taskId);
    if (!waiting || !this.#lanes.hasSlot(waiting.internal.route)) return;
    const { session_id } = waiting.resource;
    this.#lanes.take(taskId, waiting.internal.route);
    this.#starting.add(session_id);
    const started = await this.#recordStart(taskId).finally(() => {
      this.#starting.delete(session_id);
      this.#lanes.release(taskId);
    });
    this.#awaited.get(taskId)?.();
    const task = this.#task(taskId);
    if (started && task) this.#launch(task, 'start');
    else this.#startWaiting();
  }

  #recordStart(taskId: string): Promise<boolean> {
    return this.#deps.log.transact({ actor: null }, (tx) => {
      const task = tx.get<CleanTaskState>(taskKeys.task(taskId));
      if (task?.resource.status !== 'SUBMITTED') return false;
      const failure = excessFailure(tx, this.#deps.tools, task);
      if (failure) moveTask(tx, this.#deps.tools, taskId, 'FAILED', { failure });
      else moveTask(tx, this.#deps.tools, taskId, 'WORKING');
      return failure === undefined;
    });
  }

  #launch(task: CleanTaskState, kind: 'start' | 'continue' | 'reattach', messageId?: string): void {
    if (this.#draining) return;
    const { id } = task.resource;
    const client = this.#begin(task);
    const { preceding, turn_message, route } = task.internal;
    const messages =
      kind === 'reattach' ? [] : messageId === undefined ? [...preceding, turn_message] : [messageId];
    this.#lanes.take(id, route);
    const before = this.#runs.get(id);
    const run = task.internal.replay
      ? new ReplayRun(this.#deps, id)
      : new TaskRun(inSession(this.#deps, task.resource.session_id), client, {
          taskId: id,
          kind,
          messages,
          before,
          moveTo: (other) => this.#move(id, other),
        });
    this.#runs.set(id, run);
    this.#track(
      run.ended.then(
        () => this.#leave(id, run),
        (error: unknown) => this.#fallOut(id, run, error),
      ),
    );
  }

  /** The task goes on at the agent of another route, in a slot of that one. */
  #move(taskId: string, route: string): ProtocolClient | undefined {
    const client = this.#deps.clients.get(route);
    if (client === undefined) return undefined;
    this.#begun.set(taskId, client);
    this.#lanes.release(taskId);
    this.#lanes.take(taskId, route);
    return client;
  }

  #leave(taskId: string, run: Run): void {
    if (this.#runs.get(taskId) !== run) return;
    this.#runs.delete(taskId);
    if (this.#isOver(taskId)) this.#end(taskId);
    else this.#lanes.release(taskId);
    this.#startWaiting();
  }

  #clientOf({ resource, internal }: CleanTaskState): ProtocolClient | undefined {
    return this.#begun.get(resource.id) ?? this.#deps.clients.get(internal.route);
  }

  #begin(task: CleanTaskState): ProtocolClient | undefined {
    const client = this.#clientOf(task);
    if (client !== undefined) this.#begun.set(task.resource.id, client);
    return client;
  }

  #end(taskId: string): void {
    this.#begun.delete(taskId);
    this.#lanes.release(taskId);
  }

  /**
   * The store refused the turn. The recovery after the reopening takes the task up again, unless it has passed already:
   * it leaves alone what is still running then.
   */
  async #fallOut(taskId: string, run: Run, error: unknown): Promise<void> {
    this.#report(error);
    this.#leave(taskId, run);
    const { status, integrity } = this.#deps.log;
    const isOver = ProtocolError.from(error).code === 'service_unavailable' && status === 'open';
    if (isOver && integrity.status === 'ok') await this.#recover(taskId);
  }

  #intact<T>(read: () => T, otherwise: T): T {
    return unlessDamaged(read, otherwise, (error) => this.#reportDamage(error));
  }

  #reportDamage(error: unknown): void {
    if (ProtocolError.from(error).code !== 'resource_locked') throw error;
    this.#deps.logger.error({ err: error }, 'damaged tasks or sessions are left alone; the others go on');
  }

  #task(taskId: string): CleanTaskState | undefined {
    return this.#deps.log.state<CleanTaskState>(taskKeys.task(taskId));
  }

  /** Records what the agent says while no turn runs; resolves when that is done, or reported as refused by the store. */
  #overhear(client: ProtocolClient, taskId: string, frame: Frame): Promise<void> {
    const before = this.#runs.get(taskId)?.ended ?? Promise.resolve();
    return this.#track(this.#overheard.take(client, taskId, frame, before));
  }

  #track(work: Promise<void>): Promise<void> {
    const done = work
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#background.delete(done);
      });
    this.#background.add(done);
    return done;
  }

  /** A fenced store refuses the runner like everybody else; the tasks are taken up again after reopening. */
  #report(error: unknown): void {
    const fault = ProtocolError.from(error);
    const level = fault.code === 'service_unavailable' ? 'warn' : 'error';
    this.#deps.logger[level]({ err: error, code: fault.code }, 'a task run stopped');
  }
}

/** A task that waits to start. */
interface Waiting {
  tenant: string;
  sessionId: string;
  route: string;
}

interface LaneLimits {
  perRoute: (route: string) => number;
  total: number;
}

/**
 * Which tasks run and which wait. A session is a lane with one working task at a time, and its tasks start in the order in which
 * they were accepted; slots bound what runs per route and in all. Free slots go round among the tenants, and within a tenant round
 * among its sessions, so that nobody waits for all that another one has in the queue.
 */
export class Lanes {
  readonly #waiting = new Map<string, Waiting>();
  /** Ids of the waiting tasks of each session, oldest first. */
  readonly #lanes = new Map<string, Set<string>>();
  /** Sessions that wait, by tenant and by the route of their oldest task. */
  readonly #tenants = new Map<string, Map<string, Set<string>>>();
  /** When each tenant had its last turn, also one that has nothing waiting now: there are as many as are configured. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  /** Waiting tasks of each tenant. */
  readonly #counts = new Map<string, number>();
  readonly #running = new Map<string, string>();
  readonly #perRoute = new Map<string, number>();
  readonly #limits: LaneLimits;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  hasSlot(route: string): boolean {
    return (
      this.#running.size < this.#limits.total &&
      (this.#perRoute.get(route) ?? 0) < this.#limits.perRoute(route)
    );
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /** Whether a tenant has less than its share of a queue of this length in it. */
  hasShare(tenant: string, length: number): boolean {
    const own = this.#counts.get(tenant) ?? 0;
    return own < length / (this.#counts.size + Number(own === 0));
  }

  /** One that waits already keeps its place. */
  wait(taskId: string, waiting: Waiting): void {
    if (this.#waiting.has(taskId)) return;
    const { tenant, sessionId, route } = waiting;
    this.#waiting.set(taskId, waiting);
    this.#counts.set(tenant, (this.#counts.get(tenant) ?? 0) + 1);
    const lane = this.#lanes.get(sessionId);
    if (lane !== undefined) {
      lane.add(taskId);
      return;
    }
    this.#lanes.set(sessionId, new Set([taskId]));
    this.#enlist(tenant, route, sessionId);
  }

  forget(taskId: string): void {
    const waiting = this.#waiting.get(taskId);
    if (waiting === undefined) return;
    const { tenant, sessionId } = waiting;
    this.#waiting.delete(taskId);
    const left = (this.#counts.get(tenant) ?? 1) - 1;
    if (left === 0) this.#counts.delete(tenant);
    else this.#counts.set(tenant, left);
    const lane = this.#lanes.get(sessionId);
    const wasFirst = lane !== undefined && headOf(lane) === taskId;
    lane?.delete(taskId);
    if (!wasFirst) return;
    this.#delist(waiting);
    const next = this.#waiting.get(headOf(lane) ?? '');
    if (next === undefined) this.#lanes.delete(sessionId);
    else this.#enlist(next.tenant, next.route, sessionId);
  }

  /** Takes a slot; a task that has one keeps it. It is a turn of its tenant, which is known of one that waits. */
  take(taskId: string, route: string, tenant = this.#waiting.get(taskId)?.tenant): void {
    if (this.#waiting.has(taskId)) this.forget(taskId);
    if (this.#running.has(taskId)) return;
    if (tenant !== undefined) {
      this.#turn += 1;
      this.#turns.set(tenant, this.#turn);
    }
    this.#running.set(taskId, route);
    this.#perRoute.set(route, (this.#perRoute.get(route) ?? 0) + 1);
  }

  /** Forgets what was claimed or begun for tasks other than these. */
  keepOnly(taskIds: ReadonlySet<string>): void {
    for (const taskId of [...this.#running.keys()]) if (!taskIds.has(taskId)) this.release(taskId);
    for (const kept of [this.#waiting, this.#lanes, this.#tenants, this.#counts]) kept.clear();
  }

  release(taskId: string): void {
    const route = this.#running.get(taskId);
    if (route === undefined) return;
    this.#running.delete(taskId);
    this.#perRoute.set(route, (this.#perRoute.get(route) ?? 1) - 1);
  }

  /**
   * Waiting tasks that can start now, one tenant after the other: the oldest of a free session whose route has a slot. Each is to be
   * taken before the next one is asked for; one that is not is passed over.
   */
  *startable(sessionIsFree: (sessionId: string) => boolean): Generator<string> {
    const passed = new Set<string>();
    const lastTurn = (tenant: string) => this.#turns.get(tenant) ?? 0;
    let tenants = [...this.#tenants.keys()].sort((one, other) => lastTurn(one) - lastTurn(other));
    while (tenants.length > 0) {
      const more: string[] = [];
      for (const tenant of tenants) {
        if (this.#running.size >= this.#limits.total) return;
        const taskId = this.#next(tenant, passed, sessionIsFree);
        if (taskId === undefined) continue;
        more.push(tenant);
        yield taskId;
      }
      tenants = more;
    }
  }

  /** The next task of a tenant. What is passed over once is not looked at again. */
  #next(tenant: string, passed: Set<string>, sessionIsFree: (sessionId: string) => boolean) {
    for (const [route, sessions] of this.#tenants.get(tenant) ?? []) {
      if (!this.hasSlot(route)) continue;
      for (const sessionId of sessions) {
        if (passed.has(sessionId)) continue;
        passed.add(sessionId);
        const lane = this.#lanes.get(sessionId);
        if (lane !== undefined && sessionIsFree(sessionId)) return headOf(lane);
      }
    }
    return undefined;
  }

  #enlist(tenant: string, route: string, sessionId: string): void {
    const routes = this.#tenants.get(tenant) ?? new Map<string, Set<string>>();
    this.#tenants.set(tenant, routes);
    const sessions = routes.get(route) ?? new Set<string>();
    routes.set(route, sessions.add(sessionId));
  }

  #delist({ tenant, route, sessionId }: Waiting): void {
    const routes = this.#tenants.get(tenant);
    const sessions = routes?.get(route);
    sessions?.delete(sessionId);
    if (sessions?.size === 0) routes?.delete(route);
    if (routes?.size === 0) this.#tenants.delete(tenant);
  }
}

function headOf(lane: ReadonlySet<string>): string | undefined {
  const [head] = lane;
  return head;
}

/** The same for what one Session records: its own secrets are hidden in it too. */
function inSession(deps: RunnerDeps, sessionId: string | undefined): RunnerDeps {
  const { inputs } = deps.tools;
  const redact: DecisionTools['redact'] = (value) =>
    inputs.isEmpty ? deps.tools.redact(value) : inputs.redact(sessionId, value);
  return { ...deps, redactFrame: redact, tools: { ...deps.tools, redact } };
}

/** What agents say while no turn runs, on its way into the log: in the order it came, in the task that ran last. */
class Overheard {
  readonly #deps: RunnerDeps;
  /** By task. */
  readonly #open = new Map<string, { frames: Frame[]; recorded: Promise<void> }>();

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /** `before`: the turn of the task, whose frames go first. Resolves when what came meanwhile is durable too. */
  take(client: ProtocolClient, taskId: string, frame: Frame, before: Promise<void>): Promise<void> {
    const open = this.#open.get(taskId);
    if (open !== undefined) {
      open.frames.push(frame);
      return open.recorded;
    }
    const frames = [frame];
    const recorded = this.#recordAll(client, taskId, frames, before);
    this.#open.set(taskId, { frames, recorded });
    return recorded;
  }

  async #recordAll(
    client: ProtocolClient,
    taskId: string,
    frames: Frame[],
    before: Promise<void>,
  ): Promise<void> {
    try {
      await before.catch(() => undefined);
      while (frames.length > 0) await this.#record(client, taskId, frames);
    } finally {
      this.#open.delete(taskId);
    }
  }

  /** Of a Session that is closed nothing is kept. */
  async #record(client: ProtocolClient, taskId: string, frames: Frame[]): Promise<void> {
    if (this.#isClosed(taskId)) {
      frames.length = 0;
      return;
    }
    const sessionId = this.#deps.log.state<CleanTaskState>(taskKeys.task(taskId))?.resource.session_id;
    const deps = inSession(this.#deps, sessionId);
    const recorder = await openRecorder(deps, client, { taskId, isStarting: false, sent: [] });
    try {
      for (const frame of frames.splice(0)) await recorder.take(frame);
    } finally {
      await recorder.finish();
    }
  }

  #isClosed(taskId: string): boolean {
    const { log } = this.#deps;
    const sessionId = log.state<CleanTaskState>(taskKeys.task(taskId))?.resource.session_id;
    const session = sessionId && log.state<CleanSessionFold>(sessionKeys.session(sessionId));
    return !session || session.resource.state === 'CLOSED';
  }
}
