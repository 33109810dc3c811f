import type { Transaction } from '#eventlog/event-log.ts';
import type { DraftPart } from '#protocol-client.ts';
import { layoutKey, partKey } from '#store/keys.ts';
import type { ArtifactState } from './state.ts';
import { type ReadRecord, storedRange } from './stored-bytes.ts';
import { contentOfArtifact } from './stored-content.ts';

export type PartsState = Pick<ArtifactState, 'internal' | 'resource'>;

/** Which numbers the parts have that make up an artifact now: from `first_piece` up to `pieces`. */
export type PartRange = Pick<ArtifactState['internal'], 'first_piece' | 'pieces'>;

/** Half of a surrogate pair, which has no bytes of its own. */
const HALF_CHARACTER = /\p{Surrogate}/u;

/**
 * How the parts of an ended artifact lie in its content. `document`: the content is a JSON document that has them all. Else
 * one row per part: the part without what is in the content, which is its next `bytes` bytes; or, without `bytes`, all of it.
 */
type Layout = 'document' | LayoutRow[];
interface LayoutRow {
  part: DraftPart;
  bytes?: number;
}

export function partNumbers({ first_piece: first, pieces }: PartRange): number[] {
  return Array.from({ length: pieces - first }, (_, at) => first + at);
}

/**
 * Reads parts by their numbers, as JSON; undefined for one that is gone. Those of an ended artifact are taken out of its
 * content, those that were replaced are still there.
 */
export function partReader(state: PartsState, read: ReadRecord): (n: number) => Buffer | undefined {
  const { resource, internal } = state;
  if (!internal.closed) return (n) => read(partKey(resource.id, n));
  let ended: ((at: number) => Buffer | undefined) | undefined;
  return (n) => {
    if (n < internal.first_piece) return read(partKey(resource.id, n));
    ended ??= endedParts(state, read);
    return ended(n - internal.first_piece);
  };
}

/** The parts of an artifact as the agent sent them, in order. Throws for one that is gone. */
export function readParts(state: PartsState, read: ReadRecord): DraftPart[] {
  const partAt = partReader(state, read);
  return partNumbers(state.internal).map((n) => {
    const part = partAt(n);
    if (part === undefined) throw new Error(`part ${n} of ${state.resource.id} is missing`);
    return JSON.parse(part.toString()) as DraftPart;
  });
}

/** Keeps where the parts of an artifact that ends lie in its content. */
export function layParts(
  tx: Transaction,
  artifactId: string,
  { parts, isDocument }: { parts: readonly DraftPart[]; isDocument: boolean },
): void {
  tx.record(layoutKey(artifactId), JSON.stringify(isDocument ? 'document' : layoutOf(parts)));
}

/** Puts the parts of an ended artifact back where its agent can add to them. */
export function liftParts(tx: Transaction, state: PartsState): void {
  const partAt = partReader(state, (key) => tx.recorded(key));
  for (const n of partNumbers(state.internal)) {
    const part = partAt(n);
    if (part !== undefined) tx.record(partKey(state.resource.id, n), part);
  }
  tx.erase(layoutKey(state.resource.id));
}

function layoutOf(parts: readonly DraftPart[]): Layout {
  const rows = parts.map(rowOf);
  // What has a place in the content has it by the rows before it.
  return rows.every((row) => row !== undefined) ? rows : parts.map((part) => ({ part }));
}

/** Undefined for a part that does not come out of bytes as it went in. */
function rowOf(part: DraftPart): LayoutRow | undefined {
  if (part.type === 'text') {
    if (HALF_CHARACTER.test(part.text)) return undefined;
    return { part: { ...part, text: '' }, bytes: Buffer.byteLength(part.text) };
  }
  if (part.type === 'bytes') {
    const bytes = Buffer.from(part.base64, 'base64');
    if (bytes.toString('base64') !== part.base64) return undefined;
    return { part: { ...part, base64: '' }, bytes: bytes.length };
  }
  if (part.type !== 'json') return undefined;
  return { part: { ...part, value: null }, bytes: Buffer.byteLength(JSON.stringify(part.value)) };
}

function endedParts(state: PartsState, read: ReadRecord): (at: number) => Buffer | undefined {
  const stored = read(layoutKey(state.resource.id));
  if (stored === undefined) return () => undefined;
  const layout = JSON.parse(stored.toString()) as Layout;
  if (layout === 'document') {
    const { parts } = JSON.parse(bytesOf(state, read, 0, state.internal.size).toString());
    return (at) => asJson((parts as DraftPart[])[at]);
  }
  const starts = startsOf(layout);
  return (at) => {
    const row = layout[at];
    if (row?.bytes === undefined) return asJson(row?.part);
    return asJson(filled(row.part, bytesOf(state, read, starts[at] ?? 0, row.bytes)));
  };
}

function startsOf(layout: readonly LayoutRow[]): number[] {
  let next = 0;
  return layout.map(({ bytes = 0 }) => {
    const start = next;
    next += bytes;
    return start;
  });
}

function bytesOf(state: PartsState, read: ReadRecord, at: number, length: number): Buffer {
  const content = contentOfArtifact(state);
  return content === undefined ? Buffer.alloc(0) : storedRange(content, read, at, length);
}

function filled(part: DraftPart, bytes: Buffer): DraftPart {
  if (part.type === 'text') return { ...part, text: bytes.toString() };
  if (part.type === 'bytes') return { ...part, base64: bytes.toString('base64') };
  return part.type === 'json' ? { ...part, value: JSON.parse(bytes.toString()) } : part;
}

function asJson(part: DraftPart | undefined): Buffer | undefined {
  return part && Buffer.from(JSON.stringify(part));
}
