import { readFileSync } from 'node:fs';
import type { Random } from '#protocol/ports.ts';
import { writeFileAtomicSync } from '#store/atomic-file.ts';
import { openVault, sealVault, VaultError } from './encrypted-vault.ts';
import { MIN_SECRET_LENGTH, SECRET_NAME } from './vault-row.ts';

/** Nobody but its owner has a use for the file, not even for its ciphertext. */
const MODE = 0o600;

/** An encrypted vault as a file, for the commands that fill it. Every method throws VaultError; one writer at a time. */
export class VaultFile {
  readonly #path: string;
  readonly #key: Buffer;
  readonly #random: Random;

  constructor(path: string, key: Buffer, random: Random) {
    this.#path = path;
    this.#key = key;
    this.#random = random;
  }

  /** Makes an empty vault; an existing file is never replaced. */
  create(): void {
    if (this.#text() !== undefined) throw new VaultError('exists already');
    this.#write(new Map());
  }

  /** The names of its secrets, in order. */
  names(): string[] {
    return [...this.#open().keys()].sort();
  }

  /** Adds a secret, or replaces it. */
  put(name: string, value: string): void {
    if (!SECRET_NAME.test(name))
      throw new VaultError('takes names of A-Z, a-z, 0-9, "_", "." and "-", at most 128 characters');
    if (value.length < MIN_SECRET_LENGTH)
      throw new VaultError(
        `takes no secret of fewer than ${MIN_SECRET_LENGTH} characters: it could not be kept out of the log`,
      );
    if (![...value].every((character) => character >= ' ' && character !== '\u007f'))
      throw new VaultError('takes no secret with control characters or of several lines');
    this.#write(this.#open().set(name, value));
  }

  remove(name: string): void {
    const secrets = this.#open();
    if (!secrets.delete(name)) throw new VaultError('has no secret of this name; see "vault list"');
    this.#write(secrets);
  }

  #open(): Map<string, string> {
    const text = this.#text();
    if (text === undefined) throw new VaultError('does not exist; make it with "vault create"');
    return openVault(text.replace(/\n$/, ''), this.#key);
  }

  #text(): string | undefined {
    try {
      return readFileSync(this.#path, 'utf8');
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
      if (code === 'ENOENT') return undefined;
      throw new VaultError(`cannot be read (${code})`);
    }
  }

  #write(secrets: ReadonlyMap<string, string>): void {
    try {
      writeFileAtomicSync(this.#path, sealVault(secrets, this.#key, this.#random), MODE);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
      throw new VaultError(`cannot be written (${code})`);
    }
  }
}
