import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventLog } from '#eventlog/event-log.ts';
import { Subscriptions } from '#eventlog/subscription.ts';
import { LogDirectory, NOBODY, noted, until } from '../unit/eventlog/log-harness.ts';
import { RecordingClient } from '../unit/eventlog/recording-client.ts';

const idsUpTo = (n: number) => Array.from({ length: n }, (_, at) => at + 1);

describe('a subscription', () => {
  let directory: LogDirectory;
  let log: EventLog;
  let subscriptions: Subscriptions;
  beforeEach(async () => {
    directory = new LogDirectory();
    log = await directory.open();
    subscriptions = new Subscriptions(log, { historyPage: 50 });
  });
  afterEach(() => directory.remove());

  const follow = () => {
    const client = new RecordingClient();
    subscriptions.subscribe({ scope: { kind: 'all' }, sink: client, maxBufferedBytes: 1_000_000 });
    return { client };
  };
  const appendMany = async (count: number, streams = 1) => {
    const one = (n: number) => noted(`t${n % streams}`, `${n}`, { session_id: `s${n % streams}` });
    await log.transact(NOBODY, (tx) => {
      for (let n = 0; n < count; n += 1) tx.append(one(n));
    });
  };

  it('gives history and live events without gap or duplicate while 10,000 events are appended', async () => {
    const clients: RecordingClient[] = [];
    for (let group = 0; group < 200; group += 1) {
      void appendMany(50);
      if (group % 20 === 0) clients.push(follow().client);
      if (group % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => clients.every(({ frames }) => frames.length >= 10_000));
    for (const client of clients) expect(client.ids).toEqual(idsUpTo(10_000));
  });
});
