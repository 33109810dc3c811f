import {
  type Attributes,
  type Context,
  createNoopMeter,
  DiagLogLevel,
  diag,
  type MeterProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { millisToHrTime, setGlobalErrorHandler } from '@opentelemetry/core';
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type BufferConfig,
  type IdGenerator,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { Logger, Random } from '#protocol/ports.ts';
import type { TraceContext } from '#protocol/trace-context.ts';

/** Who sends; OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME say more, or otherwise. */
export function resourceOf(service: { name: string; version: string }): Resource {
  const own = resourceFromAttributes({ 'service.name': service.name, 'service.version': service.version });
  return own.merge(detectResources({ detectors: [envDetector] }));
}

export interface SpansDeps {
  exporter: SpanExporter;
  resource: Resource;
  version: string;
  random: Random;
  /** Spans found no place in the queue. */
  dropped(spans: number): void;
}

/** What a span is begun with. Times in epoch milliseconds. */
export interface Begin {
  kind?: SpanKind;
  startMs: number;
  attributes?: Attributes;
  /** Ids that it has to have; default: random ones, and the trace of what it is within. */
  ids?: GivenSpanIds;
  links?: readonly LinkTo[];
}

/** What a span that is over is told with. `failure`: a code. */
export interface Leaf {
  startMs: number;
  endMs: number;
  attributes?: Attributes;
  failure?: string | undefined;
}

const SCOPE = 'harn-gateway';

export interface GivenSpanIds {
  traceId?: string;
  spanId?: string;
}

/** `why`: one word on what the two spans have to do with each other. */
export interface LinkTo {
  to: TraceContext;
  why: string;
}

/** Makes spans by the SDK of OpenTelemetry; which of them are recorded is up to its sampler (OTEL_TRACES_SAMPLER). */
export class Spans {
  readonly #provider: BasicTracerProvider;
  readonly #tracer: Tracer;
  readonly #ids: GivenIds;
  readonly #processor: SpanProcessor;
  readonly #sender: Pick<ReadableSpan, 'resource' | 'instrumentationScope'>;

  constructor({ exporter, resource, version, random, dropped }: SpansDeps) {
    this.#ids = new GivenIds(random);
    const batches: BufferConfig & { selfObsMeterProvider: MeterProvider } = {
      selfObsMeterProvider: countingDropped(dropped),
    };
    this.#processor = new BatchSpanProcessor(exporter, batches);
    this.#sender = { resource, instrumentationScope: { name: SCOPE, version } };
    this.#provider = new BasicTracerProvider({
      resource,
      spanProcessors: [this.#processor],
      idGenerator: this.#ids,
    });
    this.#tracer = this.#provider.getTracer(SCOPE, version);
  }

  begin(
    name: string,
    within: Context,
    { kind = SpanKind.INTERNAL, startMs, attributes = {}, ids, links = [] }: Begin,
  ): Span {
    this.#ids.next = ids ?? {};
    return this.#tracer.startSpan(
      name,
      { kind, startTime: startMs, attributes, links: links.map(linkOf) },
      within,
    );
  }

  /**
   * A span that is told when it is over, within one that is not: it is sampled as that one is, as all samplers of the SDK decide by the
   * trace or by the parent. A third of the work of one that is begun and ended.
   */
  leaf(name: string, parent: Span, { startMs, endMs, attributes = {}, failure }: Leaf): void {
    const parentSpanContext = parent.spanContext();
    const { traceId, traceFlags } = parentSpanContext;
    if ((traceFlags & TraceFlags.SAMPLED) === 0) return;
    const context: SpanContext = { traceId, spanId: this.#ids.generateSpanId(), traceFlags };
    this.#processor.onEnd({
      ...this.#sender,
      name,
      kind: SpanKind.INTERNAL,
      spanContext: () => context,
      parentSpanContext,
      startTime: millisToHrTime(startMs),
      endTime: millisToHrTime(Math.max(startMs, endMs)),
      duration: millisToHrTime(Math.max(0, endMs - startMs)),
      attributes: failure === undefined ? attributes : { ...attributes, 'error.type': failure },
      status: { code: failure === undefined ? SpanStatusCode.UNSET : SpanStatusCode.ERROR },
      links: [],
      events: [],
      ended: true,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    });
  }

  /** Sends what is left. Resolves also when the receiver takes nothing. */
  async close(): Promise<void> {
    await this.#provider.shutdown();
  }
}

/** By the words of the SDK on itself. Spec: OpenTelemetry semantic conventions, "OpenTelemetry SDK Metrics". */
function countingDropped(dropped: (spans: number) => void): MeterProvider {
  const meter = createNoopMeter();
  const none = meter.createCounter('');
  const processed = {
    add: (spans: number, attributes?: Attributes) => {
      if (attributes?.['error.type'] === 'queue_full') dropped(spans);
    },
  };
  const counting = Object.assign(Object.create(meter), {
    createCounter: (name: string) => (name === 'otel.sdk.processor.span.processed' ? processed : none),
  });
  return { getMeter: () => counting };
}

/** The words of the SDK go to the log, each once; that an export failed is said by who watches the exports. */
export function reportSdk(logger: Logger): void {
  const said = new Set<string>();
  const report = (message: string) => {
    const what = message.replace(/\d+/g, 'n');
    if (said.has(what) || said.size >= MAX_SAID) return;
    said.add(what);
    logger.warn({}, `OpenTelemetry: ${message}`);
  };
  const silent = () => undefined;
  diag.setLogger(
    { error: report, warn: report, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  setGlobalErrorHandler(silent);
}

const MAX_SAID = 100;

export { type Context, ROOT_CONTEXT as NOWHERE, type Span, SpanKind };

/** Within a span of this process. */
export function within(span: Span): Context {
  return trace.setSpan(ROOT_CONTEXT, span);
}

/** Within a span that is known by its ids. */
export function withinIds(context: TraceContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, { ...spanContextOf(context), isRemote: true });
}

export function contextOf(span: Span): TraceContext {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) === TraceFlags.SAMPLED };
}

export function addLink(span: Span, link: LinkTo): void {
  span.addLink(linkOf(link));
}

export function fail(span: Span, code: string): void {
  span.setAttribute('error.type', code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function linkOf({ to, why }: LinkTo) {
  return { context: spanContextOf(to), attributes: { 'harn.link': why } };
}

function spanContextOf({ traceId, spanId, isSampled }: TraceContext): SpanContext {
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE };
}

/** Gives the ids that were asked for, and random ones otherwise. */
class GivenIds implements IdGenerator {
  next: GivenSpanIds = {};
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
