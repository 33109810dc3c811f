import { Command } from 'commander';
import { apiKeyHash, newApiKey } from '#auth/api-keys.ts';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { commandLine } from '#cli/invocation.ts';
import { itemsOf, type ListingOptions, withListingOptions } from '#cli/listing.ts';
import { printItem, printItems } from '#cli/table.ts';
import { print, printJson } from '#cli/terminal.ts';
import { systemRandom } from '#compose/compose.ts';
import { SCOPES } from '#protocol/scopes.ts';
import type { Columns } from '#resources/room.ts';
import type { ApiKey } from './schema.ts';

interface CreateOptions extends ClientOptions {
  id: string;
  actor: string;
  scope?: (typeof SCOPES)[number][];
  workspace?: string[];
  row?: boolean;
  json?: boolean;
}

const ID = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const KEYS = '/v1/admin/api-keys';

export function apiKeysCommand(): Command {
  return new Command('api-keys')
    .description('Keys that callers use.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand())
    .addHelpText(
      'after',
      '\nExamples:\n  harn-gateway api-keys create --id ci --actor ci-bot --scope tasks:write\n  harn-gateway api-keys list',
    );
}

function createCommand(): Command {
  const command = new Command('create')
    .description('Make an API key in the running gateway and print it, once.')
    .requiredOption('--id <id>', 'name of the key in logs: a-z, 0-9, "_" and "-"')
    .requiredOption('--actor <actor>', 'who calls with it; recorded with every event')
    .option(
      '--scope <scope...>',
      'what it may do (default: *; without --row that is all but operator and metrics:read)',
    )
    .option('--workspace <id...>', 'workspaces it may use (default: workspace_default)')
    .option(
      '--row',
      'make it without a gateway: prints a row with its hash for auth.api_keys of the configuration',
    )
    .option('--json', 'print JSON');
  return withClientOptions(command).action((options: CreateOptions) => {
    checkNames(options);
    return options.row ? printConfigurationRow(options) : createKey(options);
  });
}

function checkNames({ id, scope }: CreateOptions): void {
  if (!ID.test(id)) throw new CliError('--id: use a-z, 0-9, "_" and "-", at most 63 characters.', EXIT.usage);
  const unknown = scope?.find((name) => !SCOPES.some((known) => known === name));
  if (unknown !== undefined) throw new CliError(`--scope: use some of ${SCOPES.join(', ')}.`, EXIT.usage);
}

async function createKey({ id, actor, scope, workspace, json, ...client }: CreateOptions): Promise<void> {
  const grant = { name: id, actor, scopes: scope ?? ['*'], workspaces: workspace ?? ['workspace_default'] };
  printKey(await new GatewayClient(client).api.post(KEYS, { body: grant }), json);
}

function printConfigurationRow({ id, actor, scope, workspace, json }: CreateOptions): void {
  const key = newApiKey('live', id, systemRandom);
  const row = {
    id,
    hash: apiKeyHash(key),
    actor,
    ...(scope ? { scopes: scope } : {}),
    ...(workspace ? { workspaces: workspace } : {}),
  };
  // JSON is YAML, so the row can be pasted as it is.
  if (json) printJson({ key, row });
  else print(`Key, shown once: ${key}\nRow for auth.api_keys: ${JSON.stringify(row)}`);
}

function printKey(made: ApiKey & { key?: string }, json: boolean | undefined): void {
  if (json) printJson(made);
  else
    print(
      `Key, shown once: ${made.key}\nIt is ${made.id}; end it with: ${commandLine(`api-keys revoke ${made.id}`)}`,
    );
}

function listCommand(): Command {
  const command = new Command('list').description(
    'List the keys that may call: those made in the running gateway, then those of its configuration.',
  );
  return withClientOptions(withListingOptions(command)).action(
    async ({ limit, json, ...client }: ClientOptions & ListingOptions) => {
      await printItems(everyKey(new GatewayClient(client), limit), json, COLUMNS);
    },
  );
}

async function* everyKey(client: GatewayClient, limit: number): AsyncGenerator<ApiKey> {
  let left = limit;
  for (const source of ['made', 'configured'] as const) {
    for await (const key of itemsOf(client, KEYS, { query: { source } }, left)) {
      left -= 1;
      yield key;
    }
  }
}

function rotateCommand(): Command {
  const command = new Command('rotate')
    .description('Make the successor of a key and print it, once; the old one works for a while beside it.')
    .argument('<id>', 'id of the key, or its name')
    .option('--overlap <seconds>', 'how long the old key still works', '86400')
    .option('--json', 'print JSON');
  return withClientOptions(command).action(
    async (id: string, { overlap, json, ...client }: ClientOptions & { overlap: string; json?: boolean }) => {
      if (!/^\d{1,7}$/.test(overlap))
        throw new CliError('--overlap: give seconds, from 0 to 2592000.', EXIT.usage);
      const gateway = new GatewayClient(client);
      const params = { path: { key_id: await idOf(gateway, id) } };
      const body = { overlap_seconds: Number(overlap) };
      printKey(await gateway.api.post('/v1/admin/api-keys/{key_id}/rotate', { params, body }), json);
    },
  );
}

function revokeCommand(): Command {
  const command = new Command('revoke')
    .description('End a key at once; open streams end within seconds.')
    .argument('<id>', 'id of the key, or its name')
    .option('--json', 'print JSON');
  return withClientOptions(command).action(
    async (id: string, { json, ...client }: ClientOptions & { json?: boolean }) => {
      const gateway = new GatewayClient(client);
      const params = { path: { key_id: await idOf(gateway, id) } };
      const revoked = await gateway.api.post('/v1/admin/api-keys/{key_id}/revoke', { params });
      printItem(revoked, json, COLUMNS);
    },
  );
}

/** The id of a key that is named by it, or by the name it was made with, as far as that is of one live key. */
async function idOf(gateway: GatewayClient, named: string): Promise<string> {
  if (named.startsWith('apikey_')) return named;
  const live: ApiKey[] = [];
  for await (const key of itemsOf(gateway, KEYS, {}, Number.POSITIVE_INFINITY))
    if (key.name === named && key.revoked_at === null && key.replaced_by === null) live.push(key);
  const [one, ...others] = live;
  if (one === undefined)
    throw new CliError(
      `No live key made in the gateway has the name ${named}. See: harn-gateway api-keys list`,
    );
  if (others.length > 0) {
    const ids = live.map(({ id }) => id).join(', ');
    throw new CliError(`Several live keys have the name ${named}. Name one by its id: ${ids}`);
  }
  return one.id;
}

const COLUMNS: Columns<ApiKey> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  ACTOR: ({ actor }) => actor,
  STATE: ({ revoked_at, expires_at, metadata }) => {
    const live = metadata['source'] === 'configured' ? 'live, configured' : 'live';
    return revoked_at ? `revoked ${revoked_at}` : expires_at ? `until ${expires_at}` : live;
  },
  SCOPES: ({ scopes }) => scopes.join(','),
};
