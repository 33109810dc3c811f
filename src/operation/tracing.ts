import {
  type Attributes,
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type IdGenerator } from '@opentelemetry/sdk-trace-base';
import type { Event, StoredEvent, WrittenGroup } from '#eventlog/event-log.ts';
import type { Logger, Random } from '#protocol/ports.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';

export interface TracingDeps {
  /** Base URL of an OTLP/HTTP receiver; `/v1/traces` is added. Undefined: what the OTEL_* variables say. */
  endpoint: string | undefined;
  service: { name: string; version: string };
  /** Routes of the agents, as they are now: who acts in the events of a turn. */
  agents: Pick<ReadonlySet<string>, 'has'>;
  random: Random;
  logger: Logger;
}

/** A task whose trace is not over. */
interface OpenTrace {
  root: Span;
  /** What is inside of the task. */
  inside: Context;
  queue: Span | undefined;
  /** By the span id that its agent is given as the parent. */
  turn: { id: string; span: Span; last: Date } | undefined;
  /** When it began to work last: its next turn begins there. */
  workingSince: Date;
  /** Running tool calls and open permission requests, by their ids. */
  waits: Map<string, Span>;
}

/** Traces, and spans of one of them, that are remembered; of more, the oldest end early. */
const MAX_TRACES = 10_000;
const MAX_WAITS = 1_000;

/**
 * One trace for each task, made of the events of its commits: the task, its wait in the queue, each turn at its agent, tool calls,
 * permission waits, commits. The ids are those of the log: the trace and the parent are the caller's, and the span of a turn is the
 * one that the agent got as its parent. Attributes are names, ids and numbers, never what was said.
 * Spec: OpenTelemetry semantic conventions, "GenAI agent spans" and "MCP".
 */
export class TaskTraces {
  readonly #provider: BasicTracerProvider;
  readonly #tracer: Tracer;
  readonly #ids: GivenIds;
  readonly #agents: TracingDeps['agents'];
  readonly #open = new Map<string, OpenTrace>();

  constructor({ endpoint, service, agents, random, logger }: TracingDeps) {
    const report = (message: string, ...details: unknown[]) =>
      logger.warn({ details }, `tracing: ${message}`);
    const silent = () => undefined;
    diag.setLogger(
      { error: report, warn: report, info: silent, debug: silent, verbose: silent },
      { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
    );
    this.#agents = agents;
    this.#ids = new GivenIds(random);
    const url = endpoint === undefined ? {} : { url: `${endpoint.replace(/\/$/, '')}/v1/traces` };
    this.#provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': service.name, 'service.version': service.version }),
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(url))],
      idGenerator: this.#ids,
    });
    this.#tracer = this.#provider.getTracer('harn-gateway', service.version);
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

  /** Sends what is left. Resolves also when the receiver takes nothing. */
  async close(): Promise<void> {
    for (const open of this.#open.values()) endAll(open, undefined);
    this.#open.clear();
    await this.#provider.shutdown();
  }

  /** What follows the end of a task, such as its receipt, begins no trace. */
  #begin(event: Event): OpenTrace | undefined {
    const { task_id, trace_id, span_id, session_id } = event;
    if (task_id === null || trace_id === null || !BEGINS.has(event.event)) return undefined;
    const isNew = event.event === 'task.submitted';
    const { route } = isNew ? (event.payload as PayloadOf<'task.submitted'>) : { route: undefined };
    const parent = isNew && span_id !== null ? contextOf(trace_id, span_id) : ROOT_CONTEXT;
    this.#ids.next = { traceId: trace_id };
    const root = this.#start(`invoke_agent ${route ?? ''}`.trim(), SpanKind.SERVER, event, parent, {
      'gen_ai.operation.name': 'invoke_agent',
      ...(route === undefined ? {} : { 'gen_ai.agent.name': route }),
      ...(session_id === null ? {} : { 'gen_ai.conversation.id': session_id }),
      'harn.task.id': task_id,
    });
    const inside = trace.setSpan(ROOT_CONTEXT, root);
    const queue = isNew ? this.#start('queue', SpanKind.INTERNAL, event, inside, {}) : undefined;
    const workingSince = new Date(event.created_at);
    const open: OpenTrace = { root, inside, queue, turn: undefined, workingSince, waits: new Map() };
    const [oldest] = this.#open.size < MAX_TRACES ? [] : this.#open;
    if (oldest !== undefined) {
      endAll(oldest[1], undefined);
      this.#open.delete(oldest[0]);
    }
    this.#open.set(task_id, open);
    return open;
  }

  #take(event: Event, open: OpenTrace): void {
    this.#turnOf(event, open);
    const at = new Date(event.created_at);
    switch (event.event) {
      case 'task.started':
        open.queue?.end(at);
        open.queue = undefined;
        open.workingSince = at;
        return;
      case 'task.status_changed':
        open.workingSince = at;
        return;
      case 'tool.requested': {
        const { tool_call_id, name, server, withheld } = event.payload as PayloadOf<'tool.requested'>;
        if (withheld) return;
        this.#wait(event, open, tool_call_id, `execute_tool ${name}`, {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': name,
          'gen_ai.tool.call.id': tool_call_id,
          ...(server === null ? {} : { 'mcp.method.name': 'tools/call', 'harn.mcp.server': server }),
        });
        return;
      }
      case 'tool.completed':
        settle(open, (event.payload as PayloadOf<'tool.completed'>).tool_call_id, at);
        return;
      case 'tool.failed': {
        const { tool_call_id, error } = event.payload as PayloadOf<'tool.failed'>;
        settle(open, tool_call_id, at, error.code);
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
        settle(open, (event.payload as Partial<PayloadOf<'tool.denied'>>).request_id ?? '', at);
        return;
      case 'vendor.harn_gateway.upstream_note': {
        const { usage } = event.payload as PayloadOf<'vendor.harn_gateway.upstream_note'>;
        if (usage?.input_tokens !== undefined)
          open.root.setAttribute('gen_ai.usage.input_tokens', usage.input_tokens);
        if (usage?.output_tokens !== undefined)
          open.root.setAttribute('gen_ai.usage.output_tokens', usage.output_tokens);
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

  /** A turn lasts from when the task began to work until the last event that the agent caused in it. */
  #turnOf(event: Event, open: OpenTrace): void {
    const { trace_id, span_id, actor, created_at } = event;
    if (actor === null || span_id === null || trace_id === null || !this.#agents.has(actor)) return;
    const last = new Date(created_at);
    if (open.turn?.id === span_id) {
      open.turn.last = last;
      return;
    }
    open.turn?.span.end(open.turn.last);
    this.#ids.next = { spanId: span_id };
    const attributes = { 'gen_ai.agent.name': actor, 'harn.task.id': event.task_id ?? '' };
    const span = this.#start('turn', SpanKind.CLIENT, event, open.inside, attributes, open.workingSince);
    open.turn = { id: span_id, span, last };
  }

  #wait(event: Event, open: OpenTrace, id: string, name: string, attributes: Attributes): void {
    if (open.waits.size >= MAX_WAITS) return;
    const within = open.turn === undefined ? open.inside : trace.setSpan(ROOT_CONTEXT, open.turn.span);
    open.waits.set(id, this.#start(name, SpanKind.INTERNAL, event, within, attributes));
  }

  /** Its times are those of the log's clock, so that it lies where its events do. */
  #commit(event: Event, { inside }: OpenTrace, { commitMs, writeMs, transactions }: WrittenGroup): void {
    const attributes = { 'harn.log.transactions': transactions, 'harn.log.write_ms': writeMs };
    const span = this.#start('commit', SpanKind.INTERNAL, event, inside, attributes);
    span.end(new Date(Date.parse(event.created_at) + commitMs));
  }

  #end(event: Event, open: OpenTrace, failure: string | undefined): void {
    this.#open.delete(event.task_id ?? '');
    open.root.setAttribute('harn.task.outcome', event.event.slice('task.'.length));
    if (failure !== undefined) fail(open.root, failure);
    endAll(open, new Date(event.created_at));
  }

  #start(
    name: string,
    kind: SpanKind,
    event: Event,
    within: Context,
    attributes: Attributes,
    startTime = new Date(event.created_at),
  ): Span {
    return this.#tracer.startSpan(name, { kind, startTime, attributes }, within);
  }
}

/** Events from which on a task is traced; after a restart those of the turn that takes it up. */
const BEGINS: ReadonlySet<string> = new Set(['task.submitted', 'task.started', 'task.status_changed']);

/** Gives the ids that were asked for, and random ones otherwise. */
class GivenIds implements IdGenerator {
  next: { traceId?: string; spanId?: string } = {};
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  generateTraceId = (): string => {
    const { traceId = this.#hex(16) } = this.next;
    this.next = {};
    return traceId;
  };

  generateSpanId = (): string => {
    const { spanId = this.#hex(8), ...rest } = this.next;
    this.next = rest;
    return spanId;
  };

  #hex(size: number): string {
    return Buffer.from(this.#random.bytes(size)).toString('hex');
  }
}

function contextOf(traceId: string, spanId: string): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}

function settle({ waits }: OpenTrace, id: string, at: Date, failure?: string): void {
  const span = waits.get(id);
  if (failure !== undefined && span !== undefined) fail(span, failure);
  span?.end(at);
  waits.delete(id);
}

function fail(span: Span, code: string): void {
  span.setAttribute('error.type', code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** `at` undefined: now. */
function endAll({ root, queue, turn, waits }: OpenTrace, at: Date | undefined): void {
  turn?.span.end(turn.last);
  for (const span of [...waits.values(), queue, root]) span?.end(at);
}
