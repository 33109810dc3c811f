import { eventIdOf } from '#store/keys.ts';

/** The id before the first event, and the cursor that means "from the start". */
export const NO_EVENT = eventIdOf(0);

/**
 * Ids left out when a log goes on that lost its end, or was restored: far more than can have been given since the newest
 * one that is known, so that none is given twice and an old cursor is known as one. See README.md, Event ids.
 */
export const EPOCH_GAP = 10 ** 12;

/**
 * The number of an event id. Of its 20 digits the first 4 are those of the partition, 0000 in the embedded log, and 16 of the
 * number, which stays far below 2^53. See README.md, Event ids.
 */
export function eventNumberOf(id: string): number {
  return Number(id);
}

/** The id before this one; `NO_EVENT` has none and is returned itself. */
export function eventIdBefore(id: string): string {
  return id === NO_EVENT ? id : eventIdOf(eventNumberOf(id) - 1);
}

export function isEventId(text: string): boolean {
  return /^[0-9]{20}$/.test(text) && Number.isSafeInteger(Number(text));
}
