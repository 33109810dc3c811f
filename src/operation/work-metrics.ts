import type { Event, EventLog, StoredEvent, WrittenGroup } from '#eventlog/event-log.ts';
import type { Gateway } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { Clock } from '#protocol/ports.ts';
import { isTerminal } from '#protocol/task-states.ts';
import type { ReportedUsage, UsageFigures } from '#protocol/usage.ts';
import { usedSince } from '#protocol/usage.ts';
import type { KnownKind, PayloadOf } from '#resources/event-payloads.ts';
import type { CommandId, QueryId } from '#resources/operations.ts';
import { type CleanPermissionRequestState, permissionKeys } from '#resources/permission/state.ts';
import type { Post } from '#resources/push/delivery.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import type { Face } from './metric-table.ts';
import type { Recorder } from './metrics.ts';

export interface WorkMetricsDeps {
  recorder: Recorder;
  clock: Clock;
  log: Pick<EventLog, 'state'>;
}

/** What is measured of an open task; times in epoch milliseconds. */
interface OpenTask {
  agent: string;
  submittedMs: number;
  startedMs: number;
  /** Unknown for a task that was submitted before the last start. */
  face: Face | 'unknown';
  hasSpoken: boolean;
  /** When its running tool calls were asked for. */
  toolCalls: Map<string, number>;
  /** What it has said in all, where it counts in totals. */
  used: UsageFigures;
}

/** Open tasks and their tool calls that are remembered; of more, the oldest are measured no longer. */
const MAX_OPEN = 20_000;
const MAX_TOOL_CALLS = 1_000;
const MS = 1_000;

/** Commands whose answer is the task that they submitted. */
const SUBMITS: ReadonlySet<string> = new Set<CommandId>(['submitTask', 'submitSessionTask']);

/** Which method measures an event of a task; all other events say nothing of its work. */
const MEASURED_BY = {
  'task.started': 'started',
  'task.completed': 'ended',
  'task.failed': 'ended',
  'task.canceled': 'ended',
  'tool.requested': 'toolRequested',
  'tool.completed': 'toolEnded',
  'tool.failed': 'toolEnded',
  'tool.approved': 'answered',
  'tool.denied': 'answered',
  'vendor.harn_gateway.permission_resolved': 'answered',
  'vendor.harn_gateway.upstream_note': 'noted',
} as const satisfies Partial<Record<KnownKind, keyof WorkMetrics>>;
const METHODS: ReadonlyMap<string, (typeof MEASURED_BY)[keyof typeof MEASURED_BY]> = new Map(
  Object.entries(MEASURED_BY),
);

const GIVEN_UP = 'vendor.harn_gateway.delivery_given_up';

/** Measures work by what the log says of it, after each commit, and calls where faces make them. */
export class WorkMetrics {
  readonly #deps: WorkMetricsDeps;
  readonly #open = new Map<string, OpenTask>();

  constructor(deps: WorkMetricsDeps) {
    this.#deps = deps;
  }

  /** Takes the events of a write of the log. */
  committed(events: readonly StoredEvent[], group: WrittenGroup | undefined): void {
    const { recorder } = this.#deps;
    if (group !== undefined) {
      recorder.record('harn_log_write_seconds', {}, group.writeMs / MS);
      recorder.record('harn_log_commit_seconds', {}, group.commitMs / MS);
      recorder.record('harn_log_group_transactions', {}, group.transactions);
    }
    for (const { event } of events) {
      if (event.event === GIVEN_UP) recorder.record('harn_webhook_dead_letters_total', {}, 1);
      const method = METHODS.get(event.event);
      if (method === undefined || event.task_id === null) continue;
      const task = this.#open.get(event.task_id) ?? this.#opened(event.task_id);
      if (task !== undefined) this[method](event, task);
    }
  }

  /** The agent of a task said its first word of this turn; only the first one of the task is measured. */
  spoke(taskId: string): void {
    const task = this.#open.get(taskId);
    if (task === undefined || task.hasSpoken) return;
    task.hasSpoken = true;
    const { agent, face, startedMs } = task;
    const sinceMs = this.#deps.clock.now() - startedMs;
    this.#deps.recorder.record('harn_task_first_frame_seconds', { agent, face }, sinceMs / MS);
  }

  /** The same gateway, with the calls of one face measured. */
  gatewayOf(face: Face, gateway: Gateway): Gateway {
    const { clock } = this.#deps;
    return {
      ...passedOn(gateway),
      call: async (id, call) => {
        const startedMs = clock.monotonic();
        try {
          const answer = await gateway.call(id, call);
          this.#called(face, id, 'ok', startedMs);
          if (SUBMITS.has(id) && answer.body.kind === 'json') this.#submitted(answer.body.value, face);
          return answer;
        } catch (error) {
          this.#called(face, id, ProtocolError.from(error).code, startedMs);
          throw error;
        }
      },
      subscribe: async (id, call, sink) => {
        const startedMs = clock.monotonic();
        const through = face === 'rest' ? 'sse' : face;
        try {
          const subscription = await gateway.subscribe(id, call, sink);
          this.#called(through, id, 'ok', startedMs);
          return subscription;
        } catch (error) {
          this.#called(through, id, ProtocolError.from(error).code, startedMs);
          throw error;
        }
      },
    };
  }

  /** The same post, measured. */
  posted(post: Post): Post {
    const { clock, recorder } = this.#deps;
    return async (call, signal) => {
      const startedMs = clock.monotonic();
      const said = await post(call, signal);
      const isDelivered = said.kind === 'answered' && said.status >= 200 && said.status < 300;
      const outcome = isDelivered ? 'delivered' : said.kind === 'answered' ? 'rejected' : said.kind;
      recorder.record(
        'harn_webhook_delivery_duration_seconds',
        { outcome },
        (clock.monotonic() - startedMs) / MS,
      );
      return said;
    };
  }

  started(event: Event, task: OpenTask): void {
    const { agent, submittedMs } = task;
    task.startedMs = Date.parse(event.created_at);
    const waited = (task.startedMs - submittedMs) / MS;
    this.#deps.recorder.record('harn_task_queue_seconds', { agent }, waited);
  }

  ended(event: Event, { agent, face, submittedMs }: OpenTask): void {
    const outcome = event.event.slice('task.'.length);
    const { recorder } = this.#deps;
    this.#open.delete(event.task_id ?? '');
    const took = (Date.parse(event.created_at) - submittedMs) / MS;
    recorder.record('harn_task_duration_seconds', { agent, face, outcome }, took);
    if (outcome !== 'failed') return;
    const { failure } = event.payload as PayloadOf<'task.failed'>;
    recorder.record('harn_upstream_errors_total', { agent, code: failure.code }, 1);
  }

  toolRequested(event: Event, { agent, face, toolCalls }: OpenTask): void {
    const { tool_call_id, withheld } = event.payload as PayloadOf<'tool.requested'>;
    const outcome = 'withheld';
    if (withheld) this.#deps.recorder.record('harn_tool_call_duration_seconds', { agent, face, outcome }, 0);
    else if (toolCalls.size < MAX_TOOL_CALLS) toolCalls.set(tool_call_id, Date.parse(event.created_at));
  }

  toolEnded(event: Event, { agent, face, toolCalls }: OpenTask): void {
    const outcome = event.event.slice('tool.'.length);
    const { tool_call_id } = event.payload as PayloadOf<'tool.completed'>;
    const endedMs = Date.parse(event.created_at);
    const took = (endedMs - (toolCalls.get(tool_call_id) ?? endedMs)) / MS;
    toolCalls.delete(tool_call_id);
    this.#deps.recorder.record('harn_tool_call_duration_seconds', { agent, face, outcome }, took);
  }

  /** A denial by the policy alone asked nobody and waited for nobody. */
  answered(event: Event, { agent }: OpenTask): void {
    const { request_id, status } = event.payload as Partial<PayloadOf<'tool.denied'>>;
    if (request_id === undefined) return;
    const key = permissionKeys.permissionRequest(request_id);
    const request = this.#deps.log.state<CleanPermissionRequestState>(key)?.resource;
    if (request === undefined) return;
    const outcome = status === 'approved' ? 'approved' : 'denied';
    const waited = (Date.parse(event.created_at) - Date.parse(request.created_at)) / MS;
    this.#deps.recorder.record('harn_permission_wait_seconds', { agent, outcome }, waited);
  }

  noted(event: Event, task: OpenTask): void {
    const { usage } = event.payload as PayloadOf<'vendor.harn_gateway.upstream_note'>;
    if (usage === undefined) return;
    const { recorder } = this.#deps;
    const { agent } = task;
    const { input_tokens, output_tokens, cost } = moreOf(usage, task);
    if (input_tokens) recorder.record('harn_tokens_total', { agent, direction: 'input' }, input_tokens);
    if (output_tokens) recorder.record('harn_tokens_total', { agent, direction: 'output' }, output_tokens);
    if (cost) recorder.record('harn_cost_total', { agent, currency: cost.currency }, cost.amount);
  }

  #called(face: Face, operation: QueryId | CommandId | string, outcome: string, startedMs: number): void {
    const { recorder, clock } = this.#deps;
    const took = (clock.monotonic() - startedMs) / MS;
    recorder.record('harn_request_duration_seconds', { operation, face, outcome }, took);
  }

  /** One that is over, as an answer given again may say late, is opened no more. */
  #submitted(task: unknown, face: Face): void {
    if (!isObject(task) || typeof task['id'] !== 'string') return;
    const open = this.#open.get(task['id']) ?? this.#opened(task['id'], true);
    if (open !== undefined && open.face === 'unknown') open.face = face;
  }

  /** Undefined for one that another gateway ran, or that is gone. */
  #opened(taskId: string, onlyOpen = false): OpenTask | undefined {
    const state = this.#deps.log.state<CleanTaskState>(taskKeys.task(taskId));
    if (state === undefined || state.internal.imported) return undefined;
    const { created_at, started_at, status } = state.resource;
    if (onlyOpen && isTerminal(status)) return undefined;
    const [oldest] = this.#open.size < MAX_OPEN ? [] : this.#open.keys();
    if (oldest !== undefined) this.#open.delete(oldest);
    const task: OpenTask = {
      agent: state.internal.route,
      submittedMs: Date.parse(created_at),
      startedMs: Date.parse(started_at ?? created_at),
      face: state.internal.replay === undefined ? 'unknown' : 'replay',
      hasSpoken: false,
      toolCalls: new Map(),
      used: {},
    };
    this.#open.set(taskId, task);
    return task;
  }
}

/** What is new in a report: all of it, or what the total grew by. */
function moreOf({ counts, counted: _, ...said }: ReportedUsage, task: OpenTask): UsageFigures {
  if (counts === 'more') return said;
  const more = usedSince(task.used, said);
  task.used = { ...task.used, ...said };
  return more;
}

/** What nobody measures of a gateway. */
export function passedOn(gateway: Gateway): Omit<Gateway, 'call' | 'subscribe'> {
  return {
    recognize: gateway.recognize.bind(gateway),
    enter: gateway.enter.bind(gateway),
    enterSigned: gateway.enterSigned.bind(gateway),
    knows: gateway.knows.bind(gateway),
    admit: gateway.admit.bind(gateway),
    refused: gateway.refused.bind(gateway),
    watch: gateway.watch.bind(gateway),
    connected: gateway.connected.bind(gateway),
    follows: gateway.follows.bind(gateway),
    unfollows: gateway.unfollows.bind(gateway),
    disconnected: gateway.disconnected.bind(gateway),
  };
}
