import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { ERROR_CODES } from '#protocol/errors.ts';
import {
  type Bound,
  type LabelsOf,
  MAX_CURRENCIES,
  METRICS,
  type MetricName,
  OTHER,
  READ_COUNTERS,
  type ReadName,
  type RecordedName,
} from './metric-table.ts';

/** A value with the labels it has. */
interface Sample<Name extends MetricName> {
  labels: LabelsOf<Name>;
  value: number;
}

/** What is read at each scrape: the samples of each metric that nothing records. */
export type MetricFacts = {
  readonly [Name in ReadName]: () => readonly Sample<Name>[] | number | Promise<number>;
};

/** The names that labels may have besides those of the tables. */
export interface MetricNames {
  /** Routes of the configured agents, as they are now: a reload adds and removes some. */
  agents: Bounded;
  operations: readonly string[];
}

/** A metric with its values; those of a histogram as `/metrics` spells them, told apart by `metricName`. */
export interface MetricSeries {
  name: string;
  help: string;
  type: string;
  values: readonly {
    labels: Readonly<Record<string, string | number>>;
    value: number;
    metricName?: string;
  }[];
}

/** Takes what happened. A label outside of its bound becomes `other`, so that no name of a caller or agent makes a new series. */
export interface Recorder {
  record<Name extends RecordedName>(name: Name, labels: LabelsOf<Name>, value: number): void;
}

/** Failures of agents that are no error of the gateway, and what went well. */
const FURTHER_CODES = ['ok', 'runtime_error'];
const KEPT_ELSEWHERE: ReadonlySet<MetricName> = new Set(READ_COUNTERS);
const CURRENCY = /^[A-Z]{3}$/;

/** Prometheus metrics of the process and of the gateway: those of the table (metric-table.ts), and prom-client's of Node. */
export class Metrics implements Recorder {
  readonly #registry = new Registry();
  readonly #taking = new Map<string, Counter | Histogram>();
  readonly #bounds = new Map<string, readonly [label: string, allowed: Bounded][]>();

  constructor(names: MetricNames) {
    collectDefaultMetrics({ register: this.#registry });
    const allowed: Record<Extract<Bound, string>, Bounded> = {
      agents: names.agents,
      operations: new Set(names.operations),
      codes: new Set([...Object.keys(ERROR_CODES), ...FURTHER_CODES]),
      currencies: new FirstCurrencies(),
    };
    for (const name of Object.keys(METRICS) as MetricName[]) {
      const { labels } = METRICS[name];
      const bounds = Object.entries<Bound>(labels).map(([label, bound]): [string, Bounded] => [
        label,
        typeof bound === 'string' ? allowed[bound] : new Set(bound),
      ]);
      this.#bounds.set(name, bounds);
      if (METRICS[name].type !== 'gauge' && !KEPT_ELSEWHERE.has(name)) this.#addRecorded(name);
    }
  }

  record<Name extends RecordedName>(name: Name, labels: LabelsOf<Name>, value: number): void {
    const metric = this.#taking.get(name);
    const bounded: Record<string, string> = { ...labels };
    for (const [label, allowed] of this.#bounds.get(name) ?? []) {
      const named = bounded[label];
      if (named === undefined || !allowed.has(named)) bounded[label] = OTHER;
    }
    // A clock that was set back makes nothing negative.
    const amount = Math.max(0, value);
    if (metric instanceof Histogram) metric.observe(bounded, amount);
    else metric?.inc(bounded, amount);
  }

  /** All of them in the text format of Prometheus. */
  async read(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  /** All of them as values, read as for a scrape. */
  async values(): Promise<readonly MetricSeries[]> {
    return (await this.#registry.getMetricsAsJSON()) as unknown as MetricSeries[];
  }

  /** From now on these are read at each scrape. */
  readFrom(facts: MetricFacts): void {
    for (const name of Object.keys(facts) as ReadName[]) this.#addRead(name, facts[name]);
  }

  #configOf(name: MetricName) {
    const { help, labels } = METRICS[name];
    return { name, help, labelNames: Object.keys(labels), registers: [this.#registry] };
  }

  #addRecorded(name: MetricName): void {
    const row: (typeof METRICS)[MetricName] = METRICS[name];
    const config = this.#configOf(name);
    const buckets = 'buckets' in row ? { buckets: [...row.buckets] } : {};
    const metric = row.type === 'histogram' ? new Histogram({ ...config, ...buckets }) : new Counter(config);
    this.#taking.set(name, metric);
  }

  #addRead(name: ReadName, read: MetricFacts[ReadName]): void {
    const config = this.#configOf(name);
    if (METRICS[name].type === 'gauge')
      new Gauge({
        ...config,
        async collect() {
          const found = await read();
          if (typeof found === 'number') this.set(found);
          else for (const { labels, value } of found) this.set(labels, value);
        },
      });
    else
      new Counter({
        ...config,
        async collect() {
          const found = await read();
          this.reset();
          if (typeof found === 'number') this.inc(found);
          else for (const { labels, value } of found) this.inc(labels, value);
        },
      });
  }
}

type Bounded = Pick<ReadonlySet<string>, 'has'>;

/** Those that came first: agents say which currency they were paid in. */
class FirstCurrencies implements Bounded {
  readonly #known = new Set<string>();

  has(currency: string): boolean {
    if (this.#known.has(currency)) return true;
    if (this.#known.size === MAX_CURRENCIES || !CURRENCY.test(currency)) return false;
    this.#known.add(currency);
    return true;
  }
}
