import { randomUUID } from 'node:crypto';
import { type Json, said, text } from './conformance-mcp-content.ts';

export const TASKS = 'io.modelcontextprotocol/tasks';

interface FixtureTask {
  taskId: string;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  createdAt: string;
  lastUpdatedAt: string;
  result?: object;
  error?: { code: number; message: string };
  inputRequests?: Record<string, object>;
}

/** What a task-supporting tool does: ends by itself after a time, or waits for answers first. */
interface Plan {
  ms?: number;
  asks?: readonly string[];
  end(answers: Json): Pick<FixtureTask, 'result' | 'error'>;
}

/** The tools of the tasks extension that the suite calls. `required`: they cannot run without a task. */
export const TASK_TOOLS: Readonly<Record<string, { required: boolean; plan(input: Json): Plan }>> = {
  slow_compute: {
    required: false,
    plan: ({ seconds, label }) => ({
      ms: Number(seconds) * 1000,
      end: () => ({ result: said(text(`Computed ${label}.`)) }),
    }),
  },
  failing_job: {
    required: true,
    plan: () => ({ ms: 50, end: () => ({ result: { ...said(text('The job failed.')), isError: true } }) }),
  },
  protocol_error_job: {
    required: true,
    plan: () => ({ ms: 50, end: () => ({ error: { code: -32603, message: 'The job broke down.' } }) }),
  },
  confirm_delete: {
    required: true,
    plan: ({ filename }) => ({
      asks: ['confirm'],
      end: () => ({ result: said(text(`Deleted ${filename}.`)) }),
    }),
  },
  multi_input: {
    required: true,
    plan: () => ({
      asks: ['first', 'second'],
      end: (answers) => ({ result: said(text(`Got ${Object.keys(answers).join(' and ')}.`)) }),
    }),
  },
};

const ask = (message: string) => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } } },
  },
});

/** The tasks of a server of the revision 2026-07-28, kept in memory for as long as it runs. */
export class FixtureTasks {
  readonly #tasks = new Map<
    string,
    { task: FixtureTask; plan: Plan; answers: Json; timer?: NodeJS.Timeout }
  >();

  /** A CreateTaskResult. */
  create(plan: Plan): object {
    const now = new Date().toISOString();
    const task: FixtureTask = {
      taskId: `task-${randomUUID()}`,
      status: 'working',
      createdAt: now,
      lastUpdatedAt: now,
    };
    const kept: { task: FixtureTask; plan: Plan; answers: Json; timer?: NodeJS.Timeout } = {
      task,
      plan,
      answers: {},
    };
    this.#tasks.set(task.taskId, kept);
    if (plan.asks === undefined) kept.timer = setTimeout(() => this.#end(kept), plan.ms ?? 0);
    else {
      task.status = 'input_required';
      task.inputRequests = Object.fromEntries(plan.asks.map((key) => [key, ask(`Please answer ${key}.`)]));
    }
    return { resultType: 'task', ...BOUNDS, ...task, status: 'working', inputRequests: undefined };
  }

  last(): FixtureTask | undefined {
    return [...this.#tasks.values()].at(-1)?.task;
  }

  get(taskId: unknown): object {
    return { resultType: 'complete', ...BOUNDS, ...this.#of(taskId).task };
  }

  update(taskId: unknown, responses: Json): object {
    const kept = this.#of(taskId);
    const open = kept.task.inputRequests ?? {};
    for (const [key, response] of Object.entries(responses)) {
      if (!(key in open)) continue;
      delete open[key];
      kept.answers[key] = response;
    }
    if (kept.task.status === 'input_required' && Object.keys(open).length === 0) this.#end(kept);
    return { resultType: 'complete' };
  }

  cancel(taskId: unknown): object {
    const { task, timer } = this.#of(taskId);
    clearTimeout(timer);
    if (task.status === 'working' || task.status === 'input_required') task.status = 'cancelled';
    delete task.inputRequests;
    return { resultType: 'complete' };
  }

  close(): void {
    for (const { timer } of this.#tasks.values()) clearTimeout(timer);
  }

  #of(taskId: unknown) {
    const kept = this.#tasks.get(String(taskId));
    if (kept !== undefined) return kept;
    throw Object.assign(new Error(`Unknown task: ${taskId}`), { code: -32602 });
  }

  #end({ task, plan, answers }: { task: FixtureTask; plan: Plan; answers: Json }): void {
    delete task.inputRequests;
    Object.assign(task, plan.end(answers));
    task.status = task.error === undefined ? 'completed' : 'failed';
    task.lastUpdatedAt = new Date().toISOString();
  }
}

const BOUNDS = { ttlMs: 600_000, pollIntervalMs: 100 };
