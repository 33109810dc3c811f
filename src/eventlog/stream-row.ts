import { checked, contentOfChecked } from '../store/checked-record.ts';
import { eventIdOf, lastSegment } from '../store/keys.ts';
import { eventNumberOf } from './event-id.ts';

const ONE_EVENT = '';

/**
 * The events that one commit added to a stream are one row: the key ends in the id of the last one, the value lists how
 * far before it the others are, oldest first. A row of one event is empty.
 */
export function encodeRow(stream: string, ids: readonly string[]): [key: string, value: string] {
  const last = ids.at(-1);
  if (last === undefined) throw new RangeError('A row of a stream has an event.');
  const key = stream + last;
  if (ids.length === 1) return [key, ONE_EVENT];
  const end = eventNumberOf(last);
  const distances = ids.slice(0, -1).map((id) => end - eventNumberOf(id));
  return [key, checked(distances.join(), key)];
}

/** Throws IntegrityError for a damaged row. */
export function idsOfRow(key: string, value: Buffer): string[] {
  const last = lastSegment(key);
  if (value.length === 0) return [last];
  const end = eventNumberOf(last);
  const distances = contentOfChecked(value, key).toString('latin1').split(',');
  return [...distances.map((distance) => eventIdOf(end - Number(distance))), last];
}
