import {
  type Attributes,
  createNoopMeter,
  DiagLogLevel,
  diag,
  type HrTime,
  type Link,
  type MeterProvider,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  type SpanStatus,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import {
  getNumberFromEnv,
  getStringFromEnv,
  type InstrumentationScope,
  millisToHrTime,
  setGlobalErrorHandler,
} from '@opentelemetry/core';
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type BufferConfig,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  type SpanProcessor,
  type TimedEvent,
  TraceIdRatioBasedSampler,
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
  /** They become those of the span, and are not copied. */
  attributes?: Attributes;
  /** Ids that it has to have; default: random ones, and the trace of its parent. */
  ids?: { traceId?: string; spanId?: string };
  links?: readonly LinkTo[];
}

/** `why`: one word on what the two spans have to do with each other. */
export interface LinkTo {
  to: TraceContext;
  why: string;
}

const SCOPE = 'harn-gateway';
/** Of the specification, where the OTEL_* variables say nothing. */
const MAX_EVENTS = 128;
/** Random ids are drawn for so many spans at once. */
const DRAWN_SPANS = 64;
const SPAN_ID_BYTES = 8;
const TRACE_ID_BYTES = 16;

/** What all spans of a process share. */
interface Shared {
  readonly resource: Resource;
  readonly instrumentationScope: InstrumentationScope;
  readonly processor: Pick<SpanProcessor, 'onEnd'>;
  readonly maxEvents: number;
  /** Characters of an attribute. */
  readonly maxText: number;
}

/**
 * Makes spans for the batches and the exporters of the SDK; which of them are recorded is up to its samplers (OTEL_TRACES_SAMPLER). The
 * spans are our own: those of the SDK keep a copy of everything they are given, and cost a task three times as much.
 */
export class Spans {
  readonly #processor: SpanProcessor;
  readonly #shared: Shared;
  readonly #sampler: Sampler;
  readonly #random: Random;
  /** The parent that the sampler is asked about, in the one context for all questions. */
  readonly #asked: SpanContext = { traceId: '', spanId: '', traceFlags: TraceFlags.NONE, isRemote: true };
  readonly #asking = trace.setSpanContext(ROOT_CONTEXT, this.#asked);
  /** Hex digits that no span has yet. */
  #drawn = '';

  constructor({ exporter, resource, version, random, dropped }: SpansDeps) {
    this.#random = random;
    const batches: BufferConfig & { selfObsMeterProvider: MeterProvider } = {
      selfObsMeterProvider: countingDropped(dropped),
    };
    this.#processor = new BatchSpanProcessor(exporter, batches);
    this.#sampler = samplerOfEnv();
    this.#shared = {
      resource,
      instrumentationScope: { name: SCOPE, version },
      processor: this.#processor,
      maxEvents: getNumberFromEnv('OTEL_SPAN_EVENT_COUNT_LIMIT') ?? MAX_EVENTS,
      maxText: longestText(),
    };
  }

  /**
   * `parent`: a span of this process, which decides whether this one is recorded, as all samplers of the SDK decide by the trace or by the
   * parent; or a place in a trace, of which the sampler decides; undefined begins a trace.
   */
  begin(name: string, parent: Span | TraceContext | undefined, begin: Begin): Span {
    const around = parent instanceof Span ? parent.spanContext() : parent && remoteContextOf(parent);
    const traceId = begin.ids?.traceId ?? around?.traceId ?? this.#hex(TRACE_ID_BYTES);
    const isSampled =
      parent instanceof Span ? parent.isRecorded : this.#isSampled(name, around, traceId, begin);
    const context: SpanContext = {
      traceId,
      spanId: begin.ids?.spanId ?? this.#spanId(),
      traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    };
    return new Span(this.#shared, name, context, around, begin);
  }

  /** Sends what is left. Resolves also when the receiver takes nothing. */
  async close(): Promise<void> {
    await this.#processor.shutdown();
  }

  #isSampled(
    name: string,
    parent: SpanContext | undefined,
    traceId: string,
    { kind = SpanKind.INTERNAL, attributes = NONE }: Begin,
  ): boolean {
    if (parent !== undefined) Object.assign(this.#asked, parent);
    const within = parent === undefined ? ROOT_CONTEXT : this.#asking;
    const { decision } = this.#sampler.shouldSample(within, traceId, name, kind, attributes, NOTHING);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  }

  #spanId(): string {
    const digits = 2 * SPAN_ID_BYTES;
    if (this.#drawn.length < digits) this.#drawn = this.#hex(DRAWN_SPANS * SPAN_ID_BYTES);
    const id = this.#drawn.slice(0, digits);
    this.#drawn = this.#drawn.slice(digits);
    return id;
  }

  #hex(bytes: number): string {
    return Buffer.from(this.#random.bytes(bytes)).toString('hex');
  }
}

const NOTHING: never[] = [];
const NONE: Attributes = {};
const UNSET: SpanStatus = { code: SpanStatusCode.UNSET };
const FAILED: SpanStatus = { code: SpanStatusCode.ERROR };

/** A span, in the form that the SDK sends. One that is not recorded takes everything and keeps its ids only. */
export class Span implements ReadableSpan {
  readonly kind: SpanKind;
  readonly parentSpanContext?: SpanContext;
  readonly attributes: Attributes;
  name: string;
  status = UNSET;
  links: Link[] = NOTHING;
  events: TimedEvent[] = NOTHING;
  droppedEventsCount = 0;
  ended = false;
  readonly #shared: Shared;
  readonly startTime: HrTime;
  endTime: HrTime;
  readonly #context: SpanContext;
  readonly #startMs: number;
  #endMs: number;

  constructor(
    shared: Shared,
    name: string,
    context: SpanContext,
    parent: SpanContext | undefined,
    { kind = SpanKind.INTERNAL, startMs, attributes = {}, links }: Begin,
  ) {
    this.#shared = shared;
    this.#context = context;
    this.name = name;
    this.kind = kind;
    if (parent !== undefined) this.parentSpanContext = parent;
    this.attributes = attributes;
    this.#startMs = startMs;
    this.#endMs = startMs;
    this.startTime = millisToHrTime(startMs);
    this.endTime = this.startTime;
    for (const link of links ?? NOTHING) this.link(link);
  }

  /** Whether it is sent once it has ended. */
  get isRecorded(): boolean {
    return (this.#context.traceFlags & TraceFlags.SAMPLED) !== 0;
  }

  get place(): TraceContext {
    const { traceId, spanId } = this.#context;
    return { traceId, spanId, isSampled: this.isRecorded };
  }

  set(name: string, value: string | number): void {
    this.attributes[name] = value;
  }

  link({ to, why }: LinkTo): void {
    if (this.links === NOTHING) this.links = [];
    this.links.push({ context: contextOf(to), attributes: { 'harn.link': why } });
  }

  /** Something that is over and was within it. Beyond the limit such things are counted only. */
  event(name: string, atMs: number, attributes: Attributes): void {
    if (!this.isRecorded) return;
    if (this.events.length >= this.#shared.maxEvents) this.droppedEventsCount += 1;
    else {
      if (this.events === NOTHING) this.events = [];
      this.events.push({ name, time: millisToHrTime(atMs), attributes, droppedAttributesCount: 0 });
    }
  }

  /** It ends with an error. `code`: one of a closed list. */
  fail(code: string): void {
    this.set('error.type', code);
    this.status = FAILED;
  }

  /** Takes it out of our hands; a second end does nothing. */
  end(atMs: number): void {
    if (this.ended) return;
    this.ended = true;
    // A clock may go back.
    this.#endMs = Math.max(this.#startMs, atMs);
    this.endTime = millisToHrTime(this.#endMs);
    const { processor, maxText } = this.#shared;
    if (Number.isFinite(maxText)) shorten(this.attributes, maxText);
    processor.onEnd(this);
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  get resource(): Resource {
    return this.#shared.resource;
  }

  get instrumentationScope(): InstrumentationScope {
    return this.#shared.instrumentationScope;
  }

  get duration(): HrTime {
    return millisToHrTime(this.#endMs - this.#startMs);
  }

  get droppedAttributesCount(): number {
    return 0;
  }

  get droppedLinksCount(): number {
    return 0;
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

export { SpanKind };

function contextOf({ traceId, spanId, isSampled }: TraceContext): SpanContext {
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE };
}

function remoteContextOf({ traceId, spanId, isSampled }: TraceContext): SpanContext {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return { traceId, spanId, traceFlags, isRemote: true };
}

function shorten(attributes: Attributes, max: number): void {
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === 'string' && value.length > max) attributes[name] = value.slice(0, max);
}

/** Spec: OpenTelemetry, "Environment Variables", "General SDK Configuration". */
const SAMPLERS: Readonly<Record<string, () => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: () => new TraceIdRatioBasedSampler(ratioOfEnv()),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: () =>
    new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratioOfEnv()) }),
};
const DEFAULT_SAMPLER = 'parentbased_always_on';

/** The one that OTEL_TRACES_SAMPLER names. One that is not known is told of, and is the default. */
function samplerOfEnv(): Sampler {
  const named = getStringFromEnv('OTEL_TRACES_SAMPLER') ?? DEFAULT_SAMPLER;
  const known = Object.hasOwn(SAMPLERS, named) ? SAMPLERS[named] : undefined;
  if (known === undefined)
    diag.warn(
      `OTEL_TRACES_SAMPLER=${named} is not known, so ${DEFAULT_SAMPLER} is taken; known are ${Object.keys(SAMPLERS).join(', ')}`,
    );
  return known?.() ?? new ParentBasedSampler({ root: new AlwaysOnSampler() });
}

function ratioOfEnv(): number {
  const ratio = getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG');
  if (ratio !== undefined && ratio >= 0 && ratio <= 1) return ratio;
  diag.warn('OTEL_TRACES_SAMPLER_ARG has to be a number from 0 to 1, so all traces are sampled');
  return 1;
}

/** A limit that is no number above 0 is none, as in the SDK. */
function longestText(): number {
  const limit =
    getNumberFromEnv('OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT') ??
    getNumberFromEnv('OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT') ??
    0;
  return limit > 0 ? limit : Number.POSITIVE_INFINITY;
}
