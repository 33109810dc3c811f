import { join } from 'node:path';
import { openVault, VaultError, vaultKey } from './encrypted-vault.ts';
import { type KeyPlace, MIN_SECRET_LENGTH, type VaultRow } from './vault-row.ts';

/** The outside world a secret is read from. `readFile` returns UTF-8 text or throws with a `code`. */
export interface VaultSources {
  env: Readonly<Record<string, string | undefined>>;
  readFile: (path: string) => string;
}

/**
 * Reads one secret of a vault now. Throws VaultError, without the value, when it is missing or cannot be used, with the end of
 * a sentence that begins with the name of the secret.
 */
export function readVault(row: VaultRow, name: string, sources: VaultSources): string {
  const value = READ[row.provider](row, name, sources);
  if (value === undefined || value === '') throw new VaultError(`is not in the vault ${row.id}`);
  if (value.length < MIN_SECRET_LENGTH)
    throw new VaultError(
      `is shorter than ${MIN_SECRET_LENGTH} characters: it could not be kept out of the log`,
    );
  return value;
}

type Read = (row: VaultRow, name: string, sources: VaultSources) => string | undefined;

const READ: { readonly [Provider in VaultRow['provider']]: Read } = {
  environment: ({ prefix = '' }, name, { env }) => env[prefix + name.toUpperCase().replace(/[.-]/g, '_')],
  file: ({ dir = '' }, name, { readFile }) => readLine(join(dir, name), readFile),
  encrypted_file: ({ id, file = '', key }, name, sources) => {
    const text = readLine(file, sources.readFile);
    if (text === undefined) throw new VaultError(`cannot be read: the file ${file} does not exist`);
    try {
      return openVault(text, vaultKey(keyText(key, sources))).get(name);
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      throw new VaultError(`cannot be read: the vault ${id} ${error.message}`);
    }
  },
};

function keyText(place: KeyPlace | undefined, { env, readFile }: VaultSources): string {
  const text = place && ('env' in place ? env[place.env] : readLine(place.file, readFile));
  if (text !== undefined && text !== '') return text;
  const where =
    place && ('env' in place ? `the environment variable ${place.env} is not set` : `${place.file} is empty`);
  throw new VaultError(`has no key: ${where ?? 'none is configured'}`);
}

/** Without one line end at its end; undefined when there is no such file. */
function readLine(path: string, readFile: VaultSources['readFile']): string | undefined {
  try {
    return readFile(path).replace(/\r?\n$/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    if (code === 'ENOENT') return undefined;
    throw new VaultError(`cannot be read: ${path} (${code})`);
  }
}
