const EVENT_DIGITS = 20;
const PARTITION_DIGITS = 4;
/** Of an embedded log, and of the first of several. */
export const FIRST_PARTITION = '0000';

/** The id of the event with a number in a partition: 20 digits. See src/eventlog/README.md, Event ids. */
export function eventIdOf(n: number, partition: string = FIRST_PARTITION): string {
  if (!Number.isSafeInteger(n) || n < 0)
    throw new RangeError(`The number of an event is a whole one from 0: ${n}`);
  // No such number has more digits.
  return partition + String(n).padStart(EVENT_DIGITS - PARTITION_DIGITS, '0');
}

/** The number in an event id. It stays far below 2^53. */
export const eventNumberOf = (id: string): number => Number(id.slice(PARTITION_DIGITS));

/** The first digits of every event id of a partition. */
export const partitionOf = (eventId: string): string => eventId.slice(0, PARTITION_DIGITS);

/** The id so many events behind another one; in front of it for a number below 0. */
export const eventIdBehind = (id: string, events: number): string =>
  eventIdOf(eventNumberOf(id) + events, partitionOf(id));
