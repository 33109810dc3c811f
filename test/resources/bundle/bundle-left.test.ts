import { existsSync, readdirSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleTools } from '#compose/bundles.ts';
import { dataPaths } from '#operation/data-directory.ts';
import type { ByteSource } from '#protocol/bytes.ts';
import { Redactor } from '#redaction/redactor.ts';
import { inMemory } from '#resources/bundle/document/byte-window.ts';
import { validateBundle } from '#resources/bundle/queries.ts';
import { restoreSession } from '#resources/bundle/restore-session.ts';
import { loadRooms } from '#resources/load-rooms.ts';
import { stageOf } from '../../conformance/stage.ts';
import { bundleText, OWN, readJson } from './unit/bundles.ts';

/** A run of another host with so many turns. */
async function bundleOf(id: string, turns: number): Promise<Buffer> {
  const messages = Array.from({ length: turns }, (_, at) => ({ role: 'user', content: `turn ${at}` }));
  const record = { ...readJson(new URL('run-record.json', OWN)), id, transcript: { messages } };
  return Buffer.from(await bundleText(record, 'sanitized'));
}

describe('an import whose client left', () => {
  const stage = stageOf();
  const sessions = async () => {
    const { data } = await stage.client.get<{ data: { id: string }[] }>('/v1/sessions');
    return data.map(({ id }) => id);
  };

  /** Bytes of the bundles that lie there now. */
  const bodies = () => {
    const { spool } = dataPaths(stage.gateway.data);
    if (!existsSync(spool)) return [];
    return readdirSync(spool).map(
      (name) => statSync(join(spool, name), { throwIfNoEntry: false })?.size ?? 0,
    );
  };

  it('before its turn came writes nothing, and does not stand in the way of a retry', async () => {
    const [first, second] = [await bundleOf('run_first', 1_500), await bundleOf('run_second', 3)];
    const key = 'import-again';
    const long = stage.client.call('POST', '/v1/bundles/import', { body: first });
    await expect.poll(() => bodies(), { interval: 1 }).toContain(first.length);
    const left = request(`${stage.gateway.url}/v1/bundles/import`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${stage.client.key}`,
        'content-type': 'application/json',
        'content-length': second.length,
        'harn-agents-protocol-version': 'agents-protocol-2026-04-25',
        'idempotency-key': key,
      },
    });
    left.on('error', () => undefined).end(second);
    await expect.poll(() => bodies(), { interval: 1 }).toContain(second.length);
    left.destroy();
    const { body, status } = await long;
    expect(status).toBe(200);
    // Whoever came behind it has had its turn when this one is answered.
    await stage.client.call('POST', '/v1/bundles/import', { body: first });
    const before = await sessions();
    expect(before).toContain((body as { session_id: string }).session_id);
    const headers = { 'idempotency-key': key };
    const again = await stage.client.call('POST', '/v1/bundles/import', { body: second, headers });
    expect(again.body).toMatchObject({ created: true });
    expect(again.headers.get('idempotency-replayed')).toBeNull();
    expect(before).not.toContain((again.body as { session_id: string }).session_id);
  });

  it('while it is checked is given up, and nothing was written', async () => {
    const gone = new AbortController();
    const bytes = inMemory(await bundleOf('run_third', 20));
    let reads = 0;
    const source: ByteSource = {
      size: bytes.size,
      read: (start, end) => {
        reads += 1;
        gone.abort();
        return bytes.read(start, end);
      },
    };
    const bundles = bundleTools(
      { redactor: new Redactor(), version: 'test' },
      { keys: { verificationKeys: () => new Map() } } as never,
      { receipts: { issuer: { id: 'test', name: null } } } as never,
    );
    const { log } = stage.gateway;
    const { project } = await loadRooms();
    const parts = { log, bundles, redact: (value: never) => ({ value, hit: false }), project };
    const request = { source, allowSecretMarkers: false, origin: { actor: 'actor_test' } };
    const head = log.head.eventId;
    await expect(restoreSession(parts, request, gone.signal)).rejects.toMatchObject({
      code: 'client_closed_request',
    });
    expect(log.head.eventId).toBe(head);
    expect(reads).toBeGreaterThan(0);
  });
});

describe('a validation whose client left', () => {
  it('is given up, and what is left of the bundle is not read', async () => {
    const bytes = inMemory(await bundleOf('run_checked', 3_000));
    const bundles = bundleTools(
      { redactor: new Redactor(), version: 'test' },
      { keys: { verificationKeys: () => new Map() } } as never,
      { receipts: { issuer: { id: 'test', name: null } } } as never,
    );
    const validate = async (gone: AbortController, leavesAt: number) => {
      let reads = 0;
      const read: ByteSource['read'] = (start, end) => {
        reads += 1;
        if (reads === leavesAt) gone.abort();
        return bytes.read(start, end);
      };
      const input = { path: {}, query: {}, body: { spooled: { size: bytes.size, read } } };
      const asked = validateBundle(input as never, { bundles, signal: gone.signal } as never);
      const code = await Promise.resolve(asked).then(
        () => 'answered',
        (error: { code: string }) => error.code,
      );
      return { code, reads };
    };
    const whole = await validate(new AbortController(), 0);
    const left = await validate(new AbortController(), 1);
    expect([whole.code, left.code]).toEqual(['answered', 'client_closed_request']);
    expect(left.reads).toBeLessThan(whole.reads / 2);
  });
});
