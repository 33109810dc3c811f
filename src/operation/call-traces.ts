import type { Attributes } from '@opentelemetry/api';
import type { Answer, AnsweredRequest, Call, Gateway, TracedRequest } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { Clock } from '#protocol/ports.ts';
import { parseTraceparent, type TraceContext, traceparentOf } from '#protocol/trace-context.ts';
import type { TracedExchange } from '#protocol-client.ts';
import type { Face } from './metric-table.ts';
import { type Span, SpanKind, type Spans } from './spans.ts';
import type { TaskTraces } from './tracing.ts';
import { passedOn } from './work-metrics.ts';

export interface CallTracesDeps {
  spans: Spans;
  clock: Clock;
  tasks: Pick<TaskTraces, 'placeOf'>;
}

/**
 * The spans of what comes in and of what goes out: requests, with their admission as an event (their caller is let in and what is asked
 * can be decided), and exchanges with agents and tool servers.
 * Spec: OpenTelemetry semantic conventions, "HTTP spans", "RPC spans" and "MCP".
 */
export class CallTraces {
  readonly #deps: CallTracesDeps;

  constructor(deps: CallTracesDeps) {
    this.#deps = deps;
  }

  /** Follows a request over HTTP. It has a span once a caller of it is known: strangers make none. */
  request(): TracedRequest {
    return new RequestSpan(this.#deps);
  }

  /** The same gateway, with a span for each call of one face that is in no HTTP request. */
  gatewayOf(face: Face, gateway: Gateway): Gateway {
    return {
      ...passedOn(gateway),
      call: async (id, given) => {
        const { call, traced } = this.#enter(face, id, given);
        try {
          const answer = await gateway.call(id, call);
          traced?.answered(taskIn(answer) ?? call.path['task_id'], answer.repeated === true);
          return answer;
        } catch (error) {
          traced?.failed(ProtocolError.from(error));
          throw error;
        }
      },
      subscribe: async (id, given, sink) => {
        const { call, traced } = this.#enter(face === 'rest' ? 'sse' : face, id, given);
        try {
          const subscription = await gateway.subscribe(id, call, sink);
          traced?.answered(call.path['task_id'], false);
          return subscription;
        } catch (error) {
          traced?.failed(ProtocolError.from(error));
          throw error;
        }
      },
    };
  }

  /** An exchange with an agent or a tool server in a turn that has this place in its trace. */
  exchange(place: TraceContext, name: string, attributes: Attributes): TracedExchange {
    const { spans, clock } = this.#deps;
    const startMs = clock.now();
    const beganMs = clock.monotonic();
    const span = spans.begin(name, place, { kind: SpanKind.CLIENT, startMs, attributes });
    return {
      traceparent: traceparentOf(span.place),
      end: (failure) => {
        if (span.ended) return;
        if (failure !== undefined) span.fail(failure);
        span.end(startMs + clock.monotonic() - beganMs);
      },
    };
  }

  #enter(face: Face, id: string, given: Call): { call: Call; traced: TracedCall | undefined } {
    const around = given.request instanceof RequestSpan ? given.request : undefined;
    const traced = new TracedCall(this.#deps, { face, id }, given.traceparent, around);
    // Its signal is made on demand, so the call is changed and not copied.
    given.traceparent = traced.traceparent;
    if (!traced.isRecorded) return { call: given, traced: undefined };
    given.admitted = () => traced.admitted();
    return { call: given, traced };
  }
}

/** A call of a face. */
class TracedCall {
  readonly #deps: CallTracesDeps;
  readonly #startMs: number;
  readonly #beganMs: number;
  /** The request that it is, or that it is in. */
  readonly #span: Span;
  readonly #isOwn: boolean;
  readonly #face: Face;
  readonly #operation: string;
  /** Undefined once the caller is let in, or refused. */
  #enteredMs: number | undefined;

  constructor(
    deps: CallTracesDeps,
    { face, id }: { face: Face; id: string },
    traceparent: string | undefined,
    around: RequestSpan | undefined,
  ) {
    const { spans, clock } = deps;
    this.#deps = deps;
    this.#startMs = clock.now();
    this.#beganMs = clock.monotonic();
    this.#face = face;
    this.#operation = id;
    const caller = traceparent === undefined ? undefined : parseTraceparent(traceparent);
    const span = around?.openFor(caller);
    this.#isOwn = span === undefined;
    this.#span =
      span ??
      spans.begin(id, caller, {
        kind: SpanKind.SERVER,
        startMs: this.#startMs,
        attributes: { 'harn.face': face, 'harn.operation': id },
        links: around?.span === undefined ? [] : [{ to: around.span.place, why: 'carried_by' }],
      });
    this.#enteredMs = around?.takeStart() ?? this.#startMs;
  }

  get isRecorded(): boolean {
    return this.#span.isRecorded;
  }

  /** What the call says of its trace from here on: its request is the parent of what it causes. */
  get traceparent(): string {
    return traceparentOf(this.#span.place);
  }

  /** `failure`: the code with which the caller was refused. */
  admitted(failure?: string): void {
    const startMs = this.#enteredMs;
    this.#enteredMs = undefined;
    if (startMs === undefined) return;
    const nowMs = this.#nowMs();
    const attributes: Attributes = {
      'harn.face': this.#face,
      'harn.operation': this.#operation,
      'harn.duration_ms': nowMs - startMs,
    };
    if (failure !== undefined) attributes['error.type'] = failure;
    this.#span.event('admission', nowMs, attributes);
  }

  /** A call that is about a task of another trace is linked to it; a submission that was given again is one of these. */
  answered(taskId: string | undefined, isRepeated: boolean): void {
    this.admitted();
    const { traceId } = this.#span.spanContext();
    const to = taskId === undefined ? undefined : this.#deps.tasks.placeOf(taskId, traceId);
    if (to !== undefined) this.#span.link({ to, why: isRepeated ? 'repeats' : 'about' });
    this.#end();
  }

  failed({ code, status }: ProtocolError): void {
    this.admitted(code);
    if (this.#isOwn && status >= 500) this.#span.fail(code);
    else if (this.#isOwn) this.#span.set('error.type', code);
    this.#end();
  }

  #end(): void {
    if (this.#isOwn) this.#span.end(this.#nowMs());
  }

  #nowMs(): number {
    return this.#startMs + this.#deps.clock.monotonic() - this.#beganMs;
  }
}

/** An HTTP request. Its span begins where the request did, when its first call is made. */
class RequestSpan implements TracedRequest {
  span: Span | undefined;
  readonly #deps: CallTracesDeps;
  readonly #startMs: number;
  readonly #beganMs: number;
  #isEntered = false;
  #isOver = false;

  constructor(deps: CallTracesDeps) {
    this.#deps = deps;
    this.#startMs = deps.clock.now();
    this.#beganMs = deps.clock.monotonic();
  }

  /** Undefined for a call of another trace than this request, and once it is over. */
  openFor(caller: TraceContext | undefined): Span | undefined {
    if (this.#isOver) return undefined;
    this.span ??= this.#deps.spans.begin('request', caller, {
      kind: SpanKind.SERVER,
      startMs: this.#startMs,
    });
    return caller === undefined || caller.traceId === this.span.spanContext().traceId ? this.span : undefined;
  }

  /** The admission of the first call begins with the request: reading it is part of that. */
  takeStart(): number | undefined {
    if (this.#isEntered) return undefined;
    this.#isEntered = true;
    return this.#startMs;
  }

  get place(): TraceContext | undefined {
    return this.span?.place;
  }

  end({ method, route, status, errorCode }: AnsweredRequest): void {
    this.#isOver = true;
    const { span } = this;
    if (span === undefined || !span.isRecorded) return;
    span.name = `${method} ${route}`;
    span.set('http.request.method', method);
    span.set('http.route', route);
    span.set('http.response.status_code', status);
    if (status >= 500) span.fail(errorCode ?? String(status));
    else if (errorCode !== undefined) span.set('error.type', errorCode);
    span.end(this.#startMs + this.#deps.clock.monotonic() - this.#beganMs);
  }
}

/** The id of the task that was answered with. */
function taskIn({ body }: Answer): string | undefined {
  if (body.kind !== 'json' || !isObject(body.value)) return undefined;
  const { id } = body.value;
  return typeof id === 'string' && id.startsWith('task_') ? id : undefined;
}
