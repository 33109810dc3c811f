import { checked, contentOfChecked } from '../store/checked-record.ts';
import { KEY_KINDS, resourceKey } from '../store/keys.ts';
import type { ResourcePointer, State } from './event-log.ts';
import type { ResourceHead } from './fold-event.ts';

/** What is stored under the key of a fold. A resource without a state, such as a span, has only a head. */
export interface FoldRecord {
  head?: ResourceHead | undefined;
  state?: State | undefined;
}

/** Heads are kept by the key of the record they are stored in. */
export function recordOf({ object, id }: ResourcePointer): string {
  return resourceKey(object, id);
}

/** The record of a fold and the length of its JSON; undefined when nothing is left of it. */
export function encodeFold(key: string, record: FoldRecord): { value: string; chars: number } | undefined {
  const { head, state } = record;
  if (head === undefined && state === undefined) return undefined;
  const json = JSON.stringify(isResource(key) ? { head, state } : state);
  return { value: checked(json, key), chars: json.length };
}

/** Throws IntegrityError for a damaged record. */
export function decodeFold(key: string, value: Buffer): FoldRecord & { chars: number } {
  const json = contentOfChecked(value, key).toString('utf8');
  const found: FoldRecord & State = JSON.parse(json);
  return isResource(key)
    ? { head: found.head, state: found.state, chars: json.length }
    : { state: found, chars: json.length };
}

/** Only resources have events of their own, and so a head. */
export function isResource(key: string): boolean {
  return key.startsWith(KEY_KINDS.resource.prefix);
}
