import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { messageKeys } from '#resources/message/state.ts';
import { KEY_KINDS } from '#store/keys.ts';
import { type LevelStoreOptions, openLevelStore } from '#store/level-store.ts';
import type { Store } from '#store/store.ts';
import { startTestGateway, type TestGateway } from '../../../harness/gateway.ts';
import { append } from '../../../harness/transcripts.ts';

/** Three pieces of stored content. */
const BYTES = 'a long content, piece by piece; '.repeat(20_000);

/** A store in which one bit of the second piece of every content is another one, from its `nth` read on. */
async function openDamaged(options: LevelStoreOptions, nth: number): Promise<Store> {
  const store = await openLevelStore(options);
  let reads = 0;
  const get = (key: string): Buffer | undefined => {
    const stored = store.get(key);
    if (stored === undefined || !key.startsWith(KEY_KINDS.content.prefix) || !key.endsWith('1'))
      return stored;
    reads += 1;
    if (reads < nth) return stored;
    const bytes = Buffer.from(stored);
    bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100);
    return bytes;
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'get') return get;
      const member = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

describe('the content of an Artifact in a damaged record', () => {
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  async function artifactIn(nth: number): Promise<string> {
    gateway = await startTestGateway({ openStore: (options) => openDamaged(options, nth) });
    const { id } = await gateway.client.post<{ id: string }>('/v1/artifacts', {
      kind: 'file',
      mime_type: 'text/plain',
      visibility: 'public',
    });
    const path = `/v1/artifacts/${id}/content`;
    const put = await gateway.client.call('PUT', path, {
      body: BYTES,
      headers: { 'content-type': 'text/plain' },
    });
    expect(put.status, put.text).toBe(200);
    return path;
  }

  const linesWith = (text: string) =>
    gateway
      .logText()
      .split('\n')
      .filter((line) => line.includes(text))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('is 423 before the first byte, told once at warn, and shown by /ready', async () => {
    const path = await artifactIn(1);
    for (let call = 0; call < 2; call += 1) {
      const { status, body } = await gateway.client.call<{ error: unknown }>('GET', path);
      expect(status).toBe(423);
      expect(body.error).toMatchObject({ code: 'resource_locked', details: { reason: 'integrity' } });
    }
    expect(linesWith('a stored record is damaged')).toMatchObject([{ level: 'warn' }]);
    const ready = await gateway.client.call<{ ok: boolean; details: object }>('GET', '/ready');
    expect(ready.status).toBe(200);
    expect(ready.body.details).toMatchObject({ damaged_ranges: 0, damaged_records: 1 });
  });

  it('that is found damaged when bytes are on their way cuts the answer, and the log says why', async () => {
    // The first read looks at it, the second one sends it.
    const path = await artifactIn(2);
    await expect(gateway.client.call('GET', path)).rejects.toThrow();
    await expect.poll(() => linesWith('"msg":"request"').at(-1)?.['error_code']).toBe('resource_locked');
    expect(linesWith('"msg":"request"').at(-1)).toMatchObject({ status: 200 });
    expect(linesWith('answer cut off')).toMatchObject([{ level: 'error', code: 'resource_locked' }]);
  });
});

/** A store in which one bit of every stored message, and of no other record, is another one. */
async function openWithDamagedMessages(options: LevelStoreOptions): Promise<Store> {
  const store = await openLevelStore(options);
  const get = (key: string): Buffer | undefined => {
    const stored = store.get(key);
    if (stored === undefined || !key.startsWith(messageKeys.message(''))) return stored;
    const bytes = Buffer.from(stored);
    bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
    return bytes;
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'get') return get;
      const member = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

describe('a Session with a damaged record', () => {
  it('its transcript, which is made while it is sent, is 423 before the first byte', async () => {
    const data = mkdtempSync(join(tmpdir(), 'harn-damaged-session-'));
    const before = await startTestGateway({ data });
    const { id } = await before.client.session();
    await append(before.client, id, 'one');
    await before.close();
    const gateway = await startTestGateway({ data, openStore: openWithDamagedMessages });
    try {
      const answer = await gateway.client.call<{ error: unknown }>('GET', `/v1/sessions/${id}/transcript`);
      expect(answer.status, answer.text).toBe(423);
      expect(answer.body.error).toMatchObject({ code: 'resource_locked', details: { reason: 'integrity' } });
    } finally {
      await gateway.close();
      rmSync(data, { recursive: true, force: true });
    }
  });
});
