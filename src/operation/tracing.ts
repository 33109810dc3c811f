import { hash } from 'node:crypto';
import type { Attributes } from '@opentelemetry/api';
import type { Event, EventLog, StoredEvent, WrittenGroup } from '#eventlog/event-log.ts';
import type { Clock } from '#protocol/ports.ts';
import type { TraceContext } from '#protocol/trace-context.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';
import type { Message } from '#resources/message/schema.ts';
import { type CleanMessageState, messageKeys } from '#resources/message/state.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import type { LinkTo, Span, Spans } from './spans.ts';

export interface TaskTracesDeps {
  spans: Spans;
  log: Pick<EventLog, 'state'>;
  clock: Clock;
  /** Routes of the agents, as they are now: who acts in the events of a turn. */
  agents: Pick<ReadonlySet<string>, 'has'>;
  /** Put what was said, and what tools are called with, into the spans. It is that of the log, so it is redacted. */
  content: boolean;
}

/** A task whose trace is not over. */
interface OpenTrace {
  traceId: string;
  root: Span;
  /** Undefined once it has begun to work. */
  queuedSinceMs: number | undefined;
  /** By the span id that its agent is given as the parent. */
  turn: { id: string; span: Span; lastMs: number } | undefined;
  /** When it began to work last: its next turn begins there. */
  workingSinceMs: number;
  /** Calls of other traces that let it go on: its next turn is linked to them. */
  wokenBy: TraceContext[] | undefined;
  /** Running tool calls and open permission requests, by their ids. Undefined before the first. */
  waits: Map<string, Span> | undefined;
  /** The write of the log that was noted last. */
  written: WrittenGroup | undefined;
}

/** Traces, and spans of one of them, that are remembered; of more, the oldest end early. */
const MAX_TRACES = 10_000;
const MAX_WAITS = 1_000;
const MAX_WOKEN = 16;

/**
 * One trace for each task, made of the events of its commits: the task with its wait in the queue and its commits as events, each turn at
 * its agent, tool calls, permission waits. The ids are those of the log: the trace and the parent are the caller's, and the span of a turn is the
 * one that the agent got as its parent. Attributes are names, ids and numbers; what was said only where the operator wants it.
 * Spec: OpenTelemetry semantic conventions, "GenAI agent spans" and "MCP".
 */
export class TaskTraces {
  readonly #deps: TaskTracesDeps;
  readonly #open = new Map<string, OpenTrace>();

  constructor(deps: TaskTracesDeps) {
    this.#deps = deps;
  }

  /** Takes the events of a write of the log. */
  committed(events: readonly StoredEvent[], group: WrittenGroup | undefined): void {
    for (const { event } of events) {
      if (event.task_id === null || event.trace_id === null) continue;
      const atMs = Date.parse(event.created_at);
      const open = this.#open.get(event.task_id) ?? this.#begin(event, atMs);
      if (open === undefined) continue;
      // First, as the event may be the end of the span.
      if (group !== undefined && open.written !== group) {
        open.written = group;
        noteCommit(open.root, atMs, group);
      }
      this.#take(event, open, atMs);
    }
  }

  /** The trace that a task is in, and where; undefined for a task that has none, or one that is in the trace `within` as well. */
  placeOf(taskId: string, within?: string): TraceContext | undefined {
    const internal = this.#deps.log.state<CleanTaskState>(taskKeys.task(taskId))?.internal;
    if (!internal?.trace_id || internal.trace_id === within) return undefined;
    return { traceId: internal.trace_id, spanId: spanIdOf(taskId), isSampled: internal.unsampled !== true };
  }

  /** Ends what is open. */
  close(): void {
    const nowMs = this.#deps.clock.now();
    for (const open of this.#open.values()) endAll(open, nowMs);
    this.#open.clear();
  }

  /** What follows the end of a task, such as its receipt, begins no trace. */
  #begin(event: Event, startMs: number): OpenTrace | undefined {
    const { task_id, trace_id, span_id } = event;
    if (task_id === null || trace_id === null || !BEGINS.has(event.event)) return undefined;
    const submitted =
      event.event === 'task.submitted' ? (event.payload as PayloadOf<'task.submitted'>) : undefined;
    const known = submitted ? undefined : this.#deps.log.state<CleanTaskState>(taskKeys.task(task_id));
    const internal = submitted ?? known?.internal;
    if (internal === undefined || internal.unsampled) return undefined;
    const parent =
      submitted !== undefined && span_id !== null
        ? { traceId: trace_id, spanId: span_id, isSampled: true }
        : undefined;
    const traceId = traceOf(event, internal);
    const root = this.#deps.spans.begin(`invoke_agent ${internal.route}`, parent, {
      startMs,
      // Its first span has an id of its own making, so that what goes on with the task, in another process too, finds it.
      ids: submitted === undefined ? { traceId } : { traceId, spanId: spanIdOf(task_id) },
      attributes: this.#attributesOf(event, internal.route, submitted),
      links: submitted === undefined ? this.#resumes(task_id) : this.#replays(submitted),
    });
    const open: OpenTrace = {
      traceId,
      root,
      queuedSinceMs: submitted ? startMs : queuedSince(event, known?.resource.created_at),
      turn: undefined,
      workingSinceMs: startMs,
      wokenBy: undefined,
      waits: undefined,
      written: undefined,
    };
    const [oldest] = this.#open.size < MAX_TRACES ? [] : this.#open;
    if (oldest !== undefined) {
      endAll(oldest[1], startMs);
      this.#open.delete(oldest[0]);
    }
    this.#open.set(task_id, open);
    return open;
  }

  #attributesOf(
    { task_id, session_id }: Event,
    route: string,
    submitted: PayloadOf<'task.submitted'> | undefined,
  ): Attributes {
    const said = this.#deps.content && submitted !== undefined ? submitted.task.input : undefined;
    const attributes: Attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': providerOf(route),
      'gen_ai.agent.name': route,
      'harn.task.id': task_id ?? '',
    };
    if (session_id !== null) attributes['gen_ai.conversation.id'] = session_id;
    if (said !== undefined)
      attributes['gen_ai.input.messages'] = messagesOf('user', said as Partial<Message>);
    return attributes;
  }

  #resumes(taskId: string): LinkTo[] {
    const to = this.placeOf(taskId);
    return to === undefined ? [] : [{ to, why: 'resumes' }];
  }

  #replays({ replay }: PayloadOf<'task.submitted'>): LinkTo[] {
    const to = replay && this.placeOf(replay.source_task_id);
    return to === undefined ? [] : [{ to, why: 'replays' }];
  }

  #take(event: Event, open: OpenTrace, atMs: number): void {
    this.#turnOf(event, open, atMs);
    switch (event.event) {
      case 'task.started':
        leaveQueue(open, atMs);
        open.workingSinceMs = atMs;
        return;
      case 'task.status_changed':
        open.workingSinceMs = atMs;
        return;
      case 'tool.requested': {
        const { tool_call_id, name, server, withheld, input } = event.payload as PayloadOf<'tool.requested'>;
        if (withheld) return;
        wait(this.#deps.spans, open, tool_call_id, `execute_tool ${name}`, atMs, {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': name,
          'gen_ai.tool.call.id': tool_call_id,
          'gen_ai.tool.type': server === null ? 'function' : 'extension',
          ...(server === null ? {} : { 'mcp.method.name': 'tools/call', 'harn.mcp.server': server }),
          ...(this.#deps.content ? { 'gen_ai.tool.call.arguments': JSON.stringify(input) } : {}),
        });
        return;
      }
      case 'tool.completed':
        settle(open, (event.payload as PayloadOf<'tool.completed'>).tool_call_id, atMs);
        return;
      case 'tool.failed': {
        const { tool_call_id, error } = event.payload as PayloadOf<'tool.failed'>;
        settle(open, tool_call_id, atMs, error.code);
        return;
      }
      case 'tool.approval_required':
      case 'vendor.harn_gateway.permission_requested': {
        const { permission_request } = event.payload as PayloadOf<'vendor.harn_gateway.permission_requested'>;
        const kind = permission_request.request.kind;
        wait(this.#deps.spans, open, permission_request.id, 'permission', atMs, {
          'harn.permission.kind': kind,
        });
        return;
      }
      case 'tool.approved':
      case 'tool.denied':
      case 'vendor.harn_gateway.permission_resolved':
        settle(open, (event.payload as Partial<PayloadOf<'tool.denied'>>).request_id ?? '', atMs);
        noteWaker(event, open);
        return;
      case 'user.input_submitted':
        noteWaker(event, open);
        return;
      case 'vendor.harn_gateway.upstream_note': {
        const { usage } = event.payload as PayloadOf<'vendor.harn_gateway.upstream_note'>;
        if (usage !== undefined) noteUsage(open.root, usage);
        return;
      }
      case 'task.failed': {
        const { failure } = event.payload as PayloadOf<'task.failed'>;
        this.#end(event, open, atMs, failure.code);
        return;
      }
      case 'task.completed':
      case 'task.canceled':
        this.#end(event, open, atMs, undefined);
        return;
      default:
    }
  }

  /** A turn lasts from when the task began to work until the last event that the agent caused in it. */
  #turnOf({ actor, span_id, task_id }: Event, open: OpenTrace, lastMs: number): void {
    if (actor === null || span_id === null || !this.#deps.agents.has(actor)) return;
    if (open.turn?.id === span_id) {
      open.turn.lastMs = lastMs;
      return;
    }
    open.turn?.span.end(open.turn.lastMs);
    const wakers = open.wokenBy ?? [];
    open.wokenBy = undefined;
    const span = this.#deps.spans.begin('turn', open.root, {
      startMs: open.workingSinceMs,
      ids: { spanId: span_id },
      attributes: { 'gen_ai.agent.name': actor, 'harn.task.id': task_id ?? '' },
      links: wakers.map((to) => ({ to, why: 'woken_by' })),
    });
    open.turn = { id: span_id, span, lastMs };
  }

  #end(event: Event, open: OpenTrace, endMs: number, failure: string | undefined): void {
    this.#open.delete(event.task_id ?? '');
    open.root.set('harn.task.outcome', event.event.slice('task.'.length));
    if (this.#deps.content) this.#noteAnswer(event, open.root);
    if (failure !== undefined) open.root.fail(failure);
    leaveQueue(open, endMs);
    endAll(open, endMs);
  }

  /** What the agent said last. */
  #noteAnswer({ task_id }: Event, root: Span): void {
    const { log } = this.#deps;
    const newest = log.state<CleanTaskState>(taskKeys.task(task_id ?? ''))?.internal.said.at(-1);
    const id = typeof newest === 'string' ? newest : newest?.[0];
    const message = id === undefined ? undefined : log.state<CleanMessageState>(messageKeys.message(id));
    if (message !== undefined) root.set('gen_ai.output.messages', messagesOf('assistant', message.resource));
  }
}

/** Events from which on a task is traced; after a restart those of the turn that takes it up. */
const BEGINS: ReadonlySet<string> = new Set(['task.submitted', 'task.started', 'task.status_changed']);

/** A task that waited over a restart has waited since it was submitted. */
function queuedSince({ event }: Event, submittedAt: string | undefined): number | undefined {
  return event === 'task.started' && submittedAt !== undefined ? Date.parse(submittedAt) : undefined;
}

/** Whoever lets a task go on may be of another trace. */
function traceOf({ trace_id }: Event, internal: object): string {
  const own = (internal as { trace_id?: string | null }).trace_id;
  return own ?? trace_id ?? '';
}

/** The id of the first span of a task, in every process. */
function spanIdOf(taskId: string): string {
  return hash('sha256', `${taskId}:task`).slice(0, 16);
}

/** Which kind of peer works, in the place of a provider of models: nobody tells the gateway that. */
function providerOf(route: string): string {
  return route.slice(0, Math.max(0, route.indexOf(':')));
}

/** Spec: OpenTelemetry semantic conventions, "GenAI input messages". */
function messagesOf(role: 'user' | 'assistant', { parts = [] }: Partial<Pick<Message, 'parts'>>): string {
  const content = parts.map((part) =>
    part.type === 'text' ? { type: 'text', content: part.text } : { type: part.type, content: part },
  );
  return JSON.stringify([{ role, parts: content }]);
}

function noteUsage(
  root: Span,
  usage: NonNullable<PayloadOf<'vendor.harn_gateway.upstream_note'>['usage']>,
): void {
  const { input_tokens, output_tokens, model } = usage;
  if (input_tokens !== undefined) root.set('gen_ai.usage.input_tokens', input_tokens);
  if (output_tokens !== undefined) root.set('gen_ai.usage.output_tokens', output_tokens);
  if (model !== undefined) root.set('gen_ai.response.model', model.name);
}

/** A write of the log that its events were in. It is over when it is told of. */
function noteCommit(root: Span, atMs: number, { commitMs, writeMs, transactions }: WrittenGroup): void {
  // By the clock of the log, so that it lies where its events do.
  root.event('commit', atMs + commitMs, {
    'harn.duration_ms': commitMs,
    'harn.log.transactions': transactions,
    'harn.log.write_ms': writeMs,
  });
}

function leaveQueue(open: OpenTrace, atMs: number): void {
  const { queuedSinceMs } = open;
  open.queuedSinceMs = undefined;
  if (queuedSinceMs !== undefined)
    open.root.event('queue', atMs, { 'harn.duration_ms': Math.max(0, atMs - queuedSinceMs) });
}

/** Somebody whose call is of another trace lets the task go on. */
function noteWaker({ trace_id, span_id }: Event, open: OpenTrace): void {
  const { traceId, wokenBy = [] } = open;
  if (trace_id === null || span_id === null || trace_id === traceId || wokenBy.length >= MAX_WOKEN) return;
  if (wokenBy.some(({ spanId }) => spanId === span_id)) return;
  wokenBy.push({ traceId: trace_id, spanId: span_id, isSampled: true });
  open.wokenBy = wokenBy;
}

/** Something in the turn that will end with an event of its own. */
function wait(
  spans: Spans,
  open: OpenTrace,
  id: string,
  name: string,
  startMs: number,
  attributes: Attributes,
): void {
  open.waits ??= new Map();
  if (open.waits.size >= MAX_WAITS) return;
  open.waits.set(id, spans.begin(name, open.turn?.span ?? open.root, { startMs, attributes }));
}

function settle({ waits }: OpenTrace, id: string, atMs: number, failure?: string): void {
  const span = waits?.get(id);
  if (span === undefined) return;
  if (failure !== undefined) span.fail(failure);
  span.end(atMs);
  waits?.delete(id);
}

function endAll({ root, turn, waits }: OpenTrace, atMs: number): void {
  turn?.span.end(turn.lastMs);
  for (const span of waits?.values() ?? []) span.end(atMs);
  root.end(atMs);
}
