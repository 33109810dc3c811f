import { createHash } from 'node:crypto';
import type { Finding } from '#eventlog/finding.ts';
import { decodeFold } from '#eventlog/fold-record.ts';
import { contentPlaceOf, KEY_KINDS, keysUnder } from '#store/keys.ts';
import { unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { artifactKeys } from './state.ts';
import type { ContentState } from './stored-content.ts';

/**
 * Verifies stored content against what it is stored under, each once however many refer to it: its bytes have the hash and the
 * size, something refers to it, and what is referred to is there. A piece that is damaged or lost is named by the check of
 * the log; it ends the check of its content.
 */
export async function* checkContents(store: Store): AsyncGenerator<Finding, void> {
  let content: CheckedContent | undefined;
  const found = new Set<string>();
  for await (const page of store.entries(keysUnder(KEY_KINDS.content.prefix)))
    for (const [key, sealed] of page) {
      const place = contentPlaceOf(key);
      if (place === undefined) {
        yield finding(key, 'a piece of content', 'another record');
        continue;
      }
      const address = artifactKeys.content(place.scope, place.sha256);
      if (content?.address !== address) {
        yield* content?.end(store) ?? [];
        content = new CheckedContent(address, place.sha256);
        found.add(address);
      }
      content.take(key, sealed, place.n);
    }
  yield* content?.end(store) ?? [];
  for await (const page of store.keys(keysUnder(artifactKeys.storedContents)))
    for (const key of page) if (!found.has(key)) yield finding(key, 'the bytes that are referred to', 'none');
}

class CheckedContent {
  readonly address: string;
  readonly #sha256: string;
  readonly #hash = createHash('sha256');
  #size = 0;
  #pieces = 0;
  #isWhole = true;

  constructor(address: string, sha256: string) {
    this.address = address;
    this.#sha256 = sha256;
  }

  take(key: string, sealed: Buffer, n: number): void {
    const bytes = readable(() => unseal(sealed, key));
    this.#isWhole &&= bytes !== undefined && n === this.#pieces;
    this.#pieces += 1;
    this.#size += bytes?.length ?? 0;
    this.#hash.update(bytes ?? '');
  }

  *end(store: Store): Generator<Finding, void> {
    const where = this.address;
    const stored = store.get(where);
    if (stored === undefined) {
      yield finding(where, 'a reference to these bytes', 'none');
      return;
    }
    const state = readable(() => decodeFold(where, stored).state as ContentState);
    if (!this.#isWhole || state === undefined) return;
    const expected = `${state.size} bytes with the hash ${this.#sha256}`;
    const observed = `${this.#size} bytes with the hash ${this.#hash.digest('hex')}`;
    if (expected !== observed) yield finding(where, expected, observed);
  }
}

function finding(where: string, expected: string, observed: string): Finding {
  return { problem: 'content', where, expected, observed };
}

/** Undefined for what is damaged, which the check of the log names. */
function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof IntegrityError) return undefined;
    throw error;
  }
}
