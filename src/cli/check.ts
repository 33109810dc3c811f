import { Command } from 'commander';
import { renderExample } from '../config/example.ts';
import { ConfigError, type ConfigFault } from '../config/fault.ts';
import type { Config } from '../config/load.ts';
import type { NarrowedCredential } from '../config/narrowed-scopes.ts';
import { EXIT } from './exit-codes.ts';
import { type ConfigOptions, checkedConfigOf, withConfigOptions } from './gateway-config.ts';
import { printJson } from './terminal.ts';

export function checkCommand(): Command {
  const command = new Command('check')
    .description('Check the configuration without starting; all faults at once, with their paths.')
    .option('--print-example', 'print a configuration file with every option and its default')
    .option('--json', 'print JSON: whether it is fine, and the faults');
  return withConfigOptions(command, ['config']).action(check);
}

function check(flags: ConfigOptions & { printExample?: boolean; json?: boolean }): void {
  if (flags.printExample) {
    process.stdout.write(renderExample());
    return;
  }
  if (flags.json) {
    printJson(verdictOf(flags));
    return;
  }
  const config = checkedConfigOf(flags);
  process.stdout.write(`${config.file ?? 'The default configuration'} is fine.\n`);
  process.stdout.write([routeLine(config), ...config.narrowed.map(narrowedLine), ''].join('\n'));
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

function verdictOf(flags: ConfigOptions): {
  ok: boolean;
  file: string | null;
  faults: readonly ConfigFault[];
  default_route?: { route: string | null; reason: string };
  narrowed?: readonly NarrowedCredential[];
} {
  try {
    const { file, defaultRoute, narrowed } = checkedConfigOf(flags);
    const default_route = { route: defaultRoute.route ?? null, reason: defaultRoute.reason };
    return { ok: true, file: file ?? null, faults: [], default_route, narrowed };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.exitCode = EXIT.usage;
    return { ok: false, file: flags.config ?? null, faults: error.faults };
  }
}
