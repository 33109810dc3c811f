import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventLog } from '#eventlog/event-log.ts';
import { Journal } from '#eventlog/jetstream/journal.ts';
import { positionOf } from '#eventlog/jetstream/journaled-store.ts';
import { FORMS } from '#eventlog/migrate/forms.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { resourceKey } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import { openJetStreamFor } from '../../harness/jetstream-store.ts';
import { NATS_SERVER, NatsServers, needsNats } from '../../harness/nats-servers.ts';
import {
  append,
  findingsOf,
  LogDirectory,
  NOBODY,
  noted,
  type Tally,
} from '../../unit/eventlog/log-harness.ts';

const STREAM = 'HARN_shared_0000';
const KIB = 1024;

describe.skipIf(NATS_SERVER === undefined)(needsNats('a log on JetStream'), () => {
  let servers: NatsServers;
  let directory: LogDirectory;
  beforeEach(async () => {
    servers = await NatsServers.start();
    directory = new LogDirectory();
  });
  afterEach(async () => {
    await directory.remove();
    await servers.close();
  });

  /** The same log on each node, which has a LevelDB of its own. */
  const openStore = (node: string, overtaken?: () => void) =>
    openJetStreamFor(
      servers.urls,
      { path: join(directory.path, node, 'shared', 'log') },
      {
        ...(overtaken === undefined ? {} : { onOvertaken: overtaken }),
      },
    );
  const openLog = async (node: string, overtaken?: () => void): Promise<EventLog> =>
    directory.open({
      store: await openStore(node, overtaken),
      checkpointPath: join(directory.path, `${node}.json`),
      timers: {
        after: (delayMs, run) => {
          const timer = setTimeout(run, delayMs);
          return () => clearTimeout(timer);
        },
      },
    });
  const openJournal = (name: string, timers: Partial<typeof nodeTimers> = {}) =>
    Journal.open({
      servers: servers.urls,
      name,
      replicas: 1,
      newLogId: () => `log_${name}`,
      schema: FORMS.current,
      clock: { monotonic: () => performance.now() },
      timers: { ...nodeTimers, ...timers },
    });

  it('is not waited for where its servers send nothing', async () => {
    const asked: number[] = [];
    const journal = await openJournal('quiet', {
      after(delayMs, run) {
        asked.push(delayMs);
        return nodeTimers.after(delayMs / 50, run);
      },
    });
    await journal.publish('term', 'term_1', Buffer.alloc(0), 0);
    const { messages, stop } = await journal.follow(0);
    const seen: number[] = [];
    for await (const { seq } of messages) seen.push(seq);
    await stop();
    expect(seen).toEqual([1]);
    expect(asked).toContain(10_000);
    await journal.close();
  });

  it('is left at once by a node that begins to decide', async () => {
    // Nothing but the signal ends the reading.
    const journal = await openJournal('left', { after: () => () => undefined });
    await journal.publish('term', 'term_1', Buffer.alloc(0), 0);
    const taken = new AbortController();
    const { messages, stop } = await journal.follow(0, taken.signal);
    const seen: number[] = [];
    for await (const { seq } of messages) {
      seen.push(seq);
      taken.abort();
    }
    await stop();
    expect(seen).toEqual([1]);
    await journal.close();
  });

  it('is not taken for shorter than what was read of it, while a server answers that does not lead any more', async () => {
    const journal = await openJournal('deposed');
    await journal.publish('term', 'term_1', Buffer.alloc(0), 0);
    const bounds = journal.bounds(2);
    // As if it heard of the others now.
    await journal.publish('term', 'term_2', Buffer.alloc(0), 1);
    expect(await bounds).toEqual({ first: 1, last: 2 });
    await journal.close();
  });

  const noteOf = (log: EventLog, id: string) => log.state<Tally>(resourceKey('task', id))?.note;

  /** As if the node that has it had given it back, though it goes on. */
  async function giveLeaseAway(): Promise<void> {
    const connection = await connect({ servers: [...servers.urls] });
    await (await new Kvm(connection).open('HARN_shared_leases')).put('p0000', '');
    await connection.close();
  }

  it('is given back by a node whose term its servers do not take, and decided for once they do', async () => {
    await (await openLog('one')).close();
    const connection = await connect({ servers: [...servers.urls] });
    const { streams } = await jetstreamManager(connection);
    const { messages } = (await streams.info(STREAM)).state;
    await streams.update(STREAM, { max_msgs: messages });
    const opening = openLog('two');
    const lease = await new Kvm(connection).open('HARN_shared_leases');
    const value = async () => (await lease.get('p0000'))?.string();
    await expect.poll(value).not.toBe('');
    await expect.poll(value, { timeout: 15_000 }).toBe('');
    await streams.update(STREAM, { max_msgs: -1 });
    await connection.close();
    const log = await opening;
    await append(log, noted('t', 'after'));
    await log.close();
    await expectSound('two');
  }, 30_000);

  it('is left by a directory that has read all but the message that says so, even when it is killed then', async () => {
    await (await openLog('one')).close();
    const store = await openStore('one');
    await store.leave();
    await store.close();
    const cache = await openLevelStore({ path: join(directory.path, 'one', 'shared', 'log') });
    const position = positionOf(cache);
    await cache.close();
    const connection = await connect({ servers: [...servers.urls] });
    const { state } = await (await jetstreamManager(connection)).streams.info(STREAM);
    await connection.close();
    expect(position).toEqual({ stream: STREAM, seq: state.last_seq - 1 });
  });

  async function expectSound(node: string): Promise<void> {
    const store = await openStore(node);
    expect(await findingsOf(store)).toEqual([]);
    await store.close();
  }

  it('is read again by a node whose LevelDB was deleted, and by one that never had any', async () => {
    const first = await openLog('one');
    for (let n = 1; n <= 300; n += 1) await append(first, noted(`t${n % 7}`, `note ${n}`));
    const { head, logId } = first;
    await first.close();
    rmSync(join(directory.path, 'one'), { recursive: true });
    for (const node of ['one', 'two']) {
      const again = await openLog(node);
      expect(again.integrity).toEqual({ status: 'ok' });
      expect([again.head, again.logId]).toEqual([head, logId]);
      expect(noteOf(again, 't6')).toBe('note 300');
      await again.close();
      await expectSound(node);
    }
  });

  it('leaves no consumer behind at its servers, whether it reads little or much', async () => {
    const connection = await connect({ servers: [...servers.urls] });
    const { streams } = await jetstreamManager(connection);
    const left = async () => (await streams.info(STREAM)).state.consumer_count;
    const first = await openLog('one');
    await append(first, noted('t1', 'little'));
    await first.close();
    const second = await openLog('two');
    expect([noteOf(second, 't1'), await left()]).toEqual(['little', 0]);
    for (let n = 1; n <= 100; n += 1) await append(second, noted('t1', `much ${n}`));
    await second.close();
    const third = await openLog('three');
    expect(noteOf(third, 't1')).toBe('much 100');
    await expect.poll(left).toBe(0);
    await third.close();
    await connection.close();
  });

  it('takes a transaction of any size: large records, and more of them than a message holds', async () => {
    const large = randomBytes(3 * KIB * KIB);
    const many = Array.from({ length: 40 }, () => randomBytes(60 * KIB));
    const first = await openLog('one');
    await first.transact(NOBODY, (tx) => {
      tx.append(noted('t1', 'with contents'));
      tx.record('b/w/large/00000000', large);
      for (const [at, bytes] of many.entries()) tx.record(`b/w/many/${String(at).padStart(8, '0')}`, bytes);
    });
    await first.close();
    const second = await openLog('two');
    expect(second.record('b/w/large/00000000')?.equals(large)).toBe(true);
    expect(second.record('b/w/many/00000039')?.equals(many[39] ?? Buffer.alloc(0))).toBe(true);
    await second.close();
    await expectSound('two');
  });

  it('lets one node decide: who was overtaken writes nothing any more, and is told once', async () => {
    let told = 0;
    const first = await openLog('one', () => {
      told += 1;
    });
    await append(first, noted('t1', 'first'));
    const taking = openLog('two');
    await giveLeaseAway();
    const second = await taking;
    expect(noteOf(second, 't1')).toBe('first');
    await expect(append(first, noted('t1', 'too late'))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    await expect(append(first, noted('t1', 'later still'))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(noteOf(first, 't1')).toBe('first');
    expect(await append(second, noted('t1', 'second'))).toEqual([eventIdOf(2)]);
    expect(told).toBe(1);
    await first.close();
    await second.close();
    await expectSound('three');
  });

  it('renews its lease first where a clock has gone on by more than that, and refuses nobody', async () => {
    let aheadMs = 0;
    const clock = { now: () => Date.now() + aheadMs, monotonic: () => performance.now() };
    const store = await openJetStreamFor(
      servers.urls,
      { path: join(directory.path, 'one', 'shared', 'log') },
      { clock },
    );
    const log = await directory.open({ store });
    await append(log, noted('t1', 'before'));
    for (let day = 1; day <= 3; day += 1) {
      aheadMs = day * 86_400_000;
      await append(log, noted('t1', `day ${day}`));
    }
    expect(noteOf(log, 't1')).toBe('day 3');
    await log.close();
  });

  it('refuses writes while the servers are gone, with when to come back, and loses nothing', async () => {
    const log = await openLog('one');
    await append(log, noted('t1', 'kept'));
    await servers.signal(0, 'SIGKILL');
    const refused = { code: 'service_unavailable', retryAfterSeconds: 1 };
    await expect(append(log, noted('t1', 'in flight'))).rejects.toMatchObject(refused);
    await expect(append(log, noted('t1', 'refused'))).rejects.toMatchObject(refused);
    expect(noteOf(log, 't1')).toBe('kept');
    await servers.restart(0);
    await expect.poll(() => log.status).toBe('open');
    await append(log, noted('t1', 'after'));
    // The one in flight was sent again, and is there once.
    const notes = (await log.range({ kind: 'all' }, eventIdOf(0), 10)).map(
      (bytes) => JSON.parse(bytes.toString()).payload.note,
    );
    expect(notes).toEqual(['kept', 'in flight', 'after']);
    await log.close();
    await expectSound('two');
  });

  it('is not read on behind a message that is not what its commit says', async () => {
    const log = await openLog('one');
    await append(log, noted('t1', 'a true word'));
    await log.close();
    const connection = await connect({ servers: [...servers.urls] });
    const manager = await jetstreamManager(connection);
    const stored = await Promise.all([1, 2].map((seq) => manager.streams.getMessage(STREAM, { seq })));
    const { config } = await manager.streams.info(STREAM);
    await manager.streams.delete(STREAM);
    await manager.streams.add(config);
    const forge = (bytes: Uint8Array) => {
      const text = Buffer.from(bytes).toString('latin1');
      return Buffer.from(text.replace('a true word', 'a lying one'), 'latin1');
    };
    for (const message of stored)
      if (message !== null)
        await connection.request(message.subject, forge(message.data), {
          headers: message.header,
          timeout: 2_000,
        });
    await connection.close();
    await expect(openStore('two')).rejects.toThrow(/The stored record e\/\d{20} is damaged/);
  });

  it('is not opened on a stream that lost its end, nor in a directory that holds another log', async () => {
    const log = await openLog('one');
    await append(log, noted('t1', 'a'));
    await append(log, noted('t1', 'b'));
    await log.close();
    const connection = await connect({ servers: [...servers.urls] });
    const manager = await jetstreamManager(connection);
    const { config } = await manager.streams.info(STREAM);
    await manager.streams.delete(STREAM);
    await manager.streams.add(config);
    await expect(openStore('one')).rejects.toThrow(/ends at message 0, and this node has read up to 3/);
    await manager.streams.delete(STREAM);
    await manager.streams.add({ ...config, metadata: { ...config.metadata, log_id: 'log_other' } });
    await connection.close();
    await expect(openStore('one')).rejects.toThrow(
      /holds the log log_[0-9a-f]{32}, and the stream .* log_other/,
    );
  });
});
