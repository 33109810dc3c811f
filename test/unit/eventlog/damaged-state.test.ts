import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resourceKey } from '#store/keys.ts';
import { append, LogDirectory, noted, type Tally, tally } from './log-harness.ts';

describe('a log with a damaged state', () => {
  let directory: LogDirectory;
  beforeEach(async () => {
    directory = new LogDirectory();
    const log = await directory.open();
    await append(log, noted('t1', 'a'));
    await log.close();
  });
  afterEach(() => directory.remove());

  it('refuses the transaction that writes over a damaged state, and no other one of its group', async () => {
    const key = resourceKey('task', 't1');
    const store = await directory.store();
    const record = Buffer.from(store.get(key) ?? '');
    record[40] = (record[40] ?? 0) ^ 1;
    await store.write([{ type: 'put', key, value: record }]);
    const log = await directory.open({
      store,
      projection: (event, states) => {
        if (event.payload['note'] === 'blind') states.set(key, { count: 0, last: event.id });
        else tally(event, states);
      },
    });
    const answers = await Promise.allSettled([
      append(log, noted('t3', 'x')),
      append(log, noted('t3', 'blind')),
      append(log, noted('t3', 'y')),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(answers[1]).toMatchObject({ reason: { code: 'resource_locked' } });
    expect(log.status).toBe('open');
    expect(log.state<Tally>(resourceKey('task', 't3'))?.count).toBe(2);
    await log.close();
  });
});
