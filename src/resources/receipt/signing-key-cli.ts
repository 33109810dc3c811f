import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { offlineConfigOf } from '#cli/gateway-config.ts';
import { printItem } from '#cli/listing.ts';
import { changeKeysOffline, type KeyChange } from '#compose/compose.ts';
import { dataPaths } from '#operation/data-directory.ts';
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
  const path = '/v1/admin/signing-keys?limit=200';
  print(
    options.offline
      ? await offline(options, { kind: 'none' })
      : (await new GatewayClient(options).json<{ data: SigningKey[] }>('GET', path)).data,
    options,
  );
}

async function rotate(options: KeysOptions): Promise<void> {
  print(
    options.offline
      ? await offline(options, { kind: 'rotate' })
      : [await new GatewayClient(options).json<SigningKey>('POST', '/v1/admin/signing-keys')],
    options,
  );
}

async function revoke(id: string, options: KeysOptions): Promise<void> {
  const path = `/v1/admin/signing-keys/${encodeURIComponent(id)}/revoke`;
  print(
    options.offline
      ? await offline(options, { kind: 'revoke', keyId: id })
      : [await new GatewayClient(options).json<SigningKey>('POST', path)],
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
  return changeKeysOffline(config, change);
}

function print(keys: readonly SigningKey[], { json }: KeysOptions): void {
  for (const key of keys) printItem(key, json, line);
}

function line({ id, status, not_before, not_after }: SigningKey): string[] {
  return [id, status.padEnd(7), `${not_before} to ${not_after ?? 'now'}`];
}
