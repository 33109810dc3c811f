import type { DecisionTools } from '#core/facts.ts';
import { nextTurn } from '#core/next-turn.ts';
import type { EventLog, Projection } from '#eventlog/event-log.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { Logger } from '#protocol/ports.ts';
import { isTerminal } from '#protocol/task-states.ts';
import type { Interpret } from '#protocol-client.ts';
import type { VerificationKeys } from '#receipts/verification-keys.ts';
import { loadHistory } from '#resources/replay/load-history.ts';
import { isSampled } from '#resources/replay/sample.ts';
import {
  type CheckOutcome,
  MAX_CHECK_FINDINGS,
  type ReplayCheck,
  type ReplayVerdict,
} from '#resources/replay/schema.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import { keysUnder } from '#store/keys.ts';
import { receiptTampering } from './replay-run.ts';
import { replayedEvents } from './replayed-events.ts';

/** Keys of tasks read at once. */
const PAGE = 1000;
/** Events of a replay between two turns of the event loop. */
const BATCH = 200;

export interface ReplayCheckDeps {
  log: EventLog;
  tools: DecisionTools;
  logger: Logger;
  project: Projection;
  /** What the frames of a route mean, configured or not; undefined when no bridge knows its words. */
  interpretOf(route: string): Interpret | undefined;
  verificationKeys(): VerificationKeys;
  /** RFC 3339 time, now. */
  time(): string;
}

/** What a replay came to. The verdict is null where there is none. */
interface Finding {
  outcome: CheckOutcome;
  verdict: ReplayVerdict | null;
}

/**
 * Replays a sample of the ended Tasks one after another, in memory: nothing is written, and others get their turn in between.
 * Replays among the Tasks are passed over. One whose state cannot be read is tampered.
 */
export class ReplayCheckRun {
  /** Resolves when it is over; never rejects. */
  readonly ended: Promise<void>;
  readonly #deps: ReplayCheckDeps;
  #report: ReplayCheck;
  #stopped = false;

  constructor(deps: ReplayCheckDeps, begun: ReplayCheck) {
    this.#deps = deps;
    this.#report = begun;
    this.ended = this.#run();
  }

  /** As far as it has come. */
  get report(): ReplayCheck {
    return this.#report;
  }

  /** Ends it before its next Task. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.ended;
  }

  async #run(): Promise<void> {
    let status: ReplayCheck['status'] = 'COMPLETED';
    try {
      for await (const taskId of this.#sampled()) {
        const found = await this.#judge(taskId);
        if (found !== undefined) this.#count(taskId, found);
      }
      if (this.#stopped) status = 'FAILED';
    } catch (error) {
      this.#deps.logger.error({ err: error }, 'a replay check ended before its last task');
      status = 'FAILED';
    }
    this.#report = { ...this.#report, status, ended_at: this.#deps.time() };
  }

  async *#sampled(): AsyncGenerator<string, void> {
    const prefix = taskKeys.task('');
    const { gte, lt } = keysUnder(prefix);
    for (let after: string | undefined; ; ) {
      const from = after === undefined ? { gte } : { gt: after };
      const page = await this.#deps.log.indexKeys({ ...from, lt, limit: PAGE });
      for (const key of page) {
        if (this.#stopped) return;
        const taskId = key.slice(prefix.length);
        if (isSampled(taskId, this.#report)) yield taskId;
      }
      after = page.at(-1);
      if (page.length < PAGE) return;
    }
  }

  /** Undefined for a Task that is none of the check. */
  async #judge(taskId: string): Promise<Finding | undefined> {
    await nextTurn();
    try {
      const task = this.#deps.log.state<TaskState>(taskKeys.task(taskId));
      if (task === undefined || !this.#isMeant(task)) return undefined;
      return await this.#replay(taskId, task);
    } catch (error) {
      const { code } = ProtocolError.from(error);
      if (code === 'service_unavailable') throw error;
      if (code === 'resource_locked') return { outcome: 'tampered', verdict: null };
      this.#deps.logger.error({ err: error, task_id: taskId }, 'a replay failed inside the gateway');
      return { outcome: 'failed', verdict: null };
    }
  }

  #isMeant({ resource, internal }: TaskState): boolean {
    const { status, completed_at, canceled_at, updated_at } = resource;
    if (!isTerminal(status) || internal.replay !== undefined) return false;
    return Date.parse(completed_at ?? canceled_at ?? updated_at) >= Date.parse(this.#report.since);
  }

  async #replay(taskId: string, task: TaskState): Promise<Finding> {
    const { log, tools, project, interpretOf, verificationKeys } = this.#deps;
    const { history, missing, tampering } = await loadHistory(log, task);
    if (tampering !== undefined) return { outcome: 'tampered', verdict: tampering };
    if (missing !== undefined) return { outcome: 'incomplete', verdict: null };
    const forged = await receiptTampering(log, verificationKeys(), history, taskId);
    if (forged !== undefined) return { outcome: 'tampered', verdict: forged };
    const interpret = interpretOf(history.route);
    if (interpret === undefined) return { outcome: 'incomplete', verdict: null };
    const prepared = { history, substitutes: new Map(), checkpointEventId: null };
    const run = replayedEvents(prepared, { interpret, tools, projection: project, seed: taskId });
    for (let events = 1; ; events += 1) {
      const step = run.next();
      if (step.done) {
        const { verdict } = step.value;
        return { outcome: verdict.status === 'byte_equal' ? 'byte_equal' : 'diverged', verdict };
      }
      if (events % BATCH === 0) await nextTurn();
    }
  }

  #count(task_id: string, { outcome, verdict }: Finding): void {
    const { tasks, findings } = this.#report;
    const isNamed = outcome === 'diverged' || outcome === 'tampered' || outcome === 'failed';
    this.#report = {
      ...this.#report,
      tasks: { ...tasks, sampled: tasks.sampled + 1, [outcome]: tasks[outcome] + 1 },
      findings:
        isNamed && findings.length < MAX_CHECK_FINDINGS
          ? [...findings, { task_id, outcome, verdict }]
          : findings,
    };
  }
}
