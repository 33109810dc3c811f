import { describe, expect, it } from 'vitest';
import type { Event } from '#eventlog/event-log.ts';
import {
  eventIn,
  idsOfRow,
  readSegment,
  SegmentWriter,
  segmentOf,
  storedEvents,
  streamRows,
} from '#eventlog/segment.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { eventKey } from '#store/keys.ts';
import { IntegrityError } from '#store/store-errors.ts';

function event(n: number, session: string | null, task: string | null = null, text = ''): Event {
  const place = { session_id: session, task_id: task };
  const made = { id: eventIdOf(n), ...place, resource: { object: 'key', id: 'k' }, payload: { text } };
  return made as unknown as Event;
}

function sealed(...events: Event[]) {
  const writer = new SegmentWriter();
  for (const each of events) writer.add(each);
  return writer.seal();
}

describe('segments', () => {
  it('hold the consecutive events of one session, under the id of the last', () => {
    const segments = sealed(event(4, 's1'), event(5, 's1'), event(6, 's2'), event(7, 's1'), event(8, null));
    expect(segments.map(({ key }) => key)).toEqual([5, 6, 7, 8].map((n) => eventKey(eventIdOf(n))));
    expect(segments.map(({ events }) => events.length)).toEqual([2, 1, 1, 1]);
  });

  it('end after 64 events, or behind 256 KB', () => {
    const many = Array.from({ length: 130 }, (_, at) => event(at + 1, 's1'));
    expect(sealed(...many).map(({ events }) => events.length)).toEqual([64, 64, 2]);
    const large = [1, 2, 3].map((n) => event(n, 's1', null, 'x'.repeat(200_000)));
    expect(sealed(...large).map(({ events }) => events.length)).toEqual([2, 1]);
  });

  it('give each event back as it was written, whatever its text', () => {
    const events = [event(1, 's1', null, 'a\nb\u2028'), event(2, 's1', null, '\u{1f600}\r\n')];
    const [segment] = sealed(...events);
    if (segment === undefined) throw new Error('no segment');
    expect(storedEvents(segment).map(({ bytes }) => JSON.parse(bytes.toString()))).toEqual(events);
    const read = segmentOf(segment.key, segment.sealed);
    expect([read.firstId, read.lastId]).toEqual([1, 2].map((n) => eventIdOf(n)));
    expect(JSON.parse(String(eventIn(read, eventIdOf(2))))).toEqual(events[1]);
    expect(eventIn(read, eventIdOf(3))).toBeUndefined();
  });

  it('are found by the id of any of their events, and by no other', () => {
    const segments = sealed(...[5, 6, 7].map((n) => event(n, 's1')), event(9, 's2'));
    const rows = new Map(segments.map((segment) => [segment.key, segment.sealed]));
    const found = [4, 5, 6, 7, 8, 9, 10].map((n) => readSegment(rows, eventIdOf(n))?.lastId);
    expect(found).toEqual([
      undefined,
      ...[7, 7, 7].map((n) => eventIdOf(n)),
      undefined,
      eventIdOf(9),
      undefined,
    ]);
  });

  it('are named in the streams of their session and their tasks, with the events that are of the stream', () => {
    const events = [event(4, 's1', 't1'), event(5, 's1', 't2'), event(6, 's1', 't1'), event(7, 's1', 't1')];
    const rows = new Map(streamRows(eventKey(eventIdOf(7)), events));
    const key = (stream: string) => stream + eventIdOf(7);
    const ids = (at: string) => idsOfRow(at, Buffer.from(rows.get(at) ?? 'none'));
    expect([...rows.keys()]).toEqual([key('es/s1/'), key('et/t1/'), key('et/t2/')]);
    expect(ids(key('es/s1/'))).toEqual([4, 5, 6, 7].map((n) => eventIdOf(n)));
    expect(ids(key('et/t1/'))).toEqual([4, 6, 7].map((n) => eventIdOf(n)));
    expect(ids(key('et/t2/'))).toEqual([eventIdOf(5)]);
    expect(rows.get(key('et/t1/'))?.slice(8)).toBe('3,1-0');
  });

  it('leave an empty row where a stream has the last event alone', () => {
    expect(streamRows(eventKey(eventIdOf(3)), [event(3, 's1')])).toEqual([[`es/s1/${eventIdOf(3)}`, '']]);
  });

  it('have rows that are refused with a bit flipped', () => {
    const [[key, text] = ['', '']] = streamRows(
      eventKey(eventIdOf(8)),
      [7, 8].map((n) => event(n, 's1')),
    );
    const row = Buffer.from(text);
    row[9] = (row[9] ?? 0) ^ 1;
    expect(() => idsOfRow(key, row)).toThrow(IntegrityError);
  });
});
