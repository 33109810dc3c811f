import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openVault, sealVault, VaultError, vaultKey } from '#resources/vault/secrets/encrypted-vault.ts';
import { parseVaultRef } from '#resources/vault/secrets/vault-row.ts';

const random = { bytes: (size: number) => randomBytes(size) };
const key = randomBytes(32);
const secrets = new Map([
  ['db-login', 'hunter2-hunter2'],
  ['token', 'tøken-1234567890'],
]);

describe('an encrypted vault', () => {
  it('gives back what was put in, and shows neither values nor names', () => {
    const text = sealVault(secrets, key, random);
    expect(openVault(text.trimEnd(), key)).toEqual(secrets);
    for (const shown of ['hunter2', 'db-login', key.toString('base64'), key.toString('hex')])
      expect(text).not.toContain(shown);
    expect(sealVault(secrets, key, random)).not.toBe(text);
  });

  it('tells another key from damage, and finds every changed character', () => {
    const text = sealVault(secrets, key, random).trimEnd();
    expect(() => openVault(text, randomBytes(32))).toThrow(new VaultError('was encrypted with another key'));
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
      expect(() => openVault(changed, key)).toThrow(VaultError);
    }
    for (const length of [0, 10, text.length - 1])
      expect(() => openVault(text.slice(0, length), key)).toThrow(VaultError);
  });

  it('has a key of 32 bytes in hex or base64', () => {
    expect(vaultKey(key.toString('hex'))).toEqual(key);
    expect(vaultKey(`${key.toString('base64')}\n`)).toEqual(key);
    for (const text of [
      '',
      'short',
      'x'.repeat(64),
      randomBytes(31).toString('base64'),
      `${key.toString('hex')}00`,
    ])
      expect(() => vaultKey(text)).toThrow('needs a key of 32 bytes');
  });

  it.each(['shop/token', 'vault:shop/token', 'a-b_c/DB.login-1'])('%s is a reference', (text) => {
    expect(parseVaultRef(text)).toBeDefined();
  });

  it.each([
    'shop',
    'shop/',
    '/token',
    'shop/a/b',
    'shop/../b',
    'shop/.env',
    'Shop/token',
    'shop/a b',
    'vault:vault:shop/a',
  ])('%s is none', (text) => {
    expect(parseVaultRef(text)).toBeUndefined();
  });
});
