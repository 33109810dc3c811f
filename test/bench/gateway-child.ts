import { createLogging, startGateway } from '#compose/compose.ts';
import { ChunkClient } from './chunk-client.ts';
import { serveCommands, startArguments } from './commands.ts';
import { BENCH_KEY, readConfig } from './data-directory.ts';
import { EchoClient } from './echo-client.ts';
import { LoopMeter } from './loop-meter.ts';

/** The gateway as `serve` starts it, with the echo upstream beside the configured ones. */
const { config: file, echo } = startArguments<{ config: string; echo: boolean }>();
const config = readConfig(file);
const { logger, redactor } = createLogging(config.telemetry.log_level, process.stderr);
redactor.addKnownSecret(BENCH_KEY);
const chunked = new ChunkClient();
const meter = new LoopMeter();
let close: () => Promise<void> = () => Promise.resolve();
const stop = new AbortController();
let isServing = false;

function serve(url: string): void {
  if (isServing) return;
  isServing = true;
  serveCommands({ url, key: BENCH_KEY }, commands, () => close());
}

const started = startGateway({
  config,
  packageRoot: process.cwd(),
  version: '0.0.0-bench',
  logger,
  redactor,
  env: process.env,
  ...(echo ? { extraClients: [new EchoClient(), chunked] } : {}),
  // One of several nodes: it serves, by the one that decides.
  signal: stop.signal,
  onWaiting: (url) => {
    close = async () => {
      stop.abort();
      await started.catch(() => undefined);
    };
    serve(url);
  },
});

/** Terminal commits since the last question: task id and time of the system's monotonic clock in milliseconds. */
let ended: [string, number][] = [];
let enough: { count: number; resolve: () => void } | undefined;

const commands = {
  /** Waits until so many tasks have been completed durably since the last call, and says which and when. */
  ended: async (count: number) => {
    if (ended.length < count) await new Promise<void>((resolve) => (enough = { count, resolve }));
    const found = ended;
    ended = [];
    enough = undefined;
    return found;
  },
  /** What has been completed until now is of no interest. */
  forget: () => {
    ended = [];
  },
  /** Waits until this node decides, and says how many commits the log has. */
  commits: async () => (await started).log.head.commit,
  chunkCosts: () => chunked.takeCosts(),
  watchLoop: () => meter.begin(),
  held: () => meter.end(),
};

const gateway = await started.catch((error: unknown) => {
  if (stop.signal.aborted) process.exit(0);
  throw error;
});
close = () => gateway.close();
gateway.log.tail((events) => {
  const now = Number(process.hrtime.bigint()) / 1e6;
  for (const { event } of events) if (event.event === 'task.completed') ended.push([event.resource.id, now]);
  if (enough !== undefined && ended.length >= enough.count) enough.resolve();
});

serve(gateway.url);
