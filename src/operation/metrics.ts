import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Facts read at each scrape. */
export interface MetricFacts {
  runningTasks(): number;
  queuedTasks(): number;
  openStreams(): number;
  /** Number of the newest durable commit. */
  commits(): number;
  /** Number of the newest durable event. */
  events(): number;
  ready(): boolean;
  /** Calls that were refused since the start, by error code. */
  refused(): ReadonlyMap<string, number>;
}

const GAUGES: readonly [name: string, help: string, read: (facts: MetricFacts) => number][] = [
  ['harn_tasks_running', 'Tasks whose agent works now.', (facts) => facts.runningTasks()],
  [
    'harn_tasks_queued',
    'Accepted tasks that wait for their session or a slot.',
    (facts) => facts.queuedTasks(),
  ],
  ['harn_streams_open', 'Open event streams.', (facts) => facts.openStreams()],
  ['harn_log_commits', 'Number of the newest durable commit.', (facts) => facts.commits()],
  ['harn_log_events', 'Number of the newest durable event.', (facts) => facts.events()],
  ['harn_ready', '1 while new work is taken, else 0.', (facts) => Number(facts.ready())],
];

/** Prometheus metrics of the process and of the gateway. No label holds an id, so their number is bounded. */
export function createMetrics(facts: MetricFacts): {
  read(): Promise<{ contentType: string; text: string }>;
} {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const [name, help, read] of GAUGES) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read(facts));
      },
    });
  }
  new Counter({
    name: 'harn_calls_refused_total',
    help: 'Calls that were refused, by the code of their error.',
    labelNames: ['code'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [code, count] of facts.refused()) this.inc({ code }, count);
    },
  });
  return { read: async () => ({ contentType: registry.contentType, text: await registry.metrics() }) };
}
