import type { Event } from './event-log.ts';

/** The kind that stands in the place of the last removed event of a stream. */
export const HISTORY_REMOVED = 'vendor.harn_gateway.history_removed';

/** Whether an event is one that happened, not the mark of those that are gone. */
export function isNoMark({ event }: Pick<Event, 'event'>): boolean {
  return event !== HISTORY_REMOVED;
}
