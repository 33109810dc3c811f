import { createPublicKey, verify as verifyWith } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock, Random } from '../../../src/protocol/ports.ts';
import { openKeyRegistry } from '../../../src/receipts/key-registry.ts';

const clock: Clock = { now: () => Date.UTC(2026, 10, 21), monotonic: () => 0 };
const random: Random = { bytes: (size) => new Uint8Array(size).fill(7) };
const HASH = Buffer.from('sha256:00', 'utf8');

describe('the key registry', () => {
  let data: string;
  let dir: string;
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'harn-keys-'));
    dir = join(data, 'keys');
  });
  afterEach(() => rmSync(data, { recursive: true }));

  const open = () => openKeyRegistry({ dir, clock, random });
  const registryFile = () => join(dir, 'registry.json');
  const editRegistry = (edit: (row: Record<string, unknown>) => void) => {
    const registry = JSON.parse(readFileSync(registryFile(), 'utf8'));
    edit(registry.keys[0]);
    writeFileSync(registryFile(), JSON.stringify(registry));
  };

  it('makes one key at the first start, in files only the owner can read', () => {
    const { keyId } = open().current();
    expect(readdirSync(dir).sort()).toEqual([`${keyId}.pem`, 'registry.json'].sort());
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(dir)) expect(statSync(join(dir, file)).mode & 0o777, file).toBe(0o600);
    expect(JSON.parse(readFileSync(registryFile(), 'utf8'))).toEqual({
      version: 1,
      keys: [
        {
          key_id: keyId,
          algorithm: 'Ed25519',
          public_key: expect.stringMatching(/^[\w-]{43}$/),
          not_before: '2026-11-21T00:00:00.000Z',
          not_after: null,
          revoked_at: null,
        },
      ],
    });
  });

  it('keeps its key over a restart', () => {
    const signature = open().current().sign(HASH);
    expect(open().verify(open().current().keyId, HASH, signature)).toBe('ok');
    expect(readdirSync(dir)).toHaveLength(2);
  });

  it('signs what anyone can check with the public JWK', () => {
    const registry = open();
    const [jwk] = registry.publicJwks().keys;
    expect(jwk).toMatchObject({
      kty: 'OKP',
      crv: 'Ed25519',
      alg: 'EdDSA',
      use: 'sig',
      kid: registry.current().keyId,
    });
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
    expect(verifyWith(null, HASH, key, registry.current().sign(HASH))).toBe(true);
  });

  it('tells an unknown key from a bad signature', () => {
    const registry = open();
    const { keyId, sign } = registry.current();
    expect(registry.verify('another', HASH, sign(HASH))).toBe('unknown_key');
    expect(registry.verify(keyId, Buffer.from('sha256:01'), sign(HASH))).toBe('invalid_signature');
    expect(registry.verify(keyId, HASH, sign(HASH).subarray(1))).toBe('invalid_signature');
    expect(registry.verify(keyId, HASH, Buffer.alloc(0))).toBe('invalid_signature');
  });

  it('accepts a signature text in its one base64 spelling only', () => {
    const registry = open();
    const { keyId, sign } = registry.current();
    const text = sign(HASH).toString('base64');
    expect(registry.verify(keyId, HASH, text)).toBe('ok');
    const lastLetter = text.charAt(85) === 'w' ? 'x' : String.fromCharCode(text.charCodeAt(85) + 1);
    const others = [
      `${text} `,
      `\n${text}`,
      text.replace(/=+$/, ''),
      `${text.slice(0, 85)}${lastLetter}==`,
      `*${text}`,
    ];
    for (const other of others) expect(registry.verify(keyId, HASH, other), other).toBe('invalid_signature');
  });

  it('refuses wider modes and says how to mend them', () => {
    const { keyId } = open().current();
    for (const [path, wide, right] of [
      [dir, 0o750, 0o700],
      [registryFile(), 0o640, 0o600],
      [join(dir, `${keyId}.pem`), 0o604, 0o600],
    ] as const) {
      chmodSync(path, wide);
      expect(open).toThrow(`chmod ${right.toString(8)} ${path}`);
      chmodSync(path, right);
    }
    expect(open().current().keyId).toBe(keyId);
  });

  it('refuses a registry whose row is not what it says, naming the file and the field', () => {
    const faults: [string, (row: Record<string, unknown>) => void][] = [
      ['keys[0].key_id', (row) => Object.assign(row, { key_id: 'other' })],
      ['keys[0].public_key', (row) => Object.assign(row, { public_key: `${String(row.public_key)}=` })],
      ['keys[0].not_before', (row) => Object.assign(row, { not_before: 'yesterday' })],
      ['32 bytes', (row) => Object.assign(row, { public_key: 'AAAA' })],
    ];
    open();
    const good = readFileSync(registryFile());
    for (const [fault, edit] of faults) {
      editRegistry(edit);
      expect(open, fault).toThrow(fault);
      expect(open, fault).toThrow(registryFile());
      writeFileSync(registryFile(), good);
    }
    writeFileSync(registryFile(), '{');
    expect(open).toThrow(expect.objectContaining({ name: 'KeyRegistryError', path: registryFile() }));
  });

  it('refuses a private key that is not the one of its row, and a missing one', () => {
    const { keyId } = open().current();
    const other = mkdtempSync(join(tmpdir(), 'harn-keys-'));
    const strange: Random = { bytes: (size) => new Uint8Array(size).fill(8) };
    const { keyId: otherId } = openKeyRegistry({
      dir: join(other, 'keys'),
      clock,
      random: strange,
    }).current();
    writeFileSync(join(dir, `${keyId}.pem`), readFileSync(join(other, 'keys', `${otherId}.pem`)));
    expect(open).toThrow(keyId);
    rmSync(join(dir, `${keyId}.pem`));
    expect(open).toThrow(`${keyId}.pem`);
    rmSync(other, { recursive: true });
  });

  it('never signs with a key that has ended', () => {
    open();
    editRegistry((row) => Object.assign(row, { revoked_at: '2026-11-21T00:00:00.000Z' }));
    expect(open).toThrow('every signing key has ended');
  });
});
