import type { Event } from '#eventlog/event-log.ts';
import type { Finding } from '#eventlog/finding.ts';
import { eventIn, readSegment } from '#eventlog/segment.ts';
import { contentHash } from '#json/canonical.ts';
import type { JsonValue } from '#protocol/json.ts';
import {
  FrameGapError,
  framesInRow,
  type StoredFrame,
  wholeFrame,
} from '#resources/replay/record/frame-row.ts';
import { KEY_KINDS, keysUnder } from '#store/keys.ts';
import { unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';

/**
 * Puts every recorded frame together with what its events say and holds it against its recorded hash. Of an imported frame whose
 * content was withheld there is nothing to hold. What is damaged is named by the check of the log, which reports it for the event.
 * Changes nothing.
 */
export async function* checkFrames(store: Store): AsyncGenerator<Finding, void> {
  for await (const page of store.entries(keysUnder(KEY_KINDS.frame.prefix)))
    for (const [key, sealed] of page) {
      const frames = intact(() => framesInRow(unseal(sealed, key)));
      for (const stored of frames ?? []) {
        const observed = stored.imported?.withheld ? stored.sha256 : hashOf(store, stored);
        if (observed === undefined || observed === stored.sha256) continue;
        yield { problem: 'hash', where: `${key} (${stored.key})`, expected: stored.sha256, observed };
      }
    }
}

/** Undefined where an event of the frame cannot be read. */
function hashOf(store: Store, stored: StoredFrame): string | undefined {
  try {
    const whole = intact(() => wholeFrame(stored, (id) => eventOf(store, id)));
    return whole && contentHash(whole.frame as unknown as JsonValue);
  } catch (error) {
    if (!(error instanceof FrameGapError)) throw error;
    return eventOf(store, error.eventId) === undefined ? undefined : error.message;
  }
}

function eventOf(store: Store, id: string): Event | undefined {
  const segment = readSegment(store, id);
  const bytes = segment && eventIn(segment, id);
  return bytes && (JSON.parse(bytes.toString('utf8')) as Event);
}

function intact<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof IntegrityError) return undefined;
    throw error;
  }
}
