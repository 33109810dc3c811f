import type { EventLog } from '#eventlog/event-log.ts';
import type { Clock, Logger, Random } from '#protocol/ports.ts';
import type { Timers } from '#surfaces/timers.ts';
import { CallTraces } from './call-traces.ts';
import type { Metrics } from './metrics.ts';
import { ExportWatch, metricExporter, type OtlpTarget, type Signal, traceExporter } from './otlp.ts';
import { SentMetrics } from './otlp-metrics.ts';
import { reportSdk, resourceOf, Spans } from './spans.ts';
import { TaskTraces } from './tracing.ts';

export interface TelemetryDeps {
  targets: Readonly<Partial<Record<Signal, OtlpTarget>>>;
  content: boolean;
  service: { name: string; version: string };
  agents: Pick<ReadonlySet<string>, 'has'>;
  /** Undefined where nothing is measured. */
  metrics: Metrics | undefined;
  log: Pick<EventLog, 'state' | 'tail'>;
  clock: Clock;
  random: Random;
  logger: Logger;
  timers: Pick<Timers, 'after'>;
}

/** Time for what is left to be sent when the gateway stops. */
const CLOSE_MS = 3_000;

/** What goes to a receiver of OpenTelemetry. It is loaded where an operator wants something sent. */
export class Telemetry {
  /** Undefined where no traces are sent. */
  readonly calls: CallTraces | undefined;
  readonly #timers: TelemetryDeps['timers'];
  readonly #closers: (() => Promise<void> | void)[] = [];

  constructor(deps: TelemetryDeps) {
    const { targets, service, metrics, log, logger } = deps;
    this.#timers = deps.timers;
    reportSdk(logger);
    const watch = new ExportWatch({ logger, recorder: metrics, targets });
    const resource = resourceOf(service);
    if (targets.metrics !== undefined && metrics !== undefined) {
      const sent = new SentMetrics({
        ...deps,
        metrics,
        resource,
        exporter: metricExporter(targets.metrics, watch),
      });
      this.#closers.push(() => sent.close());
    }
    if (targets.traces === undefined) return;
    const spans = new Spans({
      exporter: traceExporter(targets.traces, watch),
      resource,
      version: service.version,
      random: deps.random,
      dropped: (count) => watch.dropped('traces', count),
    });
    const tasks = new TaskTraces({ ...deps, spans });
    this.calls = new CallTraces({ ...deps, spans, tasks });
    const stop = log.tail(tasks.committed.bind(tasks));
    this.#closers.push(() => {
      stop();
      tasks.close();
      return spans.close();
    });
  }

  /** Sends what is left, as far as the receiver takes it soon. */
  async close(): Promise<void> {
    const sent = Promise.all(this.#closers.map((close) => close())).catch(() => undefined);
    await new Promise<void>((resolve) => {
      const stop = this.#timers.after(CLOSE_MS, resolve);
      void sent.then(() => {
        stop();
        resolve();
      });
    });
  }
}
