import { createPublicKey, verify as verifyWith } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock, Random } from '#protocol/ports.ts';
import { type KeyRegistry, type KeyRow, openKeyRegistry } from '#receipts/key-registry.ts';
import { keysOfJwks, verifySignature } from '#receipts/verification-keys.ts';

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
    // As a version without checksums wrote it: what the fields say is looked at all the same.
    delete registry.sha256;
    writeFileSync(registryFile(), JSON.stringify(registry));
  };

  it('makes one key at the first start, in files only the owner can read', () => {
    const { keyId } = open().current();
    expect(readdirSync(dir).sort()).toEqual([`${keyId}.pem`, 'registry.json'].sort());
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(dir)) expect(statSync(join(dir, file)).mode & 0o777, file).toBe(0o600);
    expect(JSON.parse(readFileSync(registryFile(), 'utf8'))).toEqual({
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
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

  it('of an older version gets its checksum from who owns the data, and from nobody else', () => {
    open();
    const whole = readFileSync(registryFile(), 'utf8');
    editRegistry(() => undefined);
    const old = readFileSync(registryFile(), 'utf8');
    open();
    expect(readFileSync(registryFile(), 'utf8')).toBe(old);
    openKeyRegistry({ dir, clock, random, addsChecksum: true });
    expect(readFileSync(registryFile(), 'utf8')).toBe(whole);
    expect(statSync(registryFile()).mode & 0o777).toBe(0o600);
  });

  it('of an older version that is refused stays as it is', () => {
    const { keyId } = open().current();
    editRegistry(() => undefined);
    rmSync(join(dir, `${keyId}.pem`));
    const old = readFileSync(registryFile(), 'utf8');
    expect(() => openKeyRegistry({ dir, clock, random, addsChecksum: true })).toThrow(keyId);
    expect(readFileSync(registryFile(), 'utf8')).toBe(old);
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
    expect(open).toThrow(`${keyId}.pem: is missing`);
    expect(open).toThrow('harn-gateway keys rotate --offline');
    const replaced = openKeyRegistry({ dir, clock, random: strange, opensWithoutKey: true });
    expect(() => replaced.current().sign(Buffer.from('x'))).toThrow(`${keyId}.pem: is missing`);
    replaced.rotate('2026-11-22T10:00:00.000Z');
    expect(replaced.rows().map((row) => [row.key_id, row.not_after === null])).toEqual([
      [keyId, false],
      [otherId, true],
    ]);
    expect(open().current().keyId).toBe(otherId);
    rmSync(other, { recursive: true });
  });

  const AT = '2026-11-22T10:00:00.000Z';
  const keys = (...seeds: number[]) => {
    const left = [...seeds];
    const counted: Random = { bytes: (size) => new Uint8Array(size).fill(left.shift() ?? 0) };
    return openKeyRegistry({ dir, clock, random: counted });
  };
  const check = (registry: KeyRegistry, keyId: string, signature: Buffer, time: string) =>
    verifySignature(registry.verificationKeys(), {
      keyId,
      bytes: HASH,
      signature,
      timesMs: [Date.parse(time)],
    });

  it('rotates: a new key signs, the old one is kept with its window, and its private half is gone', () => {
    const registry = keys(1, 2);
    const old = registry.current();
    const signature = old.sign(HASH);
    const row = registry.rotate(AT);
    expect(row.key_id).not.toBe(old.keyId);
    for (const now of [registry, open()]) {
      expect(now.current().keyId).toBe(row.key_id);
      expect(now.rows()).toMatchObject([
        { key_id: old.keyId, not_after: AT, revoked_at: null },
        { key_id: row.key_id, not_before: AT, not_after: null },
      ]);
      expect(check(now, old.keyId, signature, '2026-11-21T12:00:00.000Z')).toBe('ok');
      expect(check(now, old.keyId, signature, AT)).toBe('ok');
      expect(check(now, old.keyId, signature, '2026-11-22T10:00:00.001Z')).toBe('outside_window');
    }
    expect(readdirSync(dir).sort()).toEqual([`${row.key_id}.pem`, 'registry.json'].sort());
  });

  it('takes no signature from before its key was there', () => {
    const registry = keys(1, 2);
    const { key_id } = registry.rotate(AT);
    const signature = registry.current().sign(HASH);
    expect(check(registry, key_id, signature, AT)).toBe('ok');
    expect(check(registry, key_id, signature, '2026-11-22T09:59:59.999Z')).toBe('outside_window');
    expect(check(registry, key_id, signature, 'no time')).toBe('outside_window');
  });

  it('revokes: what was signed before stays valid, from that moment on nothing is, and another key signs', () => {
    const registry = keys(1, 2);
    const old = registry.current();
    const signature = old.sign(HASH);
    expect(registry.revoke(old.keyId, AT)).toMatchObject({ not_after: AT, revoked_at: AT });
    expect(registry.current().keyId).not.toBe(old.keyId);
    for (const now of [registry, open()]) {
      expect(check(now, old.keyId, signature, '2026-11-22T09:59:59.999Z')).toBe('ok');
      expect(check(now, old.keyId, signature, AT)).toBe('outside_window');
      expect(now.publicJwks().keys.map(({ kid }) => kid)).toEqual([registry.current().keyId]);
      expect(now.publicJwks().revoked_keys).toMatchObject([{ kid: old.keyId, revoked_at: AT }]);
    }
    expect(registry.revoke(old.keyId, '2026-12-01T00:00:00.000Z')).toMatchObject({ revoked_at: AT });
    expect(registry.revoke('another', AT)).toBeUndefined();
    expect(registry.rows()).toHaveLength(2);
  });

  it('revokes a key that was rotated out without touching the one that signs', () => {
    const registry = keys(1, 2);
    const old = registry.current().keyId;
    const { key_id } = registry.rotate(AT);
    registry.revoke(old, '2026-11-23T00:00:00.000Z');
    expect(registry.current().keyId).toBe(key_id);
    expect(registry.rows()[0]).toMatchObject({ not_after: AT, revoked_at: '2026-11-23T00:00:00.000Z' });
  });

  it('is the old registry or the new one, wherever a rotation is cut', () => {
    const registry = keys(1);
    const before = readFileSync(registryFile());
    const old = registry.current();
    const pem = readFileSync(join(dir, `${old.keyId}.pem`));
    // Cut before the registry was replaced: the new key exists and is named nowhere.
    keys(2).rotate(AT);
    writeFileSync(registryFile(), before, { mode: 0o600 });
    writeFileSync(join(dir, `${old.keyId}.pem`), pem, { mode: 0o600 });
    expect(open().current().keyId).toBe(old.keyId);
    expect(open().rows()).toHaveLength(1);
    // Cut after it: the old private key is still there, and goes at the next opening.
    const { key_id } = keys(3).rotate(AT);
    writeFileSync(join(dir, `${old.keyId}.pem`), pem, { mode: 0o600 });
    expect(open().current().keyId).toBe(key_id);
    expect(readdirSync(dir)).not.toContain(`${old.keyId}.pem`);
  });

  it('serves every key with its window, as the file that verifies without a gateway', () => {
    const registry = keys(1, 2, 3);
    const first = registry.current();
    const signature = first.sign(HASH);
    registry.rotate(AT);
    registry.revoke(registry.current().keyId, '2026-11-23T00:00:00.000Z');
    const jwks = JSON.parse(JSON.stringify(registry.publicJwks()));
    expect(jwks.keys[0]).toMatchObject({
      kid: first.keyId,
      not_before: '2026-11-21T00:00:00.000Z',
      not_after: AT,
    });
    const known = keysOfJwks(jwks);
    expect([...known.keys()].sort()).toEqual(
      registry
        .rows()
        .map(({ key_id }) => key_id)
        .sort(),
    );
    const claim = { keyId: first.keyId, bytes: HASH, signature, timesMs: [Date.parse(AT)] };
    expect(verifySignature(known, claim)).toBe('ok');
  });

  it('adopts what other nodes of its log did: verifies with their keys, and ends what they ended', () => {
    const registry = keys(1, 2);
    const own = registry.current();
    const signedBefore = own.sign(HASH);
    const [ownRow] = registry.rows() as [KeyRow];
    const otherDir = join(data, 'other');
    const other = openKeyRegistry({
      dir: otherDir,
      clock,
      random: { bytes: (size) => new Uint8Array(size).fill(9) },
    });
    const signed = other.current().sign(HASH);
    expect(registry.verify(other.current().keyId, HASH, signed)).toBe('unknown_key');
    expect(registry.with(other.rows()).verify(other.current().keyId, HASH, signed)).toBe('ok');
    registry.adopt(other.rows(), AT);
    expect(registry.current().keyId).toBe(own.keyId);
    expect(open().rows()).toEqual([...other.rows(), ownRow]);
    expect(registry.verify(other.current().keyId, HASH, signed)).toBe('ok');
    const file = readFileSync(registryFile());
    registry.adopt(registry.rows(), AT);
    expect(readFileSync(registryFile())).toEqual(file);

    const ended = other.rows().map((row) => ({ ...row, not_after: AT, revoked_at: AT }));
    registry.adopt([...ended, { ...ownRow, not_after: AT }], AT);
    const now = registry.current().keyId;
    expect([own.keyId, other.current().keyId]).not.toContain(now);
    expect(readdirSync(dir).sort()).toEqual([`${now}.pem`, 'registry.json'].sort());
    expect(
      open()
        .rows()
        .map(({ not_after, revoked_at }) => [not_after, revoked_at]),
    ).toEqual([
      [AT, AT],
      [AT, null],
      [null, null],
    ]);
    expect(open().verify(own.keyId, HASH, signedBefore)).toBe('ok');
  });

  it('never signs with a key that has ended', () => {
    open();
    editRegistry((row) => Object.assign(row, { revoked_at: '2026-11-21T00:00:00.000Z' }));
    expect(open).toThrow('every signing key has ended');
  });
});
