import { describe, expect, it } from 'vitest';
import type { Spool, SpoolFile } from '#protocol/bytes.ts';
import type { JsonObject } from '#protocol/json.ts';
import { RedactionEntries } from '#resources/bundle/document/redaction-entries.ts';
import type { RedactionEntry } from '#resources/bundle/session-bundle-schema.ts';
import { bundlePieces, bundleText, OWN, readJson } from './bundles.ts';

const MOST_HELD = 8;

/** Files that are only in memory; says what was read at most at once, and which are left. */
class WatchedSpool implements Spool {
  opened = 0;
  left = 0;
  writes = 0;
  mostRead = 0;

  async open(): Promise<SpoolFile> {
    this.opened += 1;
    this.left += 1;
    const chunks: Uint8Array[] = [];
    return {
      write: async (bytes) => {
        this.writes += 1;
        chunks.push(bytes);
      },
      finish: () => {
        const all = Buffer.concat(chunks);
        const read = (start: number, end: number) => {
          this.mostRead = Math.max(this.mostRead, end - start);
          return all.subarray(start, end);
        };
        return { size: all.length, sha256: '', read };
      },
      close: async () => {
        this.left -= 1;
      },
    };
  }
}

/** In an order that has little to do with that of their paths; each path is there three times. */
function entry(n: number): RedactionEntry {
  const path = `$.a[${(n * 37) % 101}].grün\n"x"`;
  return { path, class: 'sensitive_field', action: 'replaced', replacement: `[${n}]` };
}

async function gathered(entries: RedactionEntries): Promise<RedactionEntry[]> {
  const found: RedactionEntry[] = [];
  for await (const text of entries.sorted()) found.push(JSON.parse(text));
  return found;
}

const inOrder = (all: RedactionEntry[]) =>
  [...all].sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));

describe('the replacements of a bundle', () => {
  it('lie in a file but for a few, and come out sorted, as often as they are asked for', async () => {
    const spool = new WatchedSpool();
    const entries = new RedactionEntries({ spool, mostHeld: MOST_HELD });
    const all = Array.from({ length: 303 }, (_, n) => entry(n));
    let held = 0;
    for (const one of all) {
      entries.add(one);
      held += 1;
      if (entries.isFull) {
        await entries.settle();
        held = 0;
      }
      expect(held).toBeLessThan(MOST_HELD);
    }
    expect(await gathered(entries)).toEqual(inOrder(all));
    expect(await gathered(entries)).toEqual(inOrder(all));
    expect(spool.writes).toBe(Math.floor(all.length / MOST_HELD));
    await entries.close();
    expect(spool).toMatchObject({ opened: 1, left: 0 });
  });

  it('are read from the file in parts, however long they are', async () => {
    const spool = new WatchedSpool();
    const entries = new RedactionEntries({ spool });
    const all = Array.from({ length: 2_000 }, (_, n) => entry(n));
    for (const one of all) entries.add(one);
    await entries.settle();
    expect(await gathered(entries)).toEqual(inOrder(all));
    expect(spool.mostRead).toBe(16 * 1024);
  });

  it('make no file where they are few, and leave others their turn', async () => {
    const spool = new WatchedSpool();
    let turns = 0;
    const turn = async () => {
      turns += 1;
    };
    const entries = new RedactionEntries({ spool, turn });
    const all = Array.from({ length: 2_500 }, (_, n) => entry(n));
    for (const one of all) entries.add(one);
    expect(entries.isFull).toBe(false);
    expect(await gathered(entries)).toEqual(inOrder(all));
    await entries.close();
    expect(turns).toBe(2);
    expect(spool.opened).toBe(0);
  });
});

describe('an export with many replacements', () => {
  const messages = Array.from({ length: 10_000 }, (_, at) => ({ role: 'user', content: `Turn ${at}.` }));
  const record: JsonObject = { ...readJson(new URL('run-record.json', OWN)), transcript: { messages } };

  it('is the same bundle whether they lie in a file or not', async () => {
    const spool = new WatchedSpool();
    const held = await bundleText(record, 'replay_only');
    expect((await bundleText(record, 'replay_only', { spool })) === held).toBe(true);
    expect(spool).toMatchObject({ opened: 1, left: 0 });
  });

  it('leaves no file behind where its reader left', async () => {
    const spool = new WatchedSpool();
    for await (const _ of bundlePieces(record, 'replay_only', { spool })) if (spool.writes > 0) break;
    expect(spool).toMatchObject({ opened: 1, left: 0 });
  });
});
