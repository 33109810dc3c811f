import { homedir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import {
  createLogging,
  type DataSight,
  type IssuerSight,
  inspectAdvertised,
  inspectData,
  inspectIssuers,
  inspectLogServers,
  inspectReceivers,
  inspectServers,
  inspectUpstreams,
  type ServerSight,
  systemClock,
  systemRandom,
  type UpstreamSight,
} from '#compose/compose.ts';
import { ConfigError, formatFault } from '#config/fault.ts';
import type { Config } from '#config/load.ts';
import { inspectPrograms } from '#config/program-rules.ts';
import { isClockKept } from '#operation/clock-sync.ts';
import { announcedGateway } from '#operation/data-directory.ts';
import {
  type DiskSight,
  inspectCertificate,
  inspectDisk,
  isDirectory,
  isWritable,
  listenError,
  nearestDirectory,
} from '#operation/machine.ts';
import type { Logger } from '#protocol/ports.ts';
import { SUPPORTED_VERSIONS } from '#protocol/versions.ts';
import type { Redactor } from '#redaction/redactor.ts';
import { operatorLine } from './check.ts';
import { askReady } from './client.ts';
import { inspectEditors } from './editors.ts';
import { CliError, describeFailure, EXIT } from './exit-codes.ts';
import { type ConfigOptions, configOf, withConfigOptions } from './gateway-config.ts';
import { PROGRAM } from './invocation.ts';
import { packageRoot, packageVersion } from './package-facts.ts';
import { inspectRunning } from './running-sights.ts';
import { print, printJson } from './terminal.ts';

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description(
      'Look at everything a gateway needs here: data, log servers, disk, clock, certificates, issuers, agents, programs, ports, versions, editors. Agents are asked who they are, so their programs are started.',
    )
    .option('--json', 'print JSON: whether all is fine, and every line');
  return withConfigOptions(command, ['config', 'host', 'port', 'data']).action(runDoctor);
}

/** One thing that was looked at: fine, or with what to do. */
interface Line {
  ok: boolean;
  /** What was looked at and how it is. */
  said: string;
  /** What to do next; on every line that is not fine. */
  todo?: string;
}

/** What this process runs in. */
interface Place {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  redactor: Redactor;
  logger: Logger;
}

/** The same with a configuration that has no fault. */
interface Facts extends Place {
  config: Config;
  /** One look serves several checks. */
  data(): Promise<DataSight>;
  disk(): DiskSight;
  issuers(): Promise<readonly IssuerSight[]>;
  agents(): Promise<readonly UpstreamSight[]>;
}

type Lines = readonly Line[] | Promise<readonly Line[]>;
/** `of`: left out while the configuration is faulty, because it says where to look. */
type Check = { name: string } & ({ look(place: Place): Lines } | { of(facts: Facts): Lines });

/** A commit waits for one fsync; a disk near by takes less than 10 ms. */
const FSYNC_MS = 100;
const FREE_BYTES = 1_073_741_824;
const SKEW_MS = 2_000;
/** Time to renew a certificate by hand. */
const CERTIFICATE_DAYS = 14;
/** As `engines` of package.json has it. */
const NODE = { major: 20, minor: 19 };

/** In the order in which they are shown, behind the lines of the configuration itself. */
const CHECKS: readonly Check[] = [
  { name: 'versions', look: versionLines },
  { name: 'data', of: dataLines },
  { name: 'log', of: logLines },
  { name: 'durability', of: durabilityLines },
  { name: 'node', of: nodeLines },
  { name: 'disk', of: diskLines },
  { name: 'clock', of: clockLines },
  { name: 'certificate', of: certificateLines },
  { name: 'port', of: portLines },
  { name: 'issuer', of: issuerLines },
  { name: 'program', of: programLines },
  { name: 'agent', of: agentLines },
  { name: 'gateway', of: gatewayLines },
  { name: 'telemetry', of: telemetryLines },
  { name: 'editor', look: editorLines },
];

type Report = { check: string } & Line;

async function runDoctor({ json, ...flags }: ConfigOptions & { json?: boolean }): Promise<void> {
  const lines = await reports(flags);
  const bad = lines.filter(({ ok }) => !ok).length;
  if (bad > 0) process.exitCode = EXIT.failed;
  if (json) return printJson({ ok: bad === 0, lines });
  for (const { check, ok, said, todo } of lines) {
    print(`${ok ? 'ok ' : 'BAD'}  ${check}: ${said}`);
    if (todo !== undefined) print(`       ${todo}`);
  }
  print(bad === 0 ? 'All is fine.' : `${bad} of ${lines.length} lines need something done.`);
}

async function reports(flags: ConfigOptions): Promise<Report[]> {
  const { config, lines } = readConfig(flags);
  const place: Place = { env: process.env, home: homedir(), ...createLogging('silent', process.stderr) };
  const facts = config && factsOf(config, place);
  const found: Report[] = lines.map((line) => ({ check: 'configuration', ...line }));
  for (const check of CHECKS) {
    const look = 'look' in check ? () => check.look(place) : facts && (() => check.of(facts));
    const seen = look === undefined ? [] : await linesOf(look);
    found.push(...seen.map((line) => ({ check: check.name, ...line })));
  }
  return found;
}

/** What a look fails with is a line too, so that the others are shown. */
async function linesOf(look: () => Lines): Promise<readonly Line[]> {
  try {
    return await look();
  } catch (error) {
    return [bad('this could not be looked at', describeFailure(error).message)];
  }
}

const fine = (said: string): Line => ({ ok: true, said });
const bad = (said: string, todo: string): Line => ({ ok: false, said, todo });

function readConfig(flags: ConfigOptions): { config?: Config; lines: Line[] } {
  try {
    const config = configOf(flags);
    const narrowed = config.narrowed.map(({ path, name, lacks }) =>
      fine(`${path} (${name}) lacks ${lacks.join(', ')}; list these there if it should have them`),
    );
    return {
      config,
      lines: [
        fine(`${config.file ?? 'the default configuration'} has no fault`),
        ...narrowed,
        ...config.tenantOperators.map((each) => fine(operatorLine(each))),
      ],
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const todo = 'Mend it; what the configuration names is looked at when it has no fault.';
    return { lines: error.faults.map((fault) => bad(formatFault(fault), todo)) };
  }
}

function factsOf(config: Config, place: Place): Facts {
  let data: Promise<DataSight> | undefined;
  let disk: DiskSight | undefined;
  let issuers: Promise<readonly IssuerSight[]> | undefined;
  let agents: Promise<readonly UpstreamSight[]> | undefined;
  return {
    ...place,
    config,
    data: () => {
      data ??= inspectData(config.store);
      return data;
    },
    disk: () => {
      disk ??= inspectDisk(nearestDirectory(config.store.data), systemClock);
      return disk;
    },
    issuers: () => {
      issuers ??= inspectIssuers(config, systemClock);
      return issuers;
    },
    agents: () => {
      const parts = { ...place, config, packageRoot, version: packageVersion() };
      agents ??= inspectUpstreams({ ...parts, clock: systemClock, random: systemRandom });
      return agents;
    },
  };
}

function versionLines(): Line[] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNew = major > NODE.major || (major === NODE.major && minor >= NODE.minor);
  const node = `Node ${process.versions.node}`;
  return [
    isNew
      ? fine(node)
      : bad(node, `Install Node ${NODE.major}.${NODE.minor} or later: an older one is not supported.`),
    fine(`${PROGRAM} ${packageVersion()}`),
    fine(`protocol ${SUPPORTED_VERSIONS.join(', ')}`),
  ];
}

async function dataLines({ config, data }: Facts): Promise<Line[]> {
  const dir = config.store.data;
  const near = nearestDirectory(dir);
  if (!isDirectory(near))
    return [
      bad(`${near} is no directory`, 'Set store.data (--data) to a directory that is for the gateway alone.'),
    ];
  if (!isWritable(near))
    return [
      bad(`${near} may not be written by this user`, `Give it to this user, or set store.data (--data).`),
    ];
  const sight = await data();
  if (sight.kind === 'absent') return [fine(`${dir} holds no log yet; the first start makes it`)];
  if (sight.kind === 'readable')
    return [fine(`${dir} can be opened (schema ${sight.schema}); nobody has it open`)];
  const owner = sight.pid === undefined ? 'another process' : `process ${sight.pid}`;
  const announced = announcedGateway(dir);
  if (announced !== undefined && announced.pid === sight.pid) {
    const said = `${dir} is open in the gateway at ${announced.url} (${owner})`;
    const why = await unreadyBecause(announced.url);
    if (why === undefined) return [fine(said)];
    return [
      bad(`${said}, which takes no work: ${why}`, `See "${PROGRAM} status" and "${PROGRAM} log check".`),
    ];
  }
  return [
    bad(
      `${dir} is open in ${owner}, which is no gateway that is ready`,
      `Wait for its end where it is another command, or a gateway that starts; else stop it.`,
    ),
  ];
}

/** Undefined where it is ready, or not reached: then the line of the gateway says so. */
async function unreadyBecause(url: string): Promise<string | undefined> {
  try {
    const { ready, reason } = await askReady({ url });
    return ready ? undefined : (reason ?? 'it does not say why');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return undefined;
  }
}

/** The servers of a log in JetStream, and the replicas of its streams. */
async function logLines({ config }: Facts): Promise<Line[]> {
  const sight = await inspectLogServers(config);
  if (sight === undefined) return [];
  const { servers, streams } = sight;
  const { name, replicas } = config.store;
  const lines = servers.map(({ url, fault }) =>
    fault === undefined
      ? fine(`${url} is reached and has JetStream`)
      : bad(`${url}: ${fault}`, 'Look at this server, at store.servers and at store.credentials.'),
  );
  if (servers.every(({ fault }) => fault !== undefined)) return lines;
  if (streams.length === 0)
    return [
      ...lines,
      fine(`the log "${name}" is not there yet; the first start makes it (replicas: ${replicas})`),
    ];
  const todo = 'Start the servers that are away: writes wait for most of them.';
  const kept = streams.map((stream) => {
    const said = `replicas of the stream ${stream.name} that are up to date: ${stream.current} of ${stream.replicas}`;
    return stream.current >= stream.replicas ? fine(said) : bad(said, todo);
  });
  return [...lines, ...kept];
}

/** What is promised of a log on other machines, and whether their servers keep it. */
async function durabilityLines({ config }: Facts): Promise<Line[]> {
  const { kind, replicas, durability, monitoring } = config.store;
  if (kind === 'leveldb') return [];
  const promised = PROMISES[durability](replicas);
  if (monitoring.length === 0) {
    const where =
      'Look for sync_interval: always in the jetstream block of each server, and name their monitoring';
    const unseen = `${promised}; how the servers sync their files cannot be seen from here`;
    return durability === 'disk'
      ? [bad(unseen, `${where} addresses in store.monitoring, so that it is checked.`)]
      : [fine(unseen)];
  }
  const sights = await inspectServers(config);
  return [fine(promised), ...sights.map((sight) => serverLine(sight, durability))];
}

const PROMISES: Readonly<Record<'replicas' | 'disk', (replicas: number) => string>> = {
  replicas: (replicas) =>
    replicas === 1
      ? 'an acknowledged commit is in one server, and is lost with it (store.replicas: 1)'
      : `an acknowledged commit outlives ${(replicas - 1) / 2} of ${replicas} servers, and no loss of power of all of them (store.durability: replicas)`,
  disk: (replicas) =>
    `an acknowledged commit is on the disks of ${(replicas + 1) / 2} of ${replicas} servers (store.durability: disk)`,
};

function serverLine(
  { url, syncsAlways, syncSeconds, fault }: ServerSight,
  promise: 'replicas' | 'disk',
): Line {
  if (fault !== undefined)
    return bad(`${url} cannot be asked: ${fault}`, 'Look at store.monitoring, and at http in the server.');
  if (syncsAlways) return fine(`${url} syncs each message before it acknowledges it`);
  const said = `${url} syncs its files ${syncSeconds === undefined ? 'now and then' : `every ${syncSeconds} s`}`;
  if (promise === 'replicas') return fine(said);
  return bad(said, 'Set sync_interval: always in its jetstream block, or store.durability: replicas here.');
}

/** Whether the other nodes of a log find this one, as far as that is seen from here. */
async function nodeLines({ config, data }: Facts): Promise<Line[]> {
  const sight = await inspectAdvertised(config);
  if (sight === undefined) return [];
  const { url, fault } = sight;
  if (fault === undefined) return [fine(`other nodes find this one at ${url} (store.advertise)`)];
  if ((await data()).kind !== 'in_use')
    return [fine(`other nodes look for this one at ${url} (store.advertise); nothing runs here yet`)];
  const todo =
    'Other nodes hand on there what they are asked: set store.advertise to an address that reaches it.';
  return [bad(`this gateway is not found at ${url} (store.advertise): ${fault}`, todo)];
}

function diskLines({ config, disk }: Facts): Line[] {
  if (!isWritable(nearestDirectory(config.store.data))) return [];
  const { fsyncMs, freeBytes } = disk();
  const speed = `a durable write takes ${fsyncMs.toFixed(1)} ms (median)`;
  const room = `${Math.floor(freeBytes / 1_048_576)} MiB are free`;
  return [
    fsyncMs <= FSYNC_MS
      ? fine(speed)
      : bad(speed, 'Every change waits for one. Move store.data to a disk of this machine.'),
    freeBytes >= FREE_BYTES
      ? fine(room)
      : bad(room, 'Free some, or move store.data: a gateway whose disk is full takes no work.'),
  ];
}

async function clockLines(facts: Facts): Promise<Line[]> {
  const { config, env } = facts;
  const own = isWritable(nearestDirectory(config.store.data)) ? ownClockLines(facts) : [];
  const issuers = (await facts.issuers()).flatMap(({ issuer, skewMs }) => othersClockLine(issuer, skewMs));
  const agents = (await facts.agents()).flatMap(({ route, skewMs }) => othersClockLine(route, skewMs));
  return [...own, ...keptClockLines(isClockKept(env['PATH'])), ...issuers, ...agents];
}

function keptClockLines(isKept: boolean | undefined): Line[] {
  if (isKept === undefined) return [];
  if (isKept) return [fine('the clock of this machine is kept right (NTP)')];
  return [bad('nothing keeps the clock of this machine right', 'Turn it on: timedatectl set-ntp true.')];
}

/** Tokens are judged by the clock: an issuer whose clock is another one makes tokens that are not good yet, or no more. */
function othersClockLine(who: string, skewMs: number | undefined): Line[] {
  if (skewMs === undefined) return [];
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  const said = `the clock of ${who} is ${seconds} s ${skewMs < 0 ? 'behind' : 'ahead of'} ours`;
  // The time it says has whole seconds.
  if (Math.abs(skewMs) <= SKEW_MS + 1_000) return [fine(said)];
  return [bad(said, `Set the clock of this machine (NTP), or tell those who run ${who}.`)];
}

function ownClockLines({ disk }: Facts): Line[] {
  const { skewMs, isMonotonic } = disk();
  const skew = `the file system is ${Math.abs(skewMs)} ms ${skewMs < 0 ? 'behind' : 'ahead of'} the clock`;
  return [
    isMonotonic
      ? fine('the monotonic clock goes forward')
      : bad(
          'the monotonic clock does not go forward',
          'Look at the host of this machine: timeouts depend on it.',
        ),
    Math.abs(skewMs) <= SKEW_MS
      ? fine(skew)
      : bad(skew, 'Set the clock of this machine, or of the server of this file system (NTP).'),
  ];
}

function certificateLines({ config: { server } }: Facts): Line[] {
  const { tls, grpc } = server;
  const own =
    tls === undefined
      ? fine('server.tls is not set; the gateway serves plain HTTP')
      : certificateLine(
          tls,
          'Put one that is good, for the name of server.public_url, and its key into the files of server.tls.',
          seenName(server),
        );
  const cert = grpc?.tls?.client_ca;
  if (cert === undefined) return [own];
  return [own, certificateLine({ cert }, 'Put the renewed one into the file of server.grpc.tls.client_ca.')];
}

/** The name under which clients see the certificate of the gateway itself; behind a proxy they see that of the proxy. */
function seenName({ public_url, trusted_proxies }: Config['server']): string | undefined {
  if (public_url === undefined || trusted_proxies.length > 0) return undefined;
  const { protocol, hostname } = new URL(public_url);
  return protocol === 'https:' ? hostname.replace(/^\[|\]$/g, '') : undefined;
}

function certificateLine(files: Parameters<typeof inspectCertificate>[0], todo: string, name?: string): Line {
  const { cert } = files;
  const { daysLeft, fault } = inspectCertificate(files, systemClock.now(), name);
  if (fault !== undefined) return bad(`${cert} ${fault}`, todo);
  const left = `${cert} is good for ${daysLeft} days`;
  return daysLeft >= CERTIFICATE_DAYS ? fine(left) : bad(left, todo);
}

async function portLines({ config: { server, store }, data }: Facts): Promise<Line[]> {
  const { host, port, grpc } = server;
  const sight = await data();
  const announced = announcedGateway(store.data);
  const isRunning = sight.kind === 'in_use' && announced?.pid === sight.pid;
  // Where it serves gRPC, it says nowhere but in its cards.
  const isOwn = isRunning && announced?.url.endsWith(`:${port}`) === true;
  const owner = isOwn ? `that of the gateway of ${store.data} (process ${sight.pid})` : undefined;
  const lines = [await portLine({ host, port }, owner)];
  if (grpc === undefined) return lines;
  const place = { host: grpc.host ?? host, port: grpc.port };
  return [...lines, await portLine(place, owner, 'Choose another one in server.grpc, or stop who has it.')];
}

/** `owner`: whose it is where it is taken. */
async function portLine(
  { host, port }: { host: string; port: number },
  owner: string | undefined,
  todo?: string,
): Promise<Line> {
  if (port === 0) return fine(`${host}: any free port is taken`);
  const error = await listenError(host, port);
  if (error === undefined) return fine(`${host}:${port} is free`);
  if (owner !== undefined) return fine(`${host}:${port} is ${owner}`);
  return bad(`${host}:${port} cannot be listened on`, todo ?? describeFailure(error).message);
}

async function issuerLines({ issuers }: Facts): Promise<Line[]> {
  return (await issuers()).map(({ path, issuer, keys, fault }) =>
    fault === undefined
      ? fine(`${path} (${issuer}) is reached; keys: ${keys}`)
      : bad(
          `${path} (${issuer}): ${fault}`,
          'Its tokens are not accepted until that is mended: look at its row, and whether this machine reaches it.',
        ),
  );
}

function programLines({ config: { upstreams }, env }: Facts): Line[] {
  return inspectPrograms(upstreams, env['PATH']).map(({ path, program, fault }) =>
    fault === undefined
      ? fine(`${program} is found (${path})`)
      : bad(`${path}: ${fault}`, 'Install it where the gateway finds it, or write its whole path there.'),
  );
}

async function agentLines({ agents }: Facts): Promise<Line[]> {
  return (await agents()).map(({ route, name, skills, spokenBy, fault }) =>
    fault === undefined
      ? fine(
          `${route} answers as ${name ?? route}${spokenBy === undefined ? '' : ` by ${spokenBy}`}; skills: ${skills ?? 0}`,
        )
      : bad(`${route}: ${fault}`, `Look at its row in upstreams, and at the agent itself.`),
  );
}

async function gatewayLines({ config }: Facts): Promise<Line[]> {
  const sights = await inspectRunning(config.store.data);
  return sights.map(({ said, todo }) => (todo === undefined ? fine(said) : bad(said, todo)));
}

async function telemetryLines({ config, env }: Facts): Promise<Line[]> {
  return (await inspectReceivers(config, env)).map(({ signal, origin, fault }) => {
    if (fault === undefined)
      return fine(
        origin === undefined
          ? `${signal} are sent nowhere by OpenTelemetry`
          : `${signal} are taken by the receiver at ${origin}`,
      );
    const said = `${signal}: ${origin === undefined ? '' : `${origin} does not take them: `}${fault}`;
    return bad(said, 'Look at telemetry.otlp, at the OTEL_* variables and at the receiver itself.');
  });
}

function editorLines({ env, home }: Place): Line[] {
  const config = env['XDG_CONFIG_HOME'] || join(home, '.config');
  const [bare] = inspectPrograms({ acp: [], mcp: [{ command: [PROGRAM], env: {} }] }, env['PATH']);
  return inspectEditors({ home, config }).map(({ editor, files, needsPath }) => {
    if (files.length === 0) return fine(`${editor} is not set up for the gateway`);
    const where = `${editor} names the gateway in ${files.join(', ')}`;
    if (!needsPath || bare?.fault === undefined) return fine(where);
    return bad(where, `There it is started by its name: ${bare.fault}.`);
  });
}
