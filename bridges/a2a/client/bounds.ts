import { createHash } from 'node:crypto';
import type { JsonValue } from '#protocol/json.ts';
import type { DraftPart } from '#upstream.ts';
import { decodeParts } from '../../../mappings/a2a/parts-in.ts';
import { malformed } from './faults.ts';
import type { Reading } from './record.ts';

/** Longest id, name or word taken from an agent, in UTF-16 units: all of them are kept in folds, most in memory. */
export const MAX_NAME_LENGTH = 512;

const HASH_LENGTH = 64;

/** The text, or its first `max` units; half a surrogate pair at the cut would not be JSON text. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

/** An id or name of at most 512 units: of a longer one the head and the SHA-256 of all, so that two stay two. */
export function bounded(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name;
  const hash = createHash('sha256').update(name, 'utf8').digest('hex');
  return `${cut(name, MAX_NAME_LENGTH - HASH_LENGTH - 1)}~${hash}`;
}

/** What names a JSON-RPC request, as details of a note may show it. */
export function boundedId(id: JsonValue): JsonValue {
  if (typeof id === 'string') return bounded(id);
  return typeof id === 'number' ? id : null;
}

/** Ids that are sent back as they came cannot be shortened. */
export function isBindable(id: string): boolean {
  return id.length <= MAX_NAME_LENGTH;
}

/** Throws Fault when an event names a task or context that cannot be kept. */
export function refuseOverlong(reading: Reading): void {
  if (reading.kind !== 'event') return;
  const { event, body } = reading;
  for (const id of [body[event === 'task' ? 'id' : 'taskId'], body['contextId']]) {
    if (typeof id !== 'string' || isBindable(id)) continue;
    throw malformed(
      'overlong_id',
      `The agent sent a task or context id of more than ${MAX_NAME_LENGTH} characters.`,
    );
  }
}

/** The parts of a message or artifact, their names and words bounded; content is bounded elsewhere. */
export function boundedParts(raw: JsonValue | undefined): DraftPart[] {
  return decodeParts(raw).map(boundedPart);
}

function boundedPart(part: DraftPart): DraftPart {
  switch (part.type) {
    case 'bytes': {
      const name = part.name === undefined ? {} : { name: bounded(part.name) };
      return { ...part, mime_type: bounded(part.mime_type), ...name };
    }
    case 'file_ref':
      return { ...part, mime_type: bounded(part.mime_type) };
    case 'tool_call':
      return { ...part, tool_call_id: bounded(part.tool_call_id), name: bounded(part.name) };
    case 'tool_result':
      return { ...part, tool_call_id: bounded(part.tool_call_id) };
    default:
      return part;
  }
}
