import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonReader, parsePeerText } from '#json/json-reader.ts';
import { finished, SlicedWork } from '#json/large-json.ts';
import { parseStrict, parseStrictInSlices } from '#json/strict-parse.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { corpus } from './corpus.ts';

const LIMITS = { maxBytes: 16 * 1024 * 1024 };
/** 110 000 characters and a little; 32 768 at a time, they are read twice after they are decoded. */
const MEMBERS = `{${Array.from({ length: 10_000 }, (_, n) => `"${String(n).padStart(6, '0')}":1`).join()}}`;
const TURNS_OF_MEMBERS = 1 + 2 * Math.ceil(MEMBERS.length / 32_768) - 1;

function outcome(run: () => JsonValue): unknown {
  try {
    return { value: run() };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message, param, details } = error;
    return { code, message, param, details };
  }
}

function inSlices(bytes: Uint8Array, sliceChars: number, maxBytes = LIMITS.maxBytes): unknown {
  return outcome(() => finished(parseStrictInSlices(bytes, { maxBytes }, sliceChars)));
}

/** A reader whose turns come when the test says. */
function reader() {
  const turns: (() => void)[] = [];
  let count = 0;
  const run = async () => {
    for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
      // However many texts wait, only one turn is asked for.
      expect(turns).toEqual([]);
      count += 1;
      turn();
      await Promise.resolve();
    }
    return count;
  };
  return { json: new JsonReader(new SlicedWork((turn) => turns.push(turn))), turns, run };
}

describe('a text that is read in slices', () => {
  it.each([...corpus('accepted'), ...corpus('refused')])('is what it is at once: $id', ({ bytes }) => {
    const atOnce = outcome(() => parseStrict(bytes, LIMITS));
    for (const sliceChars of [1, 7, 1_000_000]) expect(inSlices(bytes, sliceChars)).toEqual(atOnce);
  });

  it('is what it is at once for every document, and for every broken one', () => {
    const broken = fc.tuple(
      fc.json(),
      fc.nat(),
      fc.constantFrom('', ',', '"', '{', ']', '\\', ' ', '1', '\u0001'),
    );
    fc.assert(
      fc.property(broken, fc.integer({ min: 1, max: 40 }), ([text, at, piece], sliceChars) => {
        const cut = at % (text.length + 1);
        for (const each of [text, text.slice(0, cut) + piece + text.slice(cut), text.slice(0, cut)]) {
          const bytes = Buffer.from(each);
          expect(inSlices(bytes, sliceChars)).toEqual(outcome(() => parseStrict(bytes, LIMITS)));
        }
      }),
      { numRuns: 400 },
    );
  });

  it('keeps negative zero, names that look like numbers, and a text longer than a slice', () => {
    const text = `{"b":-0,"2":1,"1":[],"long":"${'x'.repeat(500)}","esc\\u0061ped":"\\ud83d\\ude00"}`;
    const { value } = inSlices(Buffer.from(text), 8) as { value: JsonValue };
    expect(Object.is((value as { b: number }).b, -0)).toBe(true);
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  });

  it('is refused for its size', () => {
    expect(inSlices(Buffer.from('[1,2]'), 8, 4)).toMatchObject({ code: 'payload_too_large' });
  });
});

describe('the reader of every client', () => {
  it('reads a short text at once, and asks for no turn', () => {
    const { json, turns } = reader();
    expect(json.read(Buffer.from('{"a":1}'), LIMITS)).toEqual({ a: 1 });
    expect(json.readPeerText('{"a":"\\ud800"}')).toEqual({ a: '\ufffd' });
    expect(() => json.read(Buffer.from('{'), LIMITS)).toThrow(ProtocolError);
    expect(turns).toEqual([]);
  });

  it('reads a long one in as many turns as it has slices, one after the other', async () => {
    const { json, run } = reader();
    const read = json.read(Buffer.from(MEMBERS), LIMITS);
    expect(await run()).toBe(TURNS_OF_MEMBERS);
    expect(await read).toEqual(JSON.parse(MEMBERS));
  });

  it('gives 20 long texts one slice each in turn, so that a shorter one behind them ends long before', async () => {
    const { json, run } = reader();
    const ended: string[] = [];
    const took = (name: string) => () => {
      ended.push(name);
    };
    const long = Array.from(
      { length: 20 },
      () => json.read(Buffer.from(MEMBERS), LIMITS) as Promise<JsonValue>,
    );
    const all = long.map((read, n) => read.then(took(`long ${n}`)));
    const short = JSON.stringify('x'.repeat(70_000));
    all.push((json.read(Buffer.from(short), LIMITS) as Promise<JsonValue>).then(took('short')));
    const last = json.readPeerText(`["\\ud800",${short}]`) as Promise<JsonValue>;
    all.push(last.then((value) => expect(value).toEqual(parsePeerText(`["\\ud800",${short}]`))));
    const turns = await run();
    await Promise.all(all);
    expect(ended).toEqual(['short', ...long.map((_, n) => `long ${n}`)]);
    expect(turns).toBeGreaterThan(20 * TURNS_OF_MEMBERS);
  });

  it('refuses a long text as it refuses a short one, and goes on with the others', async () => {
    const { json, run } = reader();
    const broken = Buffer.from(`${MEMBERS.slice(0, -1)},"000007":2}`);
    const refused = json.read(broken, LIMITS) as Promise<JsonValue>;
    const good = json.read(Buffer.from(MEMBERS), LIMITS);
    const told = refused.catch((error: unknown) => error);
    await run();
    expect(await told).toMatchObject({ code: 'invalid_request', details: { reason: 'duplicate_name' } });
    expect(await good).toEqual(JSON.parse(MEMBERS));
  });

  it('stops reading for a client that left', async () => {
    const { json, turns, run } = reader();
    const left = new AbortController();
    const read = json.read(Buffer.from(MEMBERS), LIMITS, left.signal) as Promise<JsonValue>;
    const told = read.catch((error: unknown) => error);
    turns.shift()?.();
    left.abort();
    expect(await run()).toBe(1);
    expect(await told).toMatchObject({ code: 'client_closed_request' });
  });
});
