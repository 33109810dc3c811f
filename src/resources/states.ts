import { sha256Hex } from '#json/canonical.ts';
import type { StateKey } from './room.ts';

/** A folded resource: what clients see, and what only the gateway needs. All of it comes from events. */
export interface Folded<Resource, Internal> {
  resource: Resource;
  internal: Internal;
}

/*
 * Keys of states and lists, which each room has of its own (state.ts). Ids are `<object>_<ULID>` or configured names; foreign texts
 * are escaped. A list is a key prefix followed by the ids of its members; ids sort by creation, so reverse order is newest first.
 */

/** One key for each id. */
export function idKey<State = unknown>(prefix: string): StateKey<State> {
  return (id) => prefix + id;
}

/** One list for each id. */
export function idList(prefix: string): (id: string) => string {
  return (id) => `${prefix}${id}/`;
}

/** One key for each text that may be anything. */
export function textKey(prefix: string): (text: string) => string {
  return (text) => prefix + foreign(text);
}

/** One list for each text that may be anything. */
export function textList(prefix: string): (text: string) => string {
  return (text) => `${prefix}${foreign(text)}/`;
}

/** One key for each id and what somebody else names under it. */
export function idTextKey(prefix: string): (id: string, text: string) => string {
  return (id, text) => `${prefix}${id}/${foreign(text)}`;
}

/** One key for each pair of ids. */
export function pairKey(prefix: string): (first: string, second: string) => string {
  return (first, second) => `${prefix}${first}/${second}`;
}

/** One key for each block of what belongs to an id. */
export function blockKey(prefix: string): (id: string, block: number) => string {
  return (id, block) => `${prefix}${id}/${String(block).padStart(6, '0')}`;
}

/**
 * Within what equal bytes are stored once: a Workspace, or the tenant of what belongs to none. No id begins with `~`.
 */
export function contentScope(workspaceId: string | null | undefined, tenant: string | undefined): string {
  return workspaceId ?? `~${foreign(tenant ?? '')}`;
}

/** A span is its events. */
export function endsWithRun(key: string): boolean {
  return key.startsWith('r/span/');
}

/** Text that a key takes as it is: no `/`, and no mark of another kind at its beginning. */
const PLAIN = /^[!"$-.0-}][!-.0-~]{0,63}$/;

/** A segment of a key for text that may be anything: itself when it is short and safe, else its hash behind a `#`. */
export function foreign(text: string): string {
  return PLAIN.test(text) ? text : `#${sha256Hex(text).slice(0, 32)}`;
}
