import { Command } from 'commander';
import { apiKeyHash, newApiKey } from '../auth/api-keys.ts';
import { systemRandom } from '../compose.ts';
import { SCOPES } from '../protocol/scopes.ts';
import { CliError, EXIT } from './exit-codes.ts';

interface CreateOptions {
  id: string;
  actor: string;
  scope?: string[];
  workspace?: string[];
  json?: boolean;
}

const ID = /^[a-z0-9][a-z0-9_-]{0,62}$/;

export function apiKeysCommand(): Command {
  const create = new Command('create')
    .description(
      'Make an API key: prints it once, and the row with its hash for auth.api_keys of the configuration.',
    )
    .requiredOption('--id <id>', 'name of the key in logs: a-z, 0-9, "_" and "-"')
    .requiredOption('--actor <actor>', 'who calls with it; recorded with every event')
    .option('--scope <scope...>', 'what it may do (default: everything)')
    .option('--workspace <id...>', 'workspaces it may use (default: workspace_default)')
    .option('--json', 'print JSON')
    .action(createKey);
  return new Command('api-keys').description('Keys that callers use.').addCommand(create);
}

function createKey({ id, actor, scope, workspace, json }: CreateOptions): void {
  if (!ID.test(id)) throw new CliError('--id: use a-z, 0-9, "_" and "-", at most 63 characters.', EXIT.usage);
  const unknown = scope?.find((name) => !SCOPES.some((known) => known === name));
  if (unknown !== undefined) throw new CliError(`--scope: use some of ${SCOPES.join(', ')}.`, EXIT.usage);
  const key = newApiKey('live', id, systemRandom);
  const row = {
    id,
    hash: apiKeyHash(key),
    actor,
    ...(scope ? { scopes: scope } : {}),
    ...(workspace ? { workspaces: workspace } : {}),
  };
  if (json) process.stdout.write(`${JSON.stringify({ key, row })}\n`);
  // JSON is YAML, so the row can be pasted as it is.
  else process.stdout.write(`Key, shown once: ${key}\nRow for auth.api_keys: ${JSON.stringify(row)}\n`);
}
