import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from './client.ts';
import { print, printJson } from './terminal.ts';

export function reloadCommand(): Command {
  const command = new Command('reload')
    .description(
      'Let the running gateway read its configuration again, without a restart; says what still needs one. A faulty file changes nothing.',
    )
    .option('--json', 'print JSON');
  return withClientOptions(command).action(reload);
}

async function reload({ json, ...options }: ClientOptions & { json?: boolean }): Promise<void> {
  const report = await new GatewayClient(options).api.post('/v1/admin/reload');
  if (json) return printJson(report);
  const { applied, needs_restart, routes } = report;
  print(
    applied.length === 0 ? 'Nothing has changed that takes effect now.' : `In effect: ${applied.join(', ')}`,
  );
  for (const [what, names] of Object.entries(routes))
    if (names.length > 0) print(`Agents ${what}: ${names.join(', ')}`);
  if (needs_restart.length > 0) print(`At the next start: ${needs_restart.join(', ')}`);
}
