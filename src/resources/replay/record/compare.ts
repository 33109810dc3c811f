import type { Event } from '#eventlog/event-log.ts';
import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import type { JsonValue } from '#protocol/json.ts';

/** Where a replay first went another way than the record. */
export interface Divergence {
  /** Position in the run, from 0. */
  index: number;
  /** The recorded event there; null when the run had already ended. */
  eventId: string | null;
  /** JSON pointer into the list of events of the run, for example `/12/payload/status`. */
  path: string;
  /** Hash of what is recorded at that path; null where there is nothing. */
  expected: string | null;
  /** The same of what the replay made of it. */
  observed: string | null;
}

/** `sha256:` and the hash of the RFC 8785 bytes. */
export function hashOf(value: JsonValue): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`;
}

/** The first difference between a recorded and a replayed event; undefined when their canonical bytes are equal. */
export function divergence(
  recorded: Event | undefined,
  replayed: Event | undefined,
  index: number,
): Divergence | undefined {
  const [before, after] = [asJson(recorded), asJson(replayed)];
  if (before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after))
    return undefined;
  const path = firstDifference(before, after, '');
  return {
    index,
    eventId: recorded?.id ?? null,
    path: `/${index}${path}`,
    expected: hashAt(before, path),
    observed: hashAt(after, path),
  };
}

/** JSON pointer (RFC 6901) to the first difference, members in code unit order. */
function firstDifference(before: JsonValue | undefined, after: JsonValue | undefined, path: string): string {
  if (!isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after)) return path;
  const names = Array.isArray(before)
    ? Array.from({ length: Math.max(before.length, (after as JsonValue[]).length) }, (_, at) => String(at))
    : [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  for (const name of names) {
    const [a, b] = [member(before, name), member(after, name)];
    if (!isEqual(a, b))
      return firstDifference(a, b, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
  return path;
}

function hashAt(value: JsonValue | undefined, path: string): string | null {
  let found = value;
  for (const name of path.split('/').slice(1))
    found = isTree(found) ? member(found, name.replaceAll('~1', '/').replaceAll('~0', '~')) : undefined;
  return found === undefined ? null : hashOf(found);
}

function isEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonicalJson(a) === canonicalJson(b);
}

type Tree = { [name: string]: JsonValue } | JsonValue[];

function isTree(value: JsonValue | undefined): value is Tree {
  return typeof value === 'object' && value !== null;
}

function member(tree: Tree, name: string): JsonValue | undefined {
  return Array.isArray(tree) ? tree[Number(name)] : Object.hasOwn(tree, name) ? tree[name] : undefined;
}

function asJson(event: Event | undefined): JsonValue | undefined {
  return event as unknown as JsonValue | undefined;
}
