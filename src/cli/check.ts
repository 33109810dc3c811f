import { Command } from 'commander';
import {
  createLogging,
  type IssuerSight,
  inspectIssuers,
  inspectUpstreams,
  systemClock,
  systemRandom,
  type UpstreamSight,
} from '#compose/compose.ts';
import type { NarrowedCredential, TenantOperator } from '#config/credential-scopes.ts';
import { renderExample } from '#config/example.ts';
import { ConfigError, type ConfigFault } from '#config/fault.ts';
import type { Config } from '#config/load.ts';
import { EXIT } from './exit-codes.ts';
import { type ConfigOptions, checkedConfigOf, withConfigOptions } from './gateway-config.ts';
import { packageRoot, packageVersion } from './package-facts.ts';
import { inspectRunning, type RunningSight } from './running-sights.ts';
import { printJson } from './terminal.ts';

export function checkCommand(): Command {
  const command = new Command('check')
    .description('Check the configuration without starting; all faults at once, with their paths.')
    .option('--print-example', 'print a configuration file with every option and its default')
    .option(
      '--online',
      'look also whether each token issuer can be reached and publishes usable keys, by which interface each A2A agent is called, and at circuits and halts of the gateway that runs',
    )
    .option('--json', 'print JSON: whether it is fine, and the faults');
  return withConfigOptions(command, ['config']).action(check);
}

interface CheckOptions extends ConfigOptions {
  printExample?: boolean;
  online?: boolean;
  json?: boolean;
}

async function check(flags: CheckOptions): Promise<void> {
  if (flags.printExample) {
    process.stdout.write(renderExample());
    return;
  }
  if (flags.json) {
    printJson(await verdictOf(flags));
    return;
  }
  const config = checkedConfigOf(flags);
  process.stdout.write(`${config.file ?? 'The default configuration'} is fine.\n`);
  const credentials = [...config.narrowed.map(narrowedLine), ...config.tenantOperators.map(operatorLine)];
  process.stdout.write([routeLine(config), ...credentials, ''].join('\n'));
  for (const sight of await sights(config, flags)) process.stdout.write(`${sightLine(sight)}\n`);
  for (const sight of await agents(config, flags)) process.stdout.write(`${agentLine(sight)}\n`);
  for (const { said } of await running(config, flags)) process.stdout.write(`${said}\n`);
}

function routeLine({ defaultRoute: { route, reason } }: Config): string {
  if (route === undefined) return `Tasks that name no route are refused: ${reason}.`;
  return `Tasks that name no route run on ${route} (${reason}).`;
}

const GATEWAY_POWERS: Readonly<Record<string, string>> = {
  operator: 'rotate, revoke or list signing keys (operator)',
  'metrics:read': 'read /metrics (metrics:read)',
};

function narrowedLine({ path, name, lacks }: NarrowedCredential): string {
  const lost = lacks.map((scope) => GATEWAY_POWERS[scope] ?? scope).join(', nor ');
  return `${path} (${name}) may not ${lost}: admin and * of one tenant do not cover that. List the scope there if it should.`;
}

export function operatorLine({ path, name, tenant }: TenantOperator): string {
  return `${path} (${name}) of ${tenant} is operator of the whole gateway, its signing keys and backups of every tenant too: * holds that for keys of the file. List its scopes if it should not be, or operator beside * if it should.`;
}

/** An issuer whose tokens could not be accepted now is a finding, not a fault of the configuration. */
async function sights(config: Config, { online }: CheckOptions): Promise<IssuerSight[]> {
  if (!online) return [];
  const seen = await inspectIssuers(config, systemClock);
  if (seen.some(({ fault }) => fault !== undefined)) process.exitCode = EXIT.failed;
  return seen.map(({ skewMs: _, ...sight }) => sight);
}

/** An agent offers several interfaces, so which one is called is worth a look before the first task. */
async function agents(config: Config, { online }: CheckOptions): Promise<UpstreamSight[]> {
  if (!online) return [];
  const { env } = process;
  const parts = {
    config,
    packageRoot,
    version: packageVersion(),
    ...createLogging('silent', process.stderr),
    env,
  };
  const seen = await inspectUpstreams({ ...parts, clock: systemClock, random: systemRandom }, 'a2a');
  if (seen.some(({ fault }) => fault !== undefined)) process.exitCode = EXIT.failed;
  return seen.map(({ skewMs: _, ...sight }) => sight);
}

function agentLine({ route, name, spokenBy, spokenElse, fault }: UpstreamSight): string {
  if (fault !== undefined) return `${route}: no task can be run there now: ${fault}`;
  const others = spokenElse === undefined ? '' : `, which comes before ${spokenElse.join(', ')} of its card`;
  return `${route}: ${name ?? route} is called by ${spokenBy ?? 'its only interface'}${others}.`;
}

function running({ store }: Config, { online }: CheckOptions): Promise<RunningSight[]> {
  return online ? inspectRunning(store.data) : Promise.resolve([]);
}

function sightLine({ path, issuer, keys, fault }: IssuerSight): string {
  if (fault !== undefined) return `${path} (${issuer}): its tokens are not accepted now: ${fault}.`;
  return `${path} (${issuer}): reached; keys: ${keys}.`;
}

async function verdictOf(flags: CheckOptions): Promise<{
  ok: boolean;
  file: string | null;
  faults: readonly ConfigFault[];
  default_route?: { route: string | null; reason: string };
  narrowed?: readonly NarrowedCredential[];
  tenant_operators?: readonly TenantOperator[];
  issuers?: readonly IssuerSight[];
  agents?: readonly UpstreamSight[];
  running?: readonly RunningSight[];
}> {
  try {
    const config = checkedConfigOf(flags);
    const { file, defaultRoute, narrowed, tenantOperators: tenant_operators } = config;
    const default_route = { route: defaultRoute.route ?? null, reason: defaultRoute.reason };
    const issuers = await sights(config, flags);
    const seen = await agents(config, flags);
    const ok = [...issuers, ...seen].every(({ fault }) => fault === undefined);
    const about = {
      default_route,
      narrowed,
      tenant_operators,
      ...(flags.online ? { issuers, agents: seen, running: await running(config, flags) } : {}),
    };
    return { ok, file: file ?? null, faults: [], ...about };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.exitCode = EXIT.usage;
    return { ok: false, file: flags.config ?? null, faults: error.faults };
  }
}
