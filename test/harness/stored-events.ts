import type { Event } from '#eventlog/event-log.ts';
import { readSegment } from '#eventlog/segment.ts';
import { seal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';

/** Key of the stored segment that holds an event. */
export function segmentKey(store: Store, eventId: string): string {
  const segment = readSegment(store, eventId);
  if (segment === undefined) throw new Error(`no segment holds event ${eventId}`);
  return segment.key;
}

/** Changes one stored event and seals its segment again, as somebody would who knows how. */
export async function changeEvent(
  store: Store,
  eventId: string,
  change: (event: Event) => object,
): Promise<void> {
  const key = segmentKey(store, eventId);
  const events = (readSegment(store, eventId)?.events ?? []).map(
    (bytes): Event => JSON.parse(bytes.toString()),
  );
  const lines = events.map((event) => JSON.stringify(event.id === eventId ? change(event) : event));
  await store.write([{ type: 'put', key, value: seal(lines.join('\n'), key) }]);
}
