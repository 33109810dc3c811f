import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEventStream, readText, type StreamItem } from '../../../../bridges/wire/http-client.ts';

const CAPS = { maxFrameBytes: 1_000, maxTotalBytes: 10_000 };

async function* chunked(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

async function read(chunks: AsyncIterable<Uint8Array>, caps = CAPS): Promise<StreamItem[]> {
  const items: StreamItem[] = [];
  for await (const item of readEventStream(chunks, caps)) items.push(item);
  return items;
}

describe('an event stream', () => {
  it.each(['\n', '\r', '\r\n'])('is read with lines that end in %j, wherever it is cut', async (end) => {
    const text = ['data: one', '', ': note', 'event: x', 'data:two', 'data:  three', 'id: 7', '', ''].join(
      end,
    );
    const expected = [{ data: 'one' }, { comment: true }, { data: 'two\n three' }];
    for (let cut = 0; cut <= text.length; cut += 1) {
      expect(await read(chunked(text.slice(0, cut), text.slice(cut)))).toEqual(expected);
    }
    expect(await read(chunked(...text))).toEqual(expected);
  });

  it('drops an event that the stream ends in the middle of', async () => {
    expect(await read(chunked('data: whole\n\ndata: half\n'))).toEqual([{ data: 'whole' }]);
  });

  it('passes over a byte order mark at its start, and keeps one inside', async () => {
    expect(await read(chunked('\uFEFFdata: a\n\ndata: \uFEFFb\n\n'))).toEqual([
      { data: 'a' },
      { data: '\uFEFFb' },
    ]);
    expect(await read(chunked('data: a', '\uFEFFb\n\n'))).toEqual([{ data: 'a\uFEFFb' }]);
  });

  it('keeps characters that are cut between chunks', async () => {
    const bytes = Buffer.from('data: é😀\n\n');
    expect(await read(chunked(...Array.from(bytes, (byte) => Buffer.of(byte))))).toEqual([{ data: 'é😀' }]);
  });

  it('gives back any lines it was made of, however it is cut', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replace(/[\r\n]/g, ' '));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        async (lines, size) => {
          const bytes = Buffer.from(`${lines.map((text) => `data: ${text}\n`).join('')}\n`);
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
            bytes.subarray(n * size, (n + 1) * size),
          );
          expect(await read(chunked(...chunks))).toEqual([{ data: lines.join('\n') }]);
        },
      ),
    );
  });

  it.each([
    ['a line', 'x'.repeat(1_001)],
    ['data in many lines', 'data: 0123456789\n'.repeat(101)],
    ['data in one piece', `data: ${'x'.repeat(1_001)}\n\n`],
  ])('is refused with %s over the cap, after what came before', async (_, text) => {
    const items: StreamItem[] = [];
    const reading = (async () => {
      for await (const item of readEventStream(chunked('data: a\n\n: b\n', text), CAPS)) items.push(item);
    })();
    await expect(reading).rejects.toMatchObject({
      code: 'payload_too_large',
      message: expect.stringContaining('an event'),
    });
    expect(items).toEqual([{ data: 'a' }, { comment: true }]);
  });

  it('is read in time that grows with its length, whichever its line ends are', async () => {
    const lines = Buffer.from('\r'.repeat(1024 * 1024));
    const begun = performance.now();
    expect(await read(chunked(lines), { maxFrameBytes: 1_000, maxTotalBytes: lines.length })).toEqual([]);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('is refused as a whole over its cap', async () => {
    await expect(read(chunked('data: x\n\n'.repeat(2_000)))).rejects.toMatchObject({
      code: 'payload_too_large',
    });
  });

  it('gives what came before bytes that are not UTF-8, wherever it is cut', async () => {
    const bytes = Buffer.concat([
      Buffer.from('data: \u{1f600}\n\ndata: ä\n\ndata: '),
      Buffer.of(0xff, 0x0a, 0x0a),
    ]);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const items: StreamItem[] = [];
      const reading = (async () => {
        const stream = chunked(bytes.subarray(0, cut), bytes.subarray(cut));
        for await (const item of readEventStream(stream, CAPS)) items.push(item);
      })();
      await expect(reading, `cut at ${cut}`).rejects.toThrow('not UTF-8');
      expect(items, `cut at ${cut}`).toEqual([{ data: '\u{1f600}' }, { data: 'ä' }]);
    }
  });

  it('is refused with bytes that are not UTF-8', async () => {
    await expect(read(chunked(Buffer.from([0x64, 0xff, 0x0a])))).rejects.toMatchObject({
      details: { reason: 'utf8' },
    });
  });
});

describe('a whole body', () => {
  it('is read up to its cap', async () => {
    expect(await readText(chunked('ab', 'cd'), 4)).toBe('abcd');
    await expect(readText(chunked('ab', 'cd'), 3)).rejects.toMatchObject({ code: 'payload_too_large' });
  });
});
