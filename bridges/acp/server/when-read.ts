import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';

/**
 * Hands a message over when it is read, or why it was refused: at once, or for a large one when the promise resolves, which never
 * rejects.
 */
export function whenRead(
  read: () => JsonValue | Promise<JsonValue>,
  take: (value: JsonValue) => void,
  refuse: (why: string) => void,
): Promise<void> | undefined {
  const refused = (error: unknown) => refuse(ProtocolError.from(error).message);
  let value: JsonValue | Promise<JsonValue>;
  try {
    value = read();
  } catch (error) {
    refused(error);
    return undefined;
  }
  if (value instanceof Promise) return value.then(take, refused);
  take(value);
  return undefined;
}
