import { createHmac } from 'node:crypto';
import type { Random } from '#protocol/ports.ts';
import { createSecretBox } from '#store/secret-box.ts';
import { SECRET_NAME } from './vault-row.ts';

/** First line of the file; the second one is the id of its key, the third one AES-256-GCM over JSON, in base64. */
const FORMAT = 'harn-gateway-vault-1';
const KEY_BYTES = 32;
const KEY_ID_CHARS = 16;

/** Why a vault cannot be opened, as the end of a sentence that begins with its name; never what is in it. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
}

/** 32 bytes, written as 64 hex digits or as base64. Throws VaultError for everything else. */
export function vaultKey(text: string): Buffer {
  const given = text.trim();
  const key = /^[0-9a-fA-F]{64}$/.test(given) ? Buffer.from(given, 'hex') : Buffer.from(given, 'base64');
  const isWhole = key.length === KEY_BYTES && (given.length === 64 || sameBase64(given, key));
  if (!isWhole)
    throw new VaultError('needs a key of 32 bytes in hex or base64; "harn-gateway vault key" makes one');
  return key;
}

function sameBase64(text: string, bytes: Buffer): boolean {
  return bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '');
}

/** The secrets of an encrypted vault by name. Throws VaultError when the key is another one or the text was changed. */
export function openVault(text: string, key: Buffer): Map<string, string> {
  const [format, keyId, sealed, ...rest] = text.split('\n');
  if (format !== FORMAT || sealed === undefined || rest.join('') !== '')
    throw new VaultError('is no encrypted vault of this program, or is damaged; restore it from a copy');
  if (keyId !== idOf(key)) throw new VaultError('was encrypted with another key');
  try {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.toString('base64') !== sealed) throw new VaultError('is not what was written');
    const plain = createSecretBox(key, NO_RANDOM).open(bytes);
    return new Map(Object.entries(JSON.parse(plain.toString('utf8')) as Record<string, string>));
  } catch {
    throw new VaultError('is damaged; restore it from a copy');
  }
}

/** The text of the file that holds these secrets. */
export function sealVault(secrets: ReadonlyMap<string, string>, key: Buffer, random: Random): string {
  const names = [...secrets.keys()].filter((name) => SECRET_NAME.test(name)).sort();
  const plain = JSON.stringify(Object.fromEntries(names.map((name) => [name, secrets.get(name)])));
  const sealed = createSecretBox(key, random).seal(Buffer.from(plain, 'utf8'));
  return `${FORMAT}\n${idOf(key)}\n${sealed.toString('base64')}\n`;
}

/** Distinguishes a wrong key from a damaged file, and says nothing of the key. */
function idOf(key: Buffer): string {
  return createHmac('sha256', key).update(`${FORMAT} key id`).digest('hex').slice(0, KEY_ID_CHARS);
}

const NO_RANDOM: Random = {
  bytes: () => {
    throw new Error('a vault that is opened draws nothing');
  },
};
