import { z } from 'zod';
import { VaultError } from '#resources/vault/secrets/encrypted-vault.ts';
import { readVault } from '#resources/vault/secrets/read-vault.ts';
import { parseVaultRef, type VaultRow } from '#resources/vault/secrets/vault-row.ts';
import { ConfigError } from './fault.ts';
import { filePath } from './shapes.ts';

const fromEnvironment = z.strictObject({
  env: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]{0,127}$/, 'must be the name of an environment variable: A-Z, 0-9 and "_"')
    .describe('Environment variable that holds the secret.'),
});
const fromFile = z.strictObject({
  file: filePath.describe('File that holds the secret; one line end at its end is dropped.'),
});

const fromVault = z.strictObject({
  vault: z
    .string()
    .refine((text) => parseVaultRef(text) !== undefined, 'must be <id of a vault>/<name of a secret>')
    .describe('Secret of a configured vault: <id>/<name>, also spelled vault:<id>/<name>.'),
});

/** Where a secret is kept that no vault can hold, such as the key of a vault. */
export const localSecretRef = z.union([fromEnvironment, fromFile], {
  error: 'must be {env: NAME} or {file: PATH}; a secret never stands in the configuration itself',
});

/** Where a secret is kept. The secret itself never stands in the configuration. */
export const secretRef = z.union([fromEnvironment, fromFile, fromVault], {
  error: (issue) => refusal(issue.input),
});
export type SecretRef = z.output<typeof secretRef>;

/** A value that is no secret; a reference that would be passed on as it stands is refused. */
export const plainValue = z
  .string()
  .refine((text) => !text.startsWith('vault:'), 'must be {vault: <id>/<name>} to be the secret itself');

function refusal(input: unknown): string {
  const isVault = typeof input === 'object' && input !== null && 'vault' in input;
  return isVault
    ? 'must be {vault: <id of a vault>/<name of a secret>}'
    : 'must be {env: NAME}, {file: PATH} or {vault: ID/NAME}; a secret never stands in the configuration itself';
}

/** The outside world a secret is read from. `readFile` returns UTF-8 text or throws. */
export interface SecretSources {
  env: Readonly<Record<string, string | undefined>>;
  readFile: (path: string) => string;
  /** The configured vaults. Undefined: not known, because their section is at fault. */
  vaults?: readonly VaultRow[] | undefined;
}

/**
 * Reads the secret now, so that a rotated file takes effect at the next use. Throws ConfigError, without the value, when
 * it is missing, empty or holds control characters (it would break a header). `path` names the option in the error.
 */
export function readSecret(ref: SecretRef, sources: SecretSources, path = 'secret'): string {
  const outcome = read(ref, sources);
  if (typeof outcome === 'string') return outcome;
  throw new ConfigError([{ path, message: outcome.problem }]);
}

type Outcome = string | { problem: string };

function read(ref: SecretRef, sources: SecretSources): Outcome {
  if ('env' in ref) return readVariable(ref.env, sources);
  return 'file' in ref ? readSecretFile(ref.file, sources) : readVaultSecret(ref.vault, sources);
}

function readVaultSecret(text: string, sources: SecretSources): Outcome {
  const { vaultId = '', name = '' } = parseVaultRef(text) ?? {};
  const row = sources.vaults?.find(({ id }) => id === vaultId);
  if (row === undefined) return { problem: 'names no configured vault' };
  try {
    return checked(readVault(row, name, sources), `the secret ${name} of the vault ${vaultId}`);
  } catch (error) {
    if (error instanceof VaultError) return { problem: `the secret ${name} ${error.message}` };
    throw error;
  }
}

function readVariable(name: string, { env }: SecretSources): Outcome {
  const value = env[name];
  if (value === undefined || value === '') return { problem: `the environment variable ${name} is not set` };
  return checked(value, `the environment variable ${name}`);
}

function readSecretFile(path: string, { readFile }: SecretSources): Outcome {
  try {
    const value = readFile(path).replace(/\r?\n$/, '');
    return value === '' ? { problem: `the file ${path} is empty` } : checked(value, `the file ${path}`);
  } catch (error) {
    return { problem: `the file ${path} ${readProblem(error)}` };
  }
}

function checked(value: string, source: string): Outcome {
  const isPrintable = [...value].every((character) => character >= ' ' && character !== '\u007f');
  return isPrintable ? value : { problem: `${source} holds control characters or several lines` };
}

/** The end of a sentence that begins with a file name: why the file could not be read. */
export function readProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
}
