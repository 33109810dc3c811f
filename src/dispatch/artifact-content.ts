import type { ArtifactState } from '../projections/states.ts';
import type { JsonObject } from '../protocol/json.ts';
import { contentKey } from '../store/keys.ts';
import type { DraftPart } from '../upstream.ts';

/** Media type of an artifact whose parts are neither all text nor one piece of bytes. */
export const PARTS_MEDIA_TYPE = 'application/vnd.harn.artifact+json';

/** Reads one stored piece, or undefined when it is gone. */
export type ReadPiece = (key: string) => Buffer | undefined;

export interface Content {
  mimeType: string;
  bytes: Buffer;
}

/**
 * The bytes of an artifact that was stored part by part: text parts are joined, a single part of bytes is itself, and
 * anything else is a JSON document of the parts in order, which loses nothing.
 */
export function contentOfParts(
  state: Pick<ArtifactState, 'internal' | 'resource'>,
  read: ReadPiece,
): Content {
  const parts = readParts(state, read);
  const only = parts.length === 1 ? parts[0] : undefined;
  if (only?.type === 'bytes') return { mimeType: only.mime_type, bytes: Buffer.from(only.base64, 'base64') };
  if (parts.length > 0 && parts.every((part) => part.type === 'text')) {
    return {
      mimeType: 'text/plain; charset=utf-8',
      bytes: Buffer.from(parts.map((part) => part.text).join('')),
    };
  }
  if (only?.type === 'json') {
    return { mimeType: 'application/json', bytes: Buffer.from(JSON.stringify(only.value)) };
  }
  const document = { name: state.internal.name, parts } as unknown as JsonObject;
  return { mimeType: PARTS_MEDIA_TYPE, bytes: Buffer.from(JSON.stringify(document)) };
}

/** The parts of an artifact as the agent sent them, in order. */
export function readParts(state: Pick<ArtifactState, 'internal' | 'resource'>, read: ReadPiece): DraftPart[] {
  return pieceKeys(state).map((key) => {
    const piece = read(key);
    if (!piece) throw new Error(`content piece ${key} is missing`);
    return JSON.parse(piece.toString()) as DraftPart;
  });
}

export function pieceKeys({ resource, internal }: Pick<ArtifactState, 'internal' | 'resource'>): string[] {
  const count = internal.pieces - internal.first_piece;
  return Array.from({ length: count }, (_, at) => contentKey(resource.id, internal.first_piece + at));
}
