import { hash } from 'node:crypto';
import type { Attributes } from '@opentelemetry/api';
import type { Event, EventLog, StoredEvent, WrittenGroup } from '#eventlog/event-log.ts';
import type { TraceContext } from '#protocol/trace-context.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';
import type { Message } from '#resources/message/schema.ts';
import { type CleanMessageState, messageKeys } from '#resources/message/state.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import {
  type Context,
  fail,
  type LinkTo,
  NOWHERE,
  type Span,
  type Spans,
  within,
  withinIds,
} from './spans.ts';

export interface TaskTracesDeps {
  spans: Spans;
  log: Pick<EventLog, 'state'>;
  /** Routes of the agents, as they are now: who acts in the events of a turn. */
  agents: Pick<ReadonlySet<string>, 'has'>;
  /** Put what was said, and what tools are called with, into the spans. It is that of the log, so it is redacted. */
  content: boolean;
}

/** A task whose trace is not over. */
interface OpenTrace {
  traceId: string;
  root: Span;
  /** What is inside of the task. */
  inside: Context;
  /** Undefined once it has begun to work. */
  queuedSinceMs: number | undefined;
  /** By the span id that its agent is given as the parent. */
  turn: { id: string; span: Span; lastMs: number } | undefined;
  /** When it began to work last: its next turn begins there. */
  workingSinceMs: number;
  /** Calls of other traces that let it go on: its next turn is linked to them. */
  wokenBy: TraceContext[];
  /** Running tool calls and open permission requests, by their ids. */
  waits: Map<string, Span>;
}

/** Traces, and spans of one of them, that are remembered; of more, the oldest end early. */
const MAX_TRACES = 10_000;
const MAX_WAITS = 1_000;
const MAX_WOKEN = 16;

/**
 * One trace for each task, made of the events of its commits: the task, its wait in the queue, each turn at its agent, tool calls,
 * permission waits, commits. The ids are those of the log: the trace and the parent are the caller's, and the span of a turn is the
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
    const written = new Set<OpenTrace>();
    for (const { event } of events) {
      if (event.task_id === null || event.trace_id === null) continue;
      const open = this.#open.get(event.task_id) ?? this.#begin(event);
      if (open === undefined) continue;
      this.#take(event, open);
      if (group === undefined || written.has(open)) continue;
      written.add(open);
      this.#commit(event, open, group);
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
    for (const open of this.#open.values()) endAll(open, undefined);
    this.#open.clear();
  }

  /** What follows the end of a task, such as its receipt, begins no trace. */
  #begin(event: Event): OpenTrace | undefined {
    const { task_id, trace_id, span_id } = event;
    if (task_id === null || trace_id === null || !BEGINS.has(event.event)) return undefined;
    const submitted =
      event.event === 'task.submitted' ? (event.payload as PayloadOf<'task.submitted'>) : undefined;
    const known = submitted ? undefined : this.#deps.log.state<CleanTaskState>(taskKeys.task(task_id));
    const internal = submitted ?? known?.internal;
    if (internal === undefined || internal.unsampled) return undefined;
    const startMs = Date.parse(event.created_at);
    const parent =
      submitted !== undefined && span_id !== null
        ? withinIds({ traceId: trace_id, spanId: span_id, isSampled: true })
        : NOWHERE;
    // Its first span has an id of its own making, so that what goes on with the task, in another process too, finds it.
    const spanId = submitted === undefined ? {} : { spanId: spanIdOf(task_id) };
    const root = this.#deps.spans.begin(`invoke_agent ${internal.route}`, parent, {
      startMs,
      ids: { traceId: traceOf(event, internal), ...spanId },
      attributes: this.#attributesOf(event, internal.route, submitted),
      links: submitted === undefined ? this.#resumes(task_id) : this.#replays(submitted),
    });
    const inside = within(root);
    const open: OpenTrace = {
      traceId: traceOf(event, internal),
      root,
      inside,
      queuedSinceMs: submitted ? startMs : queuedSince(event, known?.resource.created_at),
      turn: undefined,
      workingSinceMs: startMs,
      wokenBy: [],
      waits: new Map(),
    };
    const [oldest] = this.#open.size < MAX_TRACES ? [] : this.#open;
    if (oldest !== undefined) {
      endAll(oldest[1], undefined);
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
    return {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': providerOf(route),
      'gen_ai.agent.name': route,
      'harn.task.id': task_id ?? '',
      ...(session_id === null ? {} : { 'gen_ai.conversation.id': session_id }),
      ...(said === undefined
        ? {}
        : { 'gen_ai.input.messages': messagesOf('user', said as Partial<Message>) }),
    };
  }

  #resumes(taskId: string): LinkTo[] {
    const to = this.placeOf(taskId);
    return to === undefined ? [] : [{ to, why: 'resumes' }];
  }

  #replays({ replay }: PayloadOf<'task.submitted'>): LinkTo[] {
    const to = replay && this.placeOf(replay.source_task_id);
    return to === undefined ? [] : [{ to, why: 'replays' }];
  }

  #take(event: Event, open: OpenTrace): void {
    this.#turnOf(event, open);
    const atMs = Date.parse(event.created_at);
    switch (event.event) {
      case 'task.started':
        this.#leaveQueue(open, atMs);
        open.workingSinceMs = atMs;
        return;
      case 'task.status_changed':
        open.workingSinceMs = atMs;
        return;
      case 'tool.requested': {
        const { tool_call_id, name, server, withheld, input } = event.payload as PayloadOf<'tool.requested'>;
        if (withheld) return;
        this.#wait(event, open, tool_call_id, `execute_tool ${name}`, {
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
        this.#wait(event, open, permission_request.id, 'permission', { 'harn.permission.kind': kind });
        return;
      }
      case 'tool.approved':
      case 'tool.denied':
      case 'vendor.harn_gateway.permission_resolved':
        settle(open, (event.payload as Partial<PayloadOf<'tool.denied'>>).request_id ?? '', atMs);
        this.#wokenBy(event, open);
        return;
      case 'user.input_submitted':
        this.#wokenBy(event, open);
        return;
      case 'vendor.harn_gateway.upstream_note': {
        const { usage } = event.payload as PayloadOf<'vendor.harn_gateway.upstream_note'>;
        if (usage !== undefined) noteUsage(open.root, usage);
        return;
      }
      case 'task.failed': {
        const { failure } = event.payload as PayloadOf<'task.failed'>;
        this.#end(event, open, failure.code);
        return;
      }
      case 'task.completed':
      case 'task.canceled':
        this.#end(event, open, undefined);
        return;
      default:
    }
  }

  /** Somebody whose call is of another trace lets the task go on. */
  #wokenBy({ trace_id, span_id }: Event, { traceId, wokenBy }: OpenTrace): void {
    if (trace_id === null || span_id === null || trace_id === traceId || wokenBy.length >= MAX_WOKEN) return;
    if (wokenBy.some(({ spanId }) => spanId === span_id)) return;
    wokenBy.push({ traceId: trace_id, spanId: span_id, isSampled: true });
  }

  /** A turn lasts from when the task began to work until the last event that the agent caused in it. */
  #turnOf(event: Event, open: OpenTrace): void {
    const { actor, span_id } = event;
    if (actor === null || span_id === null || !this.#deps.agents.has(actor)) return;
    const lastMs = Date.parse(event.created_at);
    if (open.turn?.id === span_id) {
      open.turn.lastMs = lastMs;
      return;
    }
    open.turn?.span.end(open.turn.lastMs);
    const span = this.#deps.spans.begin('turn', open.inside, {
      startMs: open.workingSinceMs,
      ids: { spanId: span_id },
      attributes: { 'gen_ai.agent.name': actor, 'harn.task.id': event.task_id ?? '' },
      links: open.wokenBy.splice(0).map((to) => ({ to, why: 'woken_by' })),
    });
    open.turn = { id: span_id, span, lastMs };
  }

  #wait(event: Event, open: OpenTrace, id: string, name: string, attributes: Attributes): void {
    if (open.waits.size >= MAX_WAITS) return;
    const place = open.turn === undefined ? open.inside : within(open.turn.span);
    open.waits.set(
      id,
      this.#deps.spans.begin(name, place, { startMs: Date.parse(event.created_at), attributes }),
    );
  }

  #leaveQueue(open: OpenTrace, endMs: number): void {
    const { queuedSinceMs: startMs } = open;
    open.queuedSinceMs = undefined;
    if (startMs !== undefined) this.#deps.spans.leaf('queue', open.root, { startMs, endMs });
  }

  /** Its times are those of the log's clock, so that it lies where its events do. */
  #commit(event: Event, { root }: OpenTrace, { commitMs, writeMs, transactions }: WrittenGroup): void {
    const startMs = Date.parse(event.created_at);
    const attributes = { 'harn.log.transactions': transactions, 'harn.log.write_ms': writeMs };
    this.#deps.spans.leaf('commit', root, { startMs, endMs: startMs + commitMs, attributes });
  }

  #end(event: Event, open: OpenTrace, failure: string | undefined): void {
    this.#open.delete(event.task_id ?? '');
    open.root.setAttribute('harn.task.outcome', event.event.slice('task.'.length));
    if (this.#deps.content) this.#noteAnswer(event, open.root);
    if (failure !== undefined) fail(open.root, failure);
    const endMs = Date.parse(event.created_at);
    this.#leaveQueue(open, endMs);
    endAll(open, endMs);
  }

  /** What the agent said last. */
  #noteAnswer({ task_id }: Event, root: Span): void {
    const { log } = this.#deps;
    const newest = log.state<CleanTaskState>(taskKeys.task(task_id ?? ''))?.internal.said.at(-1);
    const id = typeof newest === 'string' ? newest : newest?.[0];
    const message = id === undefined ? undefined : log.state<CleanMessageState>(messageKeys.message(id));
    if (message !== undefined)
      root.setAttribute('gen_ai.output.messages', messagesOf('assistant', message.resource));
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
  if (input_tokens !== undefined) root.setAttribute('gen_ai.usage.input_tokens', input_tokens);
  if (output_tokens !== undefined) root.setAttribute('gen_ai.usage.output_tokens', output_tokens);
  if (model !== undefined) root.setAttribute('gen_ai.response.model', model.name);
}

function settle({ waits }: OpenTrace, id: string, atMs: number, failure?: string): void {
  const span = waits.get(id);
  if (failure !== undefined && span !== undefined) fail(span, failure);
  span?.end(atMs);
  waits.delete(id);
}

/** `atMs` undefined: now. */
function endAll({ root, turn, waits }: OpenTrace, atMs: number | undefined): void {
  turn?.span.end(turn.lastMs);
  for (const span of [...waits.values(), root]) span?.end(atMs);
}
