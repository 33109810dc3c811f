import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readSecret } from '#config/secret.ts';
import { sealVault } from '#resources/vault/secrets/encrypted-vault.ts';
import { type Given, load, onlyFault } from '../../../unit/config/config-harness.ts';

const SECRET = 'hunter2-hunter2';
const key = randomBytes(32);
const random = { bytes: (size: number) => randomBytes(size) };
const files = {
  '/run/shop/token': `${SECRET}\n`,
  '/run/shop/pin': '1234',
  '/srv/gateway/shop.vault': sealVault(new Map([['token', SECRET]]), key, random),
  '/srv/gateway/bad.vault': sealVault(new Map([['token', SECRET]]), key, random).slice(0, -9),
};
const env = { KEY: key.toString('base64'), OTHER: randomBytes(32).toString('hex'), SHOP_API_TOKEN: SECRET };
const vaults = (rows: string) => `vaults: [${rows}]\n`;
const agent = (ref: string) =>
  `upstreams: {a2a: [{id: shop, card: "https://shop.example.com/card", auth: {type: bearer, value: {vault: ${ref}}}}]}`;

const OF_PROVIDER: Record<string, [row: string, ref: string]> = {
  environment: ['{id: v, provider: environment, prefix: SHOP_}', 'v/api-token'],
  file: ['{id: v, provider: file, dir: /run/shop}', 'v/token'],
  encrypted_file: ['{id: v, provider: encrypted_file, file: shop.vault, key: {env: KEY}}', '"vault:v/token"'],
};

describe('vaults in the configuration', () => {
  it.each(Object.entries(OF_PROVIDER))(
    '%s: a reference gives the secret, which is not part of what was loaded',
    (_name, [row, ref]) => {
      const config = load({ yaml: vaults(row) + agent(ref), files, env });
      expect(JSON.stringify(config)).not.toContain(SECRET);
      const readFile = (path: string) => new Map(Object.entries(files)).get(path) ?? '';
      const value = config.upstreams.a2a[0]?.auth?.value;
      expect(value && readSecret(value, { env, readFile, vaults: config.vaults })).toBe(SECRET);
    },
  );

  it.each<[string, string, string]>([
    ['', 'gone/token', 'upstreams.a2a[0].auth.value: names no configured vault'],
    [
      '{id: v, provider: file, dir: /run/shop}',
      'v/gone',
      'upstreams.a2a[0].auth.value: the secret gone is not in the vault v',
    ],
    [
      '{id: v, provider: file, dir: /run/shop}',
      'v/pin',
      'upstreams.a2a[0].auth.value: the secret pin is shorter than 8 characters: it could not be kept out of the log',
    ],
    [
      '{id: v, provider: environment}',
      'v/nothing',
      'upstreams.a2a[0].auth.value: the secret nothing is not in the vault v',
    ],
    [
      '{id: v, provider: encrypted_file, file: shop.vault, key: {env: OTHER}}',
      'v/token',
      'upstreams.a2a[0].auth.value: the secret token cannot be read: the vault v was encrypted with another key',
    ],
    [
      '{id: v, provider: encrypted_file, file: bad.vault, key: {env: KEY}}',
      'v/token',
      'upstreams.a2a[0].auth.value: the secret token cannot be read: the vault v is damaged; restore it from a copy',
    ],
    [
      '{id: v, provider: encrypted_file, file: gone.vault, key: {env: KEY}}',
      'v/token',
      'upstreams.a2a[0].auth.value: the secret token cannot be read: the file /srv/gateway/gone.vault does not exist',
    ],
    [
      '{id: v, provider: encrypted_file, file: shop.vault, key: {env: GONE}}',
      'v/token',
      'upstreams.a2a[0].auth.value: the secret token cannot be read: the vault v has no key: the environment variable GONE is not set',
    ],
    [
      '',
      'v/../../etc/passwd',
      'upstreams.a2a[0].auth.value.vault: must be <id of a vault>/<name of a secret>',
    ],
    ['{id: v, provider: file}', 'v/token', 'vaults[0].dir: is required for the provider file'],
    [
      '{id: v, provider: environment, dir: /run/shop}',
      'v/api-token',
      'vaults[0].dir: is not for the provider environment',
    ],
  ])('%s with %s is a fault that names the place and no value', (row, ref, fault) => {
    expect(onlyFault({ yaml: vaults(row) + agent(ref), files, env })).toBe(fault);
  });

  it.each<[string, Given]>([
    [
      'vaults[1].id: repeats the id of an earlier entry',
      { yaml: vaults('{id: v, provider: environment}, {id: v, provider: environment}') },
    ],
    [
      'vaults[0].workspace: names no configured workspace',
      { yaml: vaults('{id: v, provider: environment, workspace: nowhere}') },
    ],
    [
      'vaults[0].tenant: names no configured tenant',
      { yaml: vaults('{id: v, provider: environment, tenant: nobody}') },
    ],
  ])('%s', (fault, given) => {
    expect(onlyFault(given)).toBe(fault);
  });

  it('a reference in plain text would be passed on as it stands, and is refused', () => {
    const yaml = `${vaults('{id: v, provider: environment}')}upstreams: {acp: [{id: a, command: [x], env: {TOKEN: "vault:v/token"}}]}`;
    expect(onlyFault({ yaml, env })).toMatch(/^upstreams\.acp\[0\]\.env\.TOKEN: must be/);
  });
});
