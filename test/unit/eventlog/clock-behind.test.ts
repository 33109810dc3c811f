import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventLog } from '#eventlog/event-log.ts';
import { append, LogDirectory, noted, START_MS } from './log-harness.ts';

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS;

describe('the times of events under a wall clock that was ahead', () => {
  let directory: LogDirectory;
  let log: EventLog;
  beforeEach(async () => {
    directory = new LogDirectory();
    directory.clock.monotonicMs = 0;
    log = await directory.open();
    directory.clock.ms = START_MS + YEAR_MS;
    await append(log, noted('t1', 'a'));
    directory.clock.ms = START_MS;
  });
  afterEach(async () => {
    await log.close();
    await directory.remove();
  });

  async function timeOfNext(): Promise<number> {
    await append(log, noted('t1', 'b'));
    return Date.parse(log.event(log.head.eventId)?.event.created_at ?? '');
  }

  it('stay where they were, until the clock has gone evenly for ten minutes, and follow it then', async () => {
    expect(await timeOfNext()).toBe(START_MS + YEAR_MS);
    directory.clock.monotonicMs = 9 * MINUTE_MS;
    expect(await timeOfNext()).toBe(START_MS + YEAR_MS);
    directory.clock.monotonicMs = 10 * MINUTE_MS;
    directory.clock.ms = START_MS + 10 * MINUTE_MS;
    expect(await timeOfNext()).toBe(directory.clock.ms);
    expect(log.timeMs).toBe(directory.clock.ms);
  });

  it('do so after a restart too', async () => {
    await log.close();
    log = await directory.open();
    expect(await timeOfNext()).toBe(START_MS + YEAR_MS);
    directory.clock.monotonicMs = 10 * MINUTE_MS;
    expect(await timeOfNext()).toBe(START_MS);
  });

  it('stay where a signing key began after the time of the clock: what it signs would be forged', async () => {
    directory.clock.ms = START_MS - YEAR_MS;
    expect(await timeOfNext()).toBe(START_MS + YEAR_MS);
    directory.clock.monotonicMs = 20 * MINUTE_MS;
    expect(await timeOfNext()).toBe(START_MS + YEAR_MS);
  });

  it('stay while the clock is behind by less than a minute, as a clock that is set right is', async () => {
    directory.clock.ms = START_MS + YEAR_MS - MINUTE_MS / 2;
    expect(await timeOfNext()).toBe(START_MS + YEAR_MS);
    directory.clock.monotonicMs = 20 * MINUTE_MS;
    expect(await timeOfNext()).toBe(START_MS + YEAR_MS);
  });
});
