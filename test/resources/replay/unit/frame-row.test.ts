import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Event } from '#eventlog/event-log.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { eventIdOf } from '#protocol/ports.ts';
import {
  encodeFrameRow,
  FrameGapError,
  framesInRow,
  headsInRow,
  wholeFrame,
} from '#resources/replay/record/frame-row.ts';
import type { RecordedFrame } from '#resources/replay/record/recorded-frame.ts';

const TIME = '2026-01-01T00:00:00.000Z';

function frame(n: number, after: number, body: JsonValue, more: Partial<RecordedFrame> = {}): RecordedFrame {
  return {
    key: `acp:peer:${n}`,
    at: TIME,
    sha256: `sha256:${String(n).padStart(64, '0')}`,
    after: eventIdOf(after),
    ...more,
    frame: { kind: 'message', body },
  };
}

const event = (n: number, payload: JsonObject) => ({ id: eventIdOf(n), payload }) as unknown as Event;

/** What is read of a row, put together from the events as they are stored. */
function read(row: string, events: readonly Event[]): RecordedFrame[] {
  const stored = new Map(events.map((each) => [each.id, JSON.parse(JSON.stringify(each)) as Event]));
  return framesInRow(Buffer.from(row)).map((each) => wholeFrame(each, (id) => stored.get(id)));
}

/** A chunk of a stream, and the event that carries it on. */
function chunk(n: number, text: string): { frame: RecordedFrame; event: Event } {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  const message = { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's', update } };
  return {
    frame: frame(n, n, { op: 'update', message }),
    event: event(n + 1, { kind: 'agent_message_chunk', update: { body: update } }),
  };
}

describe('a row of recorded frames', () => {
  const names = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'a/b', '~', '~1', '', 'constructor', '0'));
  const values = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
  const tree = fc.oneof(
    values,
    fc.string({ minLength: 60, maxLength: 90, unit: 'binary' }),
    fc.array(fc.tuple(names, values), { maxLength: 4 }).map((members) => Object.fromEntries(members)),
  );

  it('is read as it was recorded, whatever frames and events share, at every depth', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ carried: tree, own: tree, name: names, as: names }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.boolean(),
        (chunks, isShared) => {
          const frames = chunks.map(({ carried, own, name }, at) =>
            frame(at + 1, isShared ? 7 : 7 + at, { own, list: [Object.fromEntries([[name, carried]])] }),
          );
          const events = chunks.map(({ carried, as }, at) =>
            event(8 + at, { told: Object.fromEntries([[as, [carried]]]) }),
          );
          const row = encodeFrameRow(frames, events);
          const expected = JSON.parse(JSON.stringify(frames)) as RecordedFrame[];
          expect(JSON.parse(JSON.stringify(read(row, events)))).toEqual(expected);
          expect(headsInRow(Buffer.from(row)).map(({ listed }) => listed)).toEqual(
            frames.map(({ key, sha256 }) => ({ key, sha256 })),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('does not say again what its events say, and tells frames of one shape once', () => {
    const chunks = Array.from({ length: 20 }, (_, at) => chunk(at + 1, `word ${at} `));
    const frames = chunks.map((each) => each.frame);
    const events = chunks.map((each) => each.event);
    const row = encodeFrameRow(frames, events);
    expect(row).not.toContain('word ');
    expect(row.match(/session\/update/g)).toHaveLength(1);
    expect(row.length / frames.length).toBeLessThan(160);
    expect(read(row, events)).toEqual(frames);
  });

  it('keeps whole what no event says in the same words: short texts, other words, copies of objects', () => {
    const long = 'x'.repeat(64);
    const told = { a: long.slice(1), copy: { text: 'y'.repeat(63) }, is: 'short' };
    const body = { short: 'short', redacted: long, copy: { text: 'y'.repeat(63) } };
    const only = frame(1, 4, body);
    const row = encodeFrameRow([only], [event(5, told)]);
    expect(JSON.parse(row)).toEqual(only);
    expect(JSON.parse(encodeFrameRow([only], [event(5, { text: long })]))).toEqual({
      ...only,
      frame: { kind: 'message', body: { ...body, redacted: null } },
      said: [['/body/redacted', 1, '/payload/text']],
    });
  });

  it('points to no event before the frame', () => {
    const text = 'z'.repeat(64);
    const frames = [frame(1, 4, 'a'), frame(2, 5, { text })];
    const row = encodeFrameRow(frames, [event(5, { text })]);
    expect(row).toContain(text);
    expect(read(row, [])).toEqual(frames);
  });

  it('keeps every member of a head, each time that is another, and every block', () => {
    const block = { redacted: 1, root: 'a'.repeat(64) };
    const turn = { session_binding: { id: 's', frame: { frames: [] } } };
    const frames = [
      frame(1, 4, 1, { turn, redaction_proof: 'sha256:p', redacted: true }),
      frame(2, 4, 2, { noted: true, at: '2026-01-01T00:00:00.001Z' }),
      frame(3, 6, 3, { block, at: '2026-01-01T00:00:00.001Z', key: 'quote " and \\ slash' }),
    ];
    expect(read(encodeFrameRow(frames, []), [])).toEqual(frames);
    expect(headsInRow(Buffer.from(encodeFrameRow(frames, []))).at(-1)?.block).toEqual(block);
    for (const only of frames) {
      const row = Buffer.from(encodeFrameRow([only], []));
      const [stored] = framesInRow(row);
      expect(stored).toEqual(only);
      expect(headsInRow(row)[0]?.listed.key).toBe(only.key);
    }
  });

  it('names the event that is not there, or does not say what it said', () => {
    const { frame: only, event: its } = chunk(1, 'word');
    const [stored] = framesInRow(Buffer.from(encodeFrameRow([only], [its])));
    if (stored === undefined) throw new Error('The row has no frame.');
    for (const other of [undefined, event(2, { update: {} })])
      expect(() => wholeFrame(stored, () => other)).toThrow(
        expect.objectContaining({ name: 'FrameGapError', eventId: its.id }),
      );
    expect(FrameGapError).toBeDefined();
  });
});
