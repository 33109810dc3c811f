import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { print, printJson } from '#cli/terminal.ts';
import { systemRandom } from '#compose/compose.ts';
import { VaultError, vaultKey } from './secrets/encrypted-vault.ts';
import { VaultFile } from './secrets/vault-file.ts';

interface VaultOptions {
  keyEnv: string;
  json?: boolean;
}

const KEY_BYTES = 32;
const EXAMPLES = `
Examples:
  export HARN_VAULT_KEY="$(harn-gateway vault key)"
  harn-gateway vault create shop.vault
  harn-gateway vault put shop.vault db-login < login.txt
  harn-gateway vault list shop.vault

In the configuration it is a vault of the provider encrypted_file, and its secrets are {vault: <id>/<name>}.`;

/** Work on the file alone, without a gateway; no command shows a secret, and none takes one as an argument. */
export function vaultCommand(): Command {
  return new Command('vault')
    .description('Encrypted vaults: files that hold the secrets of agents and tools.')
    .addCommand(
      new Command('key')
        .description('Print a fresh key; keep it where only the gateway finds it.')
        .option('--json', 'print JSON')
        .action(({ json }: { json?: boolean }) => {
          const key = Buffer.from(systemRandom.bytes(KEY_BYTES)).toString('base64');
          if (json) printJson({ key });
          else print(key);
        }),
    )
    .addCommand(
      fileCommand('create', 'Make an empty vault.').action((file: string, options: VaultOptions) => {
        inVault(file, options, (vault) => vault.create());
        if (options.json) printJson({ file, created: true });
      }),
    )
    .addCommand(
      fileCommand('put', 'Add or replace a secret; its value is read from standard input.')
        .argument('<name>', 'name of the secret')
        .action(put),
    )
    .addCommand(
      fileCommand('remove', 'Remove a secret.')
        .argument('<name>', 'name of the secret')
        .action((file: string, name: string, options: VaultOptions) => {
          inVault(file, options, (vault) => vault.remove(name));
          if (options.json) printJson({ file, name, removed: true });
        }),
    )
    .addCommand(fileCommand('list', 'List the names of its secrets.').action(list))
    .addHelpText('after', EXAMPLES);
}

function fileCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<file>', 'the vault')
    .option('--key-env <name>', 'environment variable that holds its key', 'HARN_VAULT_KEY')
    .option('--json', 'print JSON');
}

async function put(file: string, name: string, options: VaultOptions): Promise<void> {
  const value = (await text(process.stdin)).replace(/\r?\n$/, '');
  inVault(file, options, (vault) => vault.put(name, value));
  if (options.json) printJson({ file, name, kept: true });
}

function list(file: string, options: VaultOptions): void {
  const names = inVault(file, options, (vault) => vault.names());
  if (options.json) printJson({ names });
  else for (const name of names) print(name);
}

/** A wrong key and a damaged file are failures; a missing key is wrong usage. */
function inVault<Result>(file: string, { keyEnv }: VaultOptions, act: (vault: VaultFile) => Result): Result {
  const key = keyOf(keyEnv);
  try {
    return act(new VaultFile(file, key, systemRandom));
  } catch (error) {
    if (error instanceof VaultError) throw new CliError(`${file} ${error.message}.`, EXIT.failed);
    throw error;
  }
}

function keyOf(name: string): Buffer {
  const given = process.env[name];
  if (given === undefined || given === '')
    throw new CliError(
      `The environment variable ${name} is not set: it holds the key of the vault. "harn-gateway vault key" makes one.`,
      EXIT.usage,
    );
  try {
    return vaultKey(given);
  } catch (error) {
    if (error instanceof VaultError) throw new CliError(`${name} ${error.message}.`, EXIT.usage);
    throw error;
  }
}
