import { OtlpCollector } from '../harness/otlp-collector.ts';
import { amount, type Bench, type Row } from './bench.ts';
import { Child } from './child.ts';
import type { Allocated } from './commands.ts';
import { writeConfig } from './data-directory.ts';
import { CLIENTS, gatewaySide, SESSIONS_PER_CLIENT } from './durable-task.ts';
import { type GatewayAddress, GatewayClient } from './gateway-client.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { median } from './statistics.ts';

/** As many as the target asks for: the median of fewer moves with the machine. */
const PAIRS = 9;
const MOST_RATIO = 1.05;
/** A task without tools, questions or exchanges: request, task, turn. Its admission, queue and two commits are events of these. */
const MOST_SPANS = 3;
const COUNTED_TASKS = 3_000;
/** Whatever runs for traces and metrics that are sent, and nothing else. */
const OURS = String.raw`/dist/src/operation/(tracing|call-traces|spans|otlp|otlp-metrics|telemetry)\.js|/@opentelemetry/`;
const TEXT = `message ${'x'.repeat(200)}`;

/** What traces and metrics cost a task of P1 at its gateway, in pairs of rounds one after the other. */
export const telemetry: Bench = {
  id: 'P18',
  title: 'OpenTelemetry on against off',
  async run({ effort, profileDir, progress }) {
    const tasks = amount(effort, { quick: 500, normal: 2_000 });
    const collector = await OtlpCollector.start();
    const on = await startSide({ telemetry: { otlp: { endpoint: collector.url } } }, profileDir);
    const off = await startSide({}, undefined);
    try {
      await off.run(tasks, TEXT);
      await on.run(tasks, TEXT);
      const pairs: { on: number; off: number }[] = [];
      for (let pair = 0; pair < PAIRS; pair += 1) {
        // Whoever is first in a pair has the colder machine.
        const first = pair % 2 === 0 ? on : off;
        const one = await first.run(tasks, TEXT);
        const other = await (first === on ? off : on).run(tasks, TEXT);
        pairs.push(first === on ? { on: one.cpuUs, off: other.cpuUs } : { on: other.cpuUs, off: one.cpuUs });
        const newest = pairs.at(-1);
        progress(`on ${newest?.on.toFixed(0)} us, off ${newest?.off.toFixed(0)} us`);
      }
      const heap = await heapRow(on);
      await on.stop();
      const spans = collector.spans();
      const traced = spans.filter(({ name }) => name.startsWith('invoke_agent')).length;
      const ofTasks = new Set(
        spans.filter(({ name }) => name.startsWith('invoke_agent')).map(({ traceId }) => traceId),
      );
      const perTask = spans.filter(({ traceId }) => ofTasks.has(traceId)).length / traced;
      return [cpuRow(pairs), spanRow(perTask, traced, tasks * (PAIRS + 1) + COUNTED_TASKS), heap];
    } finally {
      await Promise.all([on.stop(), off.stop()]);
      await collector.close();
    }
  },
};

async function startSide(sections: object, profileDir: string | undefined) {
  const gateway = new Child<GatewayAddress>('gateway-child', {
    args: { config: writeConfig(scratchDirectory(), [], [], [], sections), echo: true },
    profileDir,
  });
  const client = new GatewayClient(await gateway.ready, CLIENTS);
  const run = gatewaySide(gateway, client, await client.sessions(CLIENTS * SESSIONS_PER_CLIENT));
  let stopped: Promise<unknown> | undefined;
  const stop = () => {
    stopped ??= client.close().then(() => gateway.stop());
    return stopped;
  };
  return { gateway, run, stop };
}

/** By which functions make them, so that it does not depend on how busy the machine is. */
async function heapRow({ gateway, run }: Awaited<ReturnType<typeof startSide>>): Promise<Row> {
  await gateway.ask('countAllocations');
  await run(COUNTED_TASKS, TEXT);
  const { bytes, ofAsked } = await gateway.ask<Allocated>('allocated', OURS);
  const ratio = bytes / (bytes - ofAsked);
  return {
    id: 'P18',
    what: 'bytes of JavaScript objects that they make for each of these tasks, of all that a task makes',
    measured: `${(ofAsked / COUNTED_TASKS).toFixed(0)}`,
    baseline: `without: ${((bytes - ofAsked) / COUNTED_TASKS).toFixed(0)}`,
    ratio,
    target: `ratio <= ${MOST_RATIO}`,
    met: ratio <= MOST_RATIO,
    figures: { telemetryBytes: ofAsked / COUNTED_TASKS, allBytes: bytes / COUNTED_TASKS, ratio },
  };
}

function cpuRow(pairs: readonly { on: number; off: number }[]): Row {
  const ratio = median(pairs.map(({ on, off }) => on / off));
  const [onUs, offUs] = [median(pairs.map(({ on }) => on)), median(pairs.map(({ off }) => off))];
  return {
    id: 'P18',
    what: `durable task over REST with traces and metrics by OTLP, ${PAIRS} interleaved pairs: CPU`,
    measured: `${onUs.toFixed(0)} us`,
    baseline: `off: ${offUs.toFixed(0)} us`,
    ratio,
    target: `CPU ratio <= ${MOST_RATIO}`,
    met: ratio <= MOST_RATIO,
    figures: { onCpuUs: onUs, offCpuUs: offUs, ratio },
  };
}

function spanRow(perTask: number, traced: number, tasks: number): Row {
  return {
    id: 'P18',
    what: 'spans that arrived for each of these tasks, counted',
    measured: `${perTask.toFixed(2)}; ${traced} of ${tasks} tasks`,
    baseline: '',
    ratio: undefined,
    target: `<= ${MOST_SPANS}`,
    met: perTask <= MOST_SPANS,
    figures: { spansPerTask: perTask, tracedTasks: traced, tasks },
  };
}
