import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** The member that holds the checksum of all others. */
const CHECKSUM = 'sha256';

/**
 * A file beside the store is damaged, or was changed by hand: the message names it, what is wrong with it and what the operator
 * does. Nothing was changed.
 */
export class DataFileError extends Error {
  override readonly name = 'DataFileError';
  readonly path: string;

  constructor(path: string, fault: string, remedy: string) {
    super(`${path}: ${fault}. ${remedy}`);
    this.path = path;
  }
}

/** The text of a file: the members in one line of JSON, and the SHA-256 of that line without the checksum. */
export function checkedText(members: JsonObject): string {
  return `${JSON.stringify({ ...members, [CHECKSUM]: checksumOf(members) })}\n`;
}

/**
 * The members of such a text, and whether it had a checksum: files of older versions have none, and are read by their shape
 * alone. Throws an Error that says what is wrong.
 */
export function readCheckedText(text: string): { value: JsonValue; isChecked: boolean } {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    throw new Error('is no JSON');
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value) || !Object.hasOwn(value, CHECKSUM))
    return { value, isChecked: false };
  const { [CHECKSUM]: checksum, ...members } = value;
  if (checksum !== checksumOf(members)) throw new Error('does not match its checksum');
  return { value: members, isChecked: true };
}

/** Whether an object has exactly these members: a damaged name would else pass for an absent checksum. */
export function hasMembers(value: JsonValue, names: readonly string[]): value is JsonObject {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const own = Object.keys(value);
  return own.length === names.length && names.every((name) => Object.hasOwn(value, name));
}

function checksumOf(members: JsonObject): string {
  return createHash('sha256').update(JSON.stringify(members)).digest('hex');
}
