import type { JsonObject } from '#protocol/json.ts';
import type { DraftPart } from '#protocol-client.ts';
import { layoutKey, partKey } from '#store/keys.ts';
import { type PartsState, partNumbers, readParts } from './parts.ts';
import { contentKeys, type ReadRecord, storedPieces } from './stored-bytes.ts';
import { contentOfArtifact } from './stored-content.ts';

/** Media type of an artifact whose parts are neither all text nor one piece of bytes. */
export const PARTS_MEDIA_TYPE = 'application/vnd.harn.artifact+json';

export interface Content {
  mimeType: string;
  bytes: Buffer;
}

/** Content made of parts; `isDocument`: the parts can be read out of it. */
export interface AssembledContent extends Content {
  isDocument: boolean;
}

/** What an artifact holds, or will hold with the parts that there are; nothing where it keeps no content. */
export function contentOf(state: PartsState, read: ReadRecord): Content {
  if (isOpen(state)) return contentOfParts(readParts(state, read), state.internal.name);
  const content = contentOfArtifact(state);
  const pieces = content === undefined ? [] : [...storedPieces(content, read)];
  return { mimeType: state.resource.mime_type, bytes: Buffer.concat(pieces) };
}

/**
 * The bytes of an artifact that came part by part: text parts are joined, a single part of bytes is itself, and anything
 * else is a JSON document of the parts in order, which loses nothing.
 */
export function contentOfParts(parts: readonly DraftPart[], name: string | null): AssembledContent {
  const isDocument = false;
  const only = parts.length === 1 ? parts[0] : undefined;
  if (only?.type === 'bytes')
    return { mimeType: only.mime_type, bytes: Buffer.from(only.base64, 'base64'), isDocument };
  if (parts.length > 0 && parts.every((part) => part.type === 'text')) {
    return {
      mimeType: 'text/plain; charset=utf-8',
      bytes: Buffer.from(parts.map((part) => part.text).join('')),
      isDocument,
    };
  }
  if (only?.type === 'json') {
    return { mimeType: 'application/json', bytes: Buffer.from(JSON.stringify(only.value)), isDocument };
  }
  const document = { name, parts } as unknown as JsonObject;
  return { mimeType: PARTS_MEDIA_TYPE, bytes: Buffer.from(JSON.stringify(document)), isDocument: true };
}

/** Whether its agent may still add parts: they are kept one by one. */
export function isOpen({ internal }: PartsState): boolean {
  return internal.store === 'parts' && !internal.closed;
}

/** Keys of the records that an artifact cannot be read without. */
export function recordsOf(state: PartsState): string[] {
  const { internal, resource } = state;
  if (internal.store === 'none') return [];
  if (isOpen(state)) return partNumbers(internal).map((n) => partKey(resource.id, n));
  const content = contentOfArtifact(state);
  const layout = internal.store === 'parts' ? [layoutKey(resource.id)] : [];
  return [...layout, ...(content === undefined ? [] : contentKeys(content))];
}
