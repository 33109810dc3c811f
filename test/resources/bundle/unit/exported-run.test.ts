import { describe, expect, it } from 'vitest';
import type { EventLog, Segment } from '#eventlog/event-log.ts';
import { NO_EVENT } from '#eventlog/segment.ts';
import { canonicalJson } from '#json/canonical.ts';
import type { JsonValue } from '#protocol/json.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { ExportedRun } from '#resources/bundle/exported-run.ts';
import type { CleanSessionFold } from '#resources/session/state.ts';
import { eventKey } from '#store/keys.ts';

const EVENTS = 2_500;
const SESSION = 'session_long';

function eventOf(n: number): JsonValue {
  const [event, type] = n % 10 === 0 ? ['tool.requested', 'tool_use'] : ['user.message', 'text'];
  const visibility = n % 100 === 0 ? 'internal' : 'public';
  const part = { type, visibility, text: `turn ${n}` };
  return { event, id: eventIdOf(n), task_id: null, metadata: {}, payload: { part }, resource: {} };
}

/** A log that counts what it is asked for; `gone` is an event that retention took. */
class CountingLog {
  reads = 0;
  pages = 0;
  gone = NO_EVENT;

  async eventIds(_scope: unknown, after: string, limit: number): Promise<string[]> {
    this.pages += 1;
    const first = Number(after) + 1;
    const count = Math.max(0, Math.min(limit, EVENTS - first + 1));
    return Array.from({ length: count }, (_, n) => eventIdOf(first + n));
  }

  segment(id: string): Segment | undefined {
    this.reads += 1;
    if (id === this.gone) return undefined;
    const events = [Buffer.from(canonicalJson(eventOf(Number(id))))];
    return { key: eventKey(id), firstId: id, lastId: id, sha256: '', events };
  }
}

function runOver(log: CountingLog, through = EVENTS): ExportedRun {
  const session = { resource: { id: SESSION }, internal: {} } as CleanSessionFold;
  const scope = { session, task: undefined, throughId: eventIdOf(through) };
  return new ExportedRun(log as unknown as EventLog, scope);
}

async function idsOf(events: AsyncIterable<{ id: string }>): Promise<number[]> {
  const found: number[] = [];
  for await (const { id } of events) found.push(Number(id));
  return found;
}

const numbers = (from: number, to: number, step: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step);

describe('a run that is exported', () => {
  it('is read one event at a time, never ahead of whoever writes it', async () => {
    const log = new CountingLog();
    const run = runOver(log);
    const events = run.events();
    await events.next();
    // Once through all of it for the index, which keeps no event.
    expect(log.reads).toBe(EVENTS + 1);
    for (const pulled of [2, 3, 4]) {
      await events.next();
      expect(log.reads).toBe(EVENTS + pulled);
    }
  });

  it('asks for its ids once, however often it is gone through', async () => {
    const log = new CountingLog();
    const run = runOver(log);
    for (let pass = 0; pass < 3; pass += 1) expect(await idsOf(run.events())).toEqual(numbers(1, EVENTS, 1));
    expect(log).toMatchObject({ pages: 3, reads: 4 * EVENTS });
  });

  it('is read for a kind without the events of others', async () => {
    const log = new CountingLog();
    const run = runOver(log);
    expect(await idsOf(run.events(/^tool\./))).toEqual(numbers(10, EVENTS, 10));
    expect(log.reads).toBe(EVENTS + EVENTS / 10);
    expect(await idsOf(run.eventsThatMayHide())).toEqual(numbers(100, EVENTS, 100));
  });

  it('ends where it ended when the export began', async () => {
    expect(await idsOf(runOver(new CountingLog(), 1_200).events())).toEqual(numbers(1, 1_200, 1));
  });

  it('is not passed off as whole where retention took an event meanwhile', async () => {
    const log = new CountingLog();
    const run = runOver(log);
    await run.events().next();
    log.gone = eventIdOf(7);
    await expect(idsOf(run.events())).rejects.toMatchObject({ code: 'cursor_expired' });
  });
});
