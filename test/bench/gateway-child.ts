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
const gateway = await startGateway({
  config,
  packageRoot: process.cwd(),
  version: '0.0.0-bench',
  logger,
  redactor,
  env: process.env,
  ...(echo ? { extraClients: [new EchoClient(), chunked] } : {}),
});

/** Terminal commits since the last question: task id and time of the system's monotonic clock in milliseconds. */
let ended: [string, number][] = [];
let enough: { count: number; resolve: () => void } | undefined;

gateway.log.tail((events) => {
  const now = Number(process.hrtime.bigint()) / 1e6;
  for (const { event } of events) if (event.event === 'task.completed') ended.push([event.resource.id, now]);
  if (enough !== undefined && ended.length >= enough.count) enough.resolve();
});

serveCommands(
  { url: gateway.url, key: BENCH_KEY },
  {
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
    chunkCosts: () => chunked.takeCosts(),
    watchLoop: () => meter.begin(),
    held: () => meter.end(),
  },
  () => gateway.close(),
);
