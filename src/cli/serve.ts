import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { createLogging, partitionTools, startGateway } from '#compose/compose.ts';
import { ConfigError } from '#config/fault.ts';
import type { Config } from '#config/load.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { type ListedGateway, RunningGateways } from '#operation/running-gateways.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { Logger } from '#protocol/ports.ts';
import { EXIT } from './exit-codes.ts';
import { firstSteps } from './first-steps.ts';
import { type ConfigOptions, withConfigOptions } from './gateway-config.ts';
import { readKeyFile } from './key-file.ts';
import { logsTo } from './log-lines.ts';
import { OwnPlace } from './own-place.ts';
import { packageRoot, packageVersion } from './package-facts.ts';
import { PartitionProcesses } from './partition-processes.ts';
import { WatchedConfig } from './watched-config.ts';

type ServeOptions = ConfigOptions & {
  quiet?: true;
  json?: true;
  unlisted?: true;
  watch?: true;
  partition?: string;
};

export function serveCommand(): Command {
  const command = new Command('serve')
    .description('Run the gateway.')
    .option('--quiet', 'print no first steps and no development key')
    .option('--watch', 'reload when the configuration, or a file that it names, changes; SIGHUP does so too')
    .option('--json', 'write log lines as JSON to a terminal too, as they are elsewhere')
    // For the gateways that a node with several partitions starts.
    .addOption(new Option('--partition <id>').hideHelp())
    .option('--unlisted', 'leave no address for the launchers of editors (harn-gateway acp, mcp)');
  return withConfigOptions(command, ['config', 'host', 'port', 'data', 'advertise']).action(serve);
}

async function serve({ partition, ...options }: ServeOptions): Promise<void> {
  const { quiet, json, unlisted, watch, ...flags } = options;
  const hangUps = holdHangUps();
  const stops = new StopSignals();
  const source = new WatchedConfig(flags);
  const whole = source.read();
  if (partition === undefined && whole.store.partitions > 1)
    return serveNode(source, whole, options, { hangUps, stops });
  const own = partition === undefined ? undefined : await OwnPlace.of(partition, whole);
  const config = own?.configOf(whole) ?? whole;
  const data = config.store.data;
  const { logger, redactor } = createLogging(config.telemetry.log_level, logsTo(process.stderr, json));
  let freshKey: string | undefined;
  const stop = new AbortController();
  const starting = startGateway({
    config,
    readConfig: () => own?.configOf(source.read()) ?? source.read(),
    ...(own && { partition: own.partition }),
    packageRoot,
    version: packageVersion(),
    logger,
    redactor,
    env: process.env,
    onDevelopmentKey: (key) => {
      freshKey = key;
    },
    signal: stop.signal,
    onWaiting: (url) => {
      stops.lead((signal) => {
        logger.info({ signal }, 'draining');
        stop.abort();
        stops.lead(endAtOnce);
      });
      process.stdout.write(`${JSON.stringify({ event: 'waiting', url, pid: process.pid, data })}\n`);
    },
    // At once: the other one takes up what runs here. Started again, it waits behind that one.
    onOvertaken: () => process.exit(EXIT.dataInUse),
  });
  const gateway = await starting.catch((error: unknown) => {
    if (error !== stop.signal.reason) throw error;
    return undefined;
  });
  if (gateway === undefined || stop.signal.aborted) {
    // It took over meanwhile, where there is one.
    await gateway?.close();
    logger.info({}, 'stopped');
    process.exit(EXIT.fine);
  }
  own?.decides();
  const self = { url: gateway.url, pid: process.pid, data, started_at: new Date().toISOString() };
  const running = new RunningGateways(process.env);
  // A faulty file changes nothing, and the gateway has said its faults.
  const reload = () =>
    void gateway.reload().catch((error: unknown) => {
      if (!(error instanceof ProtocolError)) logger.error({ err: error }, 'not reloaded');
    });
  hangUps.lead(reload);
  const unwatch = watch ? source.watch(reload) : () => undefined;
  // Before the ready line: who reads it may send the signal at once.
  const end = stopped(
    stops,
    () => {
      unwatch();
      hangUps.ignore();
      running.remove(self);
      // Without its node nobody reaches it: the sooner another one decides, the better.
      return gateway.close(own?.isAlone ? 0 : undefined);
    },
    logger,
    own?.left,
  );
  if (!unlisted) list(running, self, logger);
  const { url, grpcAddress: grpc } = gateway;
  // For its node, which is where clients are sent to.
  const grpc_port = own && gateway.grpcPort;
  process.stdout.write(
    `${JSON.stringify({ event: 'ready', url, grpc, grpc_port, pid: process.pid, data })}\n`,
  );
  const { devKey } = dataPaths(data);
  const keyFile = hasDevelopmentKey(config) && existsSync(devKey) ? devKey : undefined;
  const defaultRoute = config.defaultRoute.route;
  const consoleOf = () => {
    if (!config.console.enabled) return undefined;
    const key = freshKey ?? (keyFile && readKeyFile(keyFile, 'the data directory'));
    return key === undefined ? `${gateway.url}/console/` : gateway.consoleLink(key);
  };
  if (!quiet)
    process.stderr.write(
      firstSteps({ url: gateway.url, freshKey, keyFile, data, defaultRoute, console: consoleOf() }),
    );
  await end;
  own?.disconnect();
}

/** Not fatal: the gateway serves even when its address cannot be written down for this user. */
function list(running: RunningGateways, self: ListedGateway, logger: Logger): void {
  try {
    running.add(self);
  } catch (error) {
    const { directory } = running;
    logger.warn(
      { err: error, directory },
      'launchers of editors find this gateway with --data or --url only',
    );
  }
}

const NEVER = new Promise<never>(() => undefined);

/** A development key is made only where nobody else could call. */
function hasDevelopmentKey({ auth }: Config): boolean {
  return auth.api_keys.length === 0 && auth.oauth.length === 0;
}

/** What becomes of SIGHUP. */
interface HangUps {
  /** From now on each one reloads; at once, where one came before. */
  lead(reload: () => void): void;
  /** From now on they do nothing. */
  ignore(): void;
}

/** Takes SIGHUP, which would end the process, and keeps it until there is something to reload: one that waits to decide reloads then. */
function holdHangUps(): HangUps {
  let isDue = false;
  let act = () => {
    isDue = true;
  };
  process.on('SIGHUP', () => act());
  return {
    lead(reload) {
      act = reload;
      if (isDue) reload();
    },
    ignore() {
      act = () => undefined;
    },
  };
}

/** What the signals to stop do; before the first `lead` they end the process. */
class StopSignals {
  #act: ((signal: string) => void) | undefined;

  /** From now on each one does this. The listener stays the same: a signal on its way to one that is taken off would be lost. */
  lead(act: (signal: string) => void): void {
    const isHeld = this.#act !== undefined;
    this.#act = act;
    if (isHeld) return;
    const take = (signal: string) => this.#act?.(signal);
    process.on('SIGTERM', take).on('SIGINT', take);
  }
}

const endAtOnce = () => process.exit(EXIT.failed);

/** Waits for a signal, or until it is left, then drains; a second signal ends at once. */
async function stopped(
  stops: StopSignals,
  close: () => Promise<void>,
  logger: Logger,
  left: Promise<string> = NEVER,
): Promise<void> {
  const fatal = (error: unknown) => {
    logger.error({ err: error }, 'unexpected error; the gateway stops');
    process.exit(EXIT.failed);
  };
  process.on('uncaughtException', fatal);
  process.on('unhandledRejection', fatal);
  const signal = await Promise.race([left, new Promise<string>((resolve) => stops.lead(resolve))]);
  // A gateway of a node gets the signal of its group, and that of its node.
  stops.lead(left === NEVER ? endAtOnce : () => undefined);
  logger.info({ signal }, 'draining');
  await close();
  logger.info({}, 'stopped');
}

/** Runs the door of a node, and behind it a gateway for each partition. */
async function serveNode(
  source: WatchedConfig,
  config: Config,
  options: ServeOptions,
  { hangUps, stops }: { hangUps: HangUps; stops: StopSignals },
): Promise<void> {
  const { quiet, json, unlisted, watch, ...flags } = options;
  const { logger } = createLogging(config.telemetry.log_level, logsTo(process.stderr, json));
  const { ensurePartitionKeys, openPartitionedNode } = await partitionTools();
  ensurePartitionKeys(config);
  const asTyped = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const gateways: PartitionProcesses = new PartitionProcesses({
    argumentsOf: (partition) => [
      ...['serve', '--quiet', '--unlisted', '--partition', partition, ...(json ? ['--json'] : [])],
      ...asTyped,
    ],
    logger,
    onState: (partition, state) => node.gatewayIs(partition, state),
  });
  const node = await openPartitionedNode({
    config,
    version: packageVersion(),
    logger,
    handOver: (move) => gateways.handOver(move),
    // Its gateways end with it.
    onOvertaken: () => process.exit(EXIT.dataInUse),
  });
  for (const partition of node.serves) gateways.start(partition);
  const reload = () => {
    // The door first: a gateway must not take a tenant whose partition the door does not know.
    void Promise.resolve()
      .then(() => node.reload(source.read()))
      .then(() => gateways.reload())
      .catch((error: unknown) =>
        logger.error(
          error instanceof ConfigError ? { faults: error.faults } : { err: error },
          'not reloaded',
        ),
      );
  };
  hangUps.lead(reload);
  const unwatch = watch ? source.watch(reload) : () => undefined;
  const { data } = config.store;
  const self = { url: node.url, pid: process.pid, data, started_at: new Date().toISOString() };
  const running = new RunningGateways(process.env);
  const end = stopped(
    stops,
    async () => {
      unwatch();
      hangUps.ignore();
      running.remove(self);
      // First these: their partitions go to other nodes, to which what comes meanwhile is handed on.
      await gateways.close(config.limits.drain_timeout_ms);
      await node.close();
    },
    logger,
  );
  const isServed = await Promise.race([node.decided().then(() => true), end.then(() => false)]);
  if (!isServed) return;
  if (!unlisted) list(running, self, logger);
  const { url, grpcAddress: grpc } = node;
  process.stdout.write(`${JSON.stringify({ event: 'ready', url, grpc, pid: process.pid, data })}\n`);
  if (!quiet)
    process.stderr.write(
      `harn-gateway serves ${node.partitions.length} partitions at ${node.url}, ${node.serves.length} by gateways of its own\n`,
    );
  await end;
}
