import { createPublicKey } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SigningKey } from '#resources/receipt/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { startTestGateway } from '../../harness/gateway.ts';
import { runCommand } from '../../interop/command-line.ts';

interface KeySet {
  keys: { kid: string; x: string; not_before: string; not_after?: string }[];
  revoked_keys: { kid: string; revoked_at: string }[];
}

describe('signing keys', () => {
  const stage = stageOf({ keys: [{ actor: 'reader', scopes: ['sessions:read'] }] });
  const list = async () => (await stage.client.get<{ data: SigningKey[] }>('/v1/admin/signing-keys')).data;
  const rotate = () => stage.client.post<SigningKey>('/v1/admin/signing-keys');
  const revoke = (id: string) => stage.client.post<SigningKey>(`/v1/admin/signing-keys/${id}/revoke`);
  const current = async () => (await list()).filter(({ status }) => status === 'current');
  const keySet = async () => {
    const response = await fetch(`${stage.gateway.url}/.well-known/jwks.json`);
    return { response, body: (await response.json()) as KeySet };
  };

  it('are public at the well-known place, with caching, an entity tag and no private half', async () => {
    const { response, body } = await keySet();
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    const tag = response.headers.get('etag') ?? '';
    const again = await fetch(response.url, { headers: { 'if-none-match': tag } });
    expect([response.status, again.status]).toEqual([200, 304]);
    expect(body.keys.map(({ kid }) => kid)).toEqual((await list()).map(({ id }) => id));
    for (const jwk of body.keys) {
      expect(jwk).not.toHaveProperty('d');
      expect(createPublicKey({ key: jwk, format: 'jwk' }).asymmetricKeyType).toBe('ed25519');
    }
  });

  it('rotate: the new key signs, the old one stays served with its end', async () => {
    const [old] = await current();
    const made = await rotate();
    expect(made).toMatchObject({ object: 'signing_key', status: 'current', not_after: null });
    expect((await current()).map(({ id }) => id)).toEqual([made.id]);
    const served = (await keySet()).body.keys.find(({ kid }) => kid === old?.id);
    expect(served?.not_after).toBe(made.not_before);
  });

  it('revoke: the key leaves the trusted ones for the revoked ones, and another signs', async () => {
    const [old] = await current();
    const revoked = await revoke(old?.id ?? '');
    expect(revoked).toMatchObject({ id: old?.id, status: 'revoked' });
    const { body } = await keySet();
    expect(body.keys.map(({ kid }) => kid)).not.toContain(old?.id);
    expect(body.revoked_keys.map(({ kid }) => kid)).toContain(old?.id);
    expect((await current()).map(({ id }) => id)).not.toContain(old?.id);
    expect(await revoke(old?.id ?? '')).toEqual(revoked);
  });

  it('are changed by administrators only, once per Idempotency-Key, and never a key that is not there', async () => {
    const as = stage.as('reader');
    expect((await as.call('POST', '/v1/admin/signing-keys', { body: {} })).status).toBe(403);
    expect((await as.call('GET', '/v1/admin/signing-keys')).status).toBe(403);
    const headers = { 'idempotency-key': 'rotate-once' };
    const first = await stage.client.call<SigningKey>('POST', '/v1/admin/signing-keys', { headers });
    const again = await stage.client.call<SigningKey>('POST', '/v1/admin/signing-keys', { headers });
    expect([again.status, again.body.id]).toEqual([201, first.body.id]);
    expect((await stage.client.call('POST', '/v1/admin/signing-keys/nobody/revoke')).status).toBe(404);
  });

  it('tell the log what happened to them', async () => {
    const made = await rotate();
    const events = await stage.gateway.log.range({ kind: 'all' }, '0'.repeat(20), 200);
    const changes = events
      .map((bytes) => JSON.parse(bytes.toString()))
      .filter(({ event }) => event === 'vendor.harn_gateway.signing_key_changed');
    expect(changes.at(-1)).toMatchObject({
      actor: 'actor_test',
      resource: { object: 'signing_key', id: made.id },
      payload: { key_id: made.id, status: 'current', not_after: null, revoked_at: null },
    });
  });
});

describe('keys from the command line', () => {
  it('are listed, rotated and revoked through the running gateway, and offline once it has stopped', async () => {
    const data = mkdtempSync(join(tmpdir(), 'harn-keys-'));
    const gateway = await startTestGateway({ data });
    const online = ['--url', gateway.url, '--key', gateway.client.key, '--json'];
    const offline = ['--offline', '--data', gateway.data, '--json'];
    const keysOf = (out: string) =>
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as SigningKey);
    const [first] = keysOf((await runCommand(['keys', 'list', ...online])).out);
    const [second] = keysOf((await runCommand(['keys', 'rotate', ...online])).out);
    expect(second).toMatchObject({ status: 'current' });
    expect((await runCommand(['keys', 'rotate', ...offline])).code).toBe(4);
    await gateway.close();
    const rotated = keysOf((await runCommand(['keys', 'rotate', ...offline])).out);
    expect(rotated.map(({ status }) => status).sort()).toEqual(['current', 'retired', 'retired']);
    const revoked = await runCommand(['keys', 'revoke', first?.id ?? '', ...offline]);
    expect(keysOf(revoked.out).find(({ id }) => id === first?.id)).toMatchObject({ status: 'revoked' });
    expect((await runCommand(['keys', 'revoke', 'nobody', ...offline])).code).toBe(1);
    expect((await runCommand(['keys', 'revoke'])).code).toBe(2);
    rmSync(data, { recursive: true });
  }, 60_000);
});
