import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Checkpoint } from '#eventlog/event-log.ts';
import { canonicalJson } from '#json/canonical.ts';
import { eventIdOf } from '#protocol/ports.ts';
import type { Store } from '#store/store.ts';
import { append, LogDirectory, noted, until } from './log-harness.ts';

describe('the checkpoint file', () => {
  let directory: LogDirectory;
  beforeEach(() => {
    directory = new LogDirectory();
  });
  afterEach(() => directory.remove());
  const read = (): Checkpoint => JSON.parse(readFileSync(directory.checkpointPath, 'utf8'));

  it('says the head, signed over the RFC 8785 bytes of its other members', async () => {
    const log = await directory.open();
    await append(log, noted('t1', 'a'));
    await log.close();
    const { signature, ...signed } = read();
    expect(signed).toEqual({
      commit: 1,
      event_id: eventIdOf(1),
      hash: log.head.hash,
      key_id: directory.keys().current().keyId,
      log_id: log.logId,
      time: '2026-11-21T00:00:00.000Z',
    });
    const bytes = Buffer.from(canonicalJson(signed));
    expect(directory.keys().verify(signed.key_id, bytes, signature)).toBe('ok');
    expect(statSync(directory.checkpointPath).mode & 0o777).toBe(0o600);
  });

  it('is written once per interval while the head moves, and not when it rests', async () => {
    const log = await directory.open();
    expect(directory.timers.delays).toEqual([]);
    await append(log, noted('t1', 'a'));
    await append(log, noted('t1', 'b'));
    expect(directory.timers.delays).toEqual([1_000]);
    directory.timers.fire();
    await until(() => existsSync(directory.checkpointPath));
    expect(read().commit).toBe(2);
    expect(directory.timers.delays).toEqual([]);
  });

  it('is never ahead of the durable head', async () => {
    const log = await directory.open();
    for (let turn = 0; turn < 40; turn += 1) {
      const writing = append(log, noted('t1', `${turn}`));
      directory.timers.fire();
      await new Promise((resolve) => setImmediate(resolve));
      if (existsSync(directory.checkpointPath)) expect(read().commit).toBeLessThanOrEqual(log.head.commit);
      await writing;
    }
    expect(log.head.commit).toBe(40);
  });

  it('is not signed when the stored commit is not the one that was written', async () => {
    const store = await directory.store();
    const flipped: Store = Object.create(store, {
      write: { value: store.write.bind(store) },
      health: { get: () => store.health },
      lost: { get: () => store.lost },
      shortage: { get: () => store.shortage },
      get: {
        value: (key: string) => {
          const value = store.get(key);
          if (key.startsWith('c/') && value !== undefined) value[60] = (value[60] ?? 0) ^ 1;
          return value;
        },
      },
      entries: { value: store.entries.bind(store) },
      keys: { value: store.keys.bind(store) },
      close: { value: store.close.bind(store) },
    });
    const log = await directory.open({ store: flipped });
    await append(log, noted('t1', 'a'));
    directory.timers.fire();
    await until(() => log.integrity.status !== 'ok');
    expect(log.integrity).toMatchObject({ status: 'damaged', where: 'c/0000000000000001' });
    expect(existsSync(directory.checkpointPath)).toBe(false);
    await expect(append(log, noted('t1', 'b'))).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('stays usable when the file cannot be written', async () => {
    const log = await directory.open({ checkpointPath: '/proc/nowhere/checkpoint.json' });
    await append(log, noted('t1', 'a'));
    directory.timers.fire();
    await append(log, noted('t1', 'b'));
    expect(log.integrity).toEqual({ status: 'ok' });
    rmSync(directory.checkpointPath, { force: true });
    await log.close();
  });
});
