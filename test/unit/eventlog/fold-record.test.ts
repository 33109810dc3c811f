import { describe, expect, it } from 'vitest';
import type { Event, State } from '#eventlog/event-log.ts';
import { type FoldRecord, foldCodec } from '#eventlog/fold-record.ts';
import { type SaidSlots, SegmentWriter, saidBy } from '#eventlog/segment.ts';
import { eventIdOf } from '#protocol/ports.ts';
import { resourceKey } from '#store/keys.ts';
import { checked, contentOfChecked } from '#store/sealed-record.ts';
import { IntegrityError } from '#store/store-errors.ts';

const KEY = resourceKey('message', 'm1');
const REST = { internal: { sealed: false } };
const slots: SaidSlots = (key) =>
  key === KEY
    ? { path: ['resource'], rest: REST, make: ({ payload }) => payload['message'] as object }
    : undefined;

const EVENT = {
  id: eventIdOf(7),
  sequence: 3,
  session_id: 's1',
  resource: { object: 'message', id: 'm1' },
  payload: { message: { id: 'm1', text: 'hello' } },
} as unknown as Event;

function storeWith(...events: Event[]) {
  const writer = new SegmentWriter();
  for (const event of events) writer.add(event);
  return new Map(writer.seal().map(({ key, sealed }) => [key, sealed]));
}

function said(internal: object = REST.internal): State {
  return { resource: saidBy(EVENT, EVENT.payload['message'] as object), internal };
}

const head = { event_id: EVENT.id, sequence: 3 };
const codec = foldCodec(storeWith(EVENT), slots);
const textOf = (key: string, fold: FoldRecord) => {
  const { value = '' } = codec.encode(key, fold) ?? {};
  return contentOfChecked(Buffer.from(value), key).toString();
};
const back = (key: string, fold: FoldRecord) => {
  const { chars, ...read } = codec.decode(key, Buffer.from(codec.encode(key, fold)?.value ?? ''));
  return read;
};

describe('the record of a fold', () => {
  it('is the id of the event that made it and says all of it', () => {
    expect(textOf(KEY, { head, state: said() })).toBe(EVENT.id);
    expect(back(KEY, { head, state: said() })).toEqual({ head, state: said() });
  });

  it.each([
    ['another event moved the head', { head: { event_id: eventIdOf(8), sequence: 4 }, state: said() }],
    ['more was said of it', { head, state: said({ sealed: true }) }],
    ['it is the base', { head, state: said(), isBase: true as const }],
    ['the words are its own', { head, state: { resource: { id: 'm1', text: 'hello' }, ...REST } }],
  ])('is JSON when %s', (_why, fold) => {
    expect(textOf(KEY, fold)).toMatch(/^\{"head"/);
    expect(back(KEY, fold)).toEqual({ isBase: undefined, ...fold });
  });

  it('cannot be read when the event is gone', () => {
    const record = Buffer.from(codec.encode(KEY, { head, state: said() })?.value ?? '');
    expect(() => foldCodec(storeWith(), slots).decode(KEY, record)).toThrow(IntegrityError);
  });

  it.each([
    [{ task_id: 'task_01-x' }, 'task_id:task_01-x'],
    [{ size: 0 }, 'size=0'],
    [{ size: 123_456_789_012_345 }, 'size=123456789012345'],
    [{ size: '0' }, 'size:0'],
    [{ size: -1 }, '{"size":-1}'],
    [{ size: 0.5 }, '{"size":0.5}'],
    [{ size: 1e21 }, '{"size":1e+21}'],
    [{ name: 'two words' }, '{"name":"two words"}'],
    [{ name: '' }, '{"name":""}'],
    [{ name: 'a\n' }, '{"name":"a\\n"}'],
    [{ Name: 'a' }, '{"Name":"a"}'],
    [{ name: null }, '{"name":null}'],
    [{ a: 'b', c: 'd' }, '{"a":"b","c":"d"}'],
    [{}, '{}'],
  ])('of a state of one short member needs no JSON: %j', (state, text) => {
    expect(textOf('x/outcome/w/o', { state })).toBe(text);
    expect(back('x/outcome/w/o', { state })).toEqual({ state });
  });

  it('of a resource with such a state keeps its head', () => {
    const fold = { head, state: { size: 1 } };
    expect(back(resourceKey('task', 't1'), fold)).toEqual({ isBase: undefined, ...fold });
    expect(back(resourceKey('task', 't1'), { state: { size: 1 } })).toMatchObject({ state: { size: 1 } });
  });

  it('is refused when it is none of these', () => {
    expect(() => codec.decode('x/outcome/w/o', Buffer.from(checked('what', 'x/outcome/w/o')))).toThrow(
      IntegrityError,
    );
  });
});
