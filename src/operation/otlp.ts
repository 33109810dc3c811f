import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from '@opentelemetry/otlp-exporter-base/node-http';
import {
  type IExporterMetricsHelper,
  type ISerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  MetricsExporterMetricsHelper,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer';
import { emptyResource } from '@opentelemetry/resources';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '#protocol/ports.ts';
import type { Recorder } from './metrics.ts';

/** Where a signal goes, and in which form. */
export interface OtlpTarget {
  url: string;
  protocol: 'http/protobuf' | 'http/json';
}

const CONTENT_TYPES = {
  'http/protobuf': 'application/x-protobuf',
  'http/json': 'application/json',
} as const satisfies Record<OtlpTarget['protocol'], string>;

/** Sends traces over HTTP; headers, timeout, compression and certificates are those of the OTEL_* variables. */
export function traceExporter(
  target: OtlpTarget,
  watch: Pick<ExportWatch, 'settled'>,
  timeoutMs?: number,
): SpanExporter {
  const serializer = { 'http/protobuf': ProtobufTraceSerializer, 'http/json': JsonTraceSerializer };
  return exporterOf(
    'traces',
    target,
    serializer[target.protocol],
    TraceExporterMetricsHelper,
    watch,
    timeoutMs,
  );
}

/** Sends metrics in the same way. */
export function metricExporter(
  target: OtlpTarget,
  watch: Pick<ExportWatch, 'settled'>,
  timeoutMs?: number,
): PushMetricExporter {
  const serializer = { 'http/protobuf': ProtobufMetricsSerializer, 'http/json': JsonMetricsSerializer };
  return exporterOf(
    'metrics',
    target,
    serializer[target.protocol],
    MetricsExporterMetricsHelper,
    watch,
    timeoutMs,
  );
}

/** Time for a receiver to answer one who only asks whether it is there. */
const PROBE_MS = 3_000;

/** Sends a receiver nothing, as an export without items; resolves with why it does not take that, undefined where it does. */
export async function probe(signal: Signal, target: OtlpTarget): Promise<string | undefined> {
  const found = new Promise<ExportResult>((resolve) => {
    const watch = { settled: (_signal: Signal, _items: number, result: ExportResult) => resolve(result) };
    const silent = () => undefined;
    if (signal === 'traces') traceExporter(target, watch, PROBE_MS).export([], silent);
    else
      metricExporter(target, watch, PROBE_MS).export({ resource: emptyResource(), scopeMetrics: [] }, silent);
  });
  const { code, error } = await found;
  return code === ExportResultCode.SUCCESS ? undefined : reasonOf(error);
}

function exporterOf<Items, Answer>(
  signal: Signal,
  { url, protocol }: OtlpTarget,
  serializer: ISerializer<Items, Answer>,
  helper: IExporterMetricsHelper<Items>,
  watch: Pick<ExportWatch, 'settled'>,
  timeoutMs: number | undefined,
): WatchedExporter<Items> {
  const headers = { 'Content-Type': CONTENT_TYPES[protocol] };
  const bound = timeoutMs === undefined ? {} : { timeoutMillis: timeoutMs };
  const options = convertLegacyHttpOptions({ url, ...bound }, signal.toUpperCase(), `v1/${signal}`, headers);
  const type = `otlp_http_${protocol === 'http/json' ? 'json_' : ''}${helper.name}_exporter`;
  const delegate = createOtlpHttpExportDelegate(options, serializer, type, helper, undefined);
  return new WatchedExporter(delegate, (items, result) =>
    watch.settled(signal, helper.countItems(items), result),
  );
}

/** Says how each export ended. */
class WatchedExporter<Items> extends OTLPExporterBase<Items> {
  readonly #settled: (items: Items, result: ExportResult) => void;

  constructor(
    delegate: ConstructorParameters<typeof OTLPExporterBase<Items>>[0],
    settled: (items: Items, result: ExportResult) => void,
  ) {
    super(delegate);
    this.#settled = settled;
  }

  override export(items: Items, done: (result: ExportResult) => void): void {
    super.export(items, (result) => {
      this.#settled(items, result);
      done(result);
    });
  }
}

export type Signal = 'traces' | 'metrics';

interface ExportWatchDeps {
  logger: Logger;
  /** Undefined where nothing is measured. */
  recorder: Recorder | undefined;
  targets: Readonly<Partial<Record<Signal, OtlpTarget>>>;
}

/** Counts what was sent and what was not, and says in the log when a receiver fails, once, and when it takes things again. */
export class ExportWatch {
  readonly #deps: ExportWatchDeps;
  readonly #failing = new Set<Signal>();

  constructor(deps: ExportWatchDeps) {
    this.#deps = deps;
  }

  settled(signal: Signal, items: number, { code, error }: ExportResult): void {
    const isSent = code === ExportResultCode.SUCCESS;
    this.#count(signal, isSent ? 'sent' : 'failed', items);
    if (isSent === !this.#failing.has(signal)) return;
    const { logger, targets } = this.#deps;
    const facts = { signal, receiver: originOf(targets[signal]) };
    if (isSent) {
      this.#failing.delete(signal);
      logger.info(facts, 'the OpenTelemetry receiver takes what is sent again');
    } else {
      this.#failing.add(signal);
      const message =
        'the OpenTelemetry receiver does not take what is sent; it is tried again, and what it does not take is lost';
      logger.warn({ ...facts, reason: reasonOf(error) }, message);
    }
  }

  /** The receiver is slower than the work: the queue was full. */
  dropped(signal: Signal, items: number): void {
    this.#count(signal, 'dropped', items);
  }

  #count(signal: Signal, outcome: string, items: number): void {
    this.#deps.recorder?.record('harn_telemetry_items_total', { signal, outcome }, items);
  }
}

function originOf(target: OtlpTarget | undefined): string {
  return target === undefined ? '' : new URL(target.url).origin;
}

/** What the receiver answered stays out: it may repeat what it was sent. */
function reasonOf(error: (Error & { code?: unknown }) | undefined): string {
  const { code, message = 'no answer' } = error ?? {};
  return typeof code === 'number' ? `HTTP ${code}` : message.slice(0, MAX_REASON);
}

const MAX_REASON = 200;
