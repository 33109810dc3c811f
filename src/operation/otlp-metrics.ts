import { type HrTime, ValueType } from '@opentelemetry/api';
import { getNumberFromEnv, millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import type { Clock } from '#protocol/ports.ts';
import type { MetricSeries, Metrics } from './metrics.ts';

export interface SentMetricsDeps {
  exporter: PushMetricExporter;
  resource: Resource;
  service: { version: string };
  metrics: Pick<Metrics, 'values'>;
  clock: Clock;
}

const INTERVAL_MS = 60_000;
const TIMEOUT_MS = 30_000;

/**
 * Sends the metrics of `/metrics` every minute, or as often as OTEL_METRIC_EXPORT_INTERVAL says: the same ones under the same names,
 * read where a scrape reads them.
 */
export class SentMetrics {
  readonly #provider: MeterProvider;

  constructor(deps: SentMetricsDeps) {
    const { exporter, resource } = deps;
    const exportIntervalMillis = getNumberFromEnv('OTEL_METRIC_EXPORT_INTERVAL') ?? INTERVAL_MS;
    const timeout = getNumberFromEnv('OTEL_METRIC_EXPORT_TIMEOUT') ?? TIMEOUT_MS;
    const reader = new PeriodicExportingMetricReader({
      exporter,
      exportIntervalMillis,
      exportTimeoutMillis: Math.min(timeout, exportIntervalMillis),
      metricProducers: [new RegistryProducer(deps)],
    });
    this.#provider = new MeterProvider({ resource, readers: [reader] });
  }

  /** Sends them once more. */
  async close(): Promise<void> {
    await this.#provider.shutdown();
  }
}

/** The registry of prom-client in the words of OpenTelemetry. Spec: OpenTelemetry, "Prometheus and OpenMetrics Compatibility". */
class RegistryProducer implements MetricProducer {
  readonly #deps: SentMetricsDeps;
  readonly #startedAt: HrTime;

  constructor(deps: SentMetricsDeps) {
    this.#deps = deps;
    this.#startedAt = millisToHrTime(deps.clock.now());
  }

  async collect(): Promise<CollectionResult> {
    const { metrics, clock, resource, service } = this.#deps;
    const all = await metrics.values();
    const times = { startTime: this.#startedAt, endTime: millisToHrTime(clock.now()) };
    const scope = { name: 'harn-gateway', version: service.version };
    const found = all.flatMap((series) => dataOf(series, times) ?? []);
    return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics: found }] }, errors: [] };
  }
}

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

/** Undefined for a kind that the gateway has none of. */
function dataOf({ name, help, type, values }: MetricSeries, times: Times): MetricData | undefined {
  const descriptor = { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE };
  const base = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  const points = () => values.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  switch (type) {
    case 'counter':
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case 'gauge':
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case 'histogram':
      return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(values, times) };
    default:
      return undefined;
  }
}

/** Spec: UCUM, as OpenTelemetry writes units. */
function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's';
  return /_bytes(_total)?$/.test(name) ? 'By' : '';
}

/** A histogram of Prometheus counts what is at most a bound; one of OpenTelemetry what is between two. */
function histograms(values: MetricSeries['values'], times: Times): DataPoint<Histogram>[] {
  const byLabels = new Map<string, DataPoint<Histogram> & { value: Open }>();
  for (const { labels: given, value, metricName = '' } of values) {
    const { le, ...attributes } = given;
    const key = JSON.stringify(attributes);
    const point = byLabels.get(key) ?? { ...times, attributes, value: emptyHistogram() };
    byLabels.set(key, point);
    const { value: open } = point;
    if (metricName.endsWith('_sum')) open.sum = value;
    else if (metricName.endsWith('_count')) open.count = value;
    else {
      open.buckets.counts.push(value - open.upTo);
      open.upTo = value;
      if (le !== '+Inf') open.buckets.boundaries.push(Number(le));
    }
  }
  return [...byLabels.values()].map(({ value: { upTo: _, ...value }, ...point }) => ({ ...point, value }));
}

/** `upTo`: how many are at most the newest bound. */
type Open = { -readonly [Member in keyof Histogram]: Histogram[Member] } & { upTo: number };

function emptyHistogram(): Open {
  return { buckets: { boundaries: [], counts: [] }, sum: 0, count: 0, upTo: 0 };
}
