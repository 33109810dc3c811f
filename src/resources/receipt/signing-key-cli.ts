import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { offlineConfigOf } from '#cli/gateway-config.ts';
import { logsTo } from '#cli/log-lines.ts';
import { printItems } from '#cli/table.ts';
import { changeKeysOffline, type KeyChange } from '#compose/compose.ts';
import { dataPaths } from '#operation/data-directory.ts';
import type { Columns } from '#resources/room.ts';
import type { SigningKey } from './schema.ts';

interface KeysOptions extends ClientOptions {
  offline?: boolean;
  config?: string;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  harn-gateway keys list
  harn-gateway keys rotate
  harn-gateway keys revoke kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
  harn-gateway keys rotate --offline --data ./data     (with the gateway stopped)`;

export function keysCommand(): Command {
  return new Command('keys')
    .description('The keys that sign receipts, heads of the receipt log and cards.')
    .addCommand(keyCommand('list', 'List the keys with their windows.').action(list))
    .addCommand(keyCommand('rotate', 'Let a new key sign from now on.').action(rotate))
    .addCommand(
      keyCommand('revoke', 'What the key signs from now on counts as forged.')
        .argument('<id>', 'key')
        .action(revoke),
    )
    .addHelpText('after', EXAMPLES);
}

function keyCommand(name: string, description: string): Command {
  const command = new Command(name)
    .description(description)
    .option('--offline', 'open the data directory of a stopped gateway instead of calling a running one')
    .option('--config <file>', 'with --offline: configuration file')
    .option('--json', 'print one JSON object per key');
  return withClientOptions(command);
}

async function list(options: KeysOptions): Promise<void> {
  const params = { query: { limit: 200 } };
  await print(
    options.offline
      ? await offline(options, { kind: 'none' })
      : (await new GatewayClient(options).api.get('/v1/admin/signing-keys', { params })).data,
    options,
  );
}

async function rotate(options: KeysOptions): Promise<void> {
  await print(
    options.offline
      ? await offline(options, { kind: 'rotate' })
      : [await new GatewayClient(options).api.post('/v1/admin/signing-keys')],
    options,
  );
}

async function revoke(id: string, options: KeysOptions): Promise<void> {
  const path = '/v1/admin/signing-keys/{signing_key_id}/revoke';
  const params = { path: { signing_key_id: id } };
  await print(
    options.offline
      ? await offline(options, { kind: 'revoke', keyId: id })
      : [await new GatewayClient(options).api.post(path, { params })],
    options,
  );
}

/** All keys of the data directory after the change. */
async function offline(options: KeysOptions, change: KeyChange): Promise<SigningKey[]> {
  const config = offlineConfigOf(options);
  const { data } = config.store;
  if (!existsSync(dataPaths(data).store))
    throw new CliError(
      `${data} holds no event log. Name the data directory with --data.`,
      EXIT.cannotOpenData,
    );
  return changeKeysOffline(config, change, logsTo(process.stderr));
}

async function print(keys: readonly SigningKey[], { json }: KeysOptions): Promise<void> {
  await printItems(keys, json, KEY_COLUMNS);
}

const KEY_COLUMNS: Columns<SigningKey> = {
  ID: ({ id }) => id,
  STATUS: ({ status }) => status,
  SIGNS: ({ not_before, not_after }) => `${not_before} to ${not_after ?? 'now'}`,
};
