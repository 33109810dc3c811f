import type { JsonValue } from '#protocol/json.ts';

/** A character that is not one byte of JSON: an escaped one, or one outside of ASCII. */
const MORE_THAN_A_BYTE = /[^ !#-[\]-~]/;

/** Bytes of a value as JSON, in UTF-8. Its text is not made. */
export function jsonSize(value: unknown): number {
  return countedUpTo(value, Number.POSITIVE_INFINITY);
}

/** Whether the JSON of a value has at most `maxBytes` bytes. Looks at no more of the value than that. */
export function fitsAsJson(value: JsonValue, maxBytes: number): boolean {
  return countedUpTo(value, maxBytes) <= maxBytes;
}

/** The size of the JSON of a value, or a number above `most` when it is larger than that. */
function countedUpTo(value: unknown, most: number): number {
  const open = [value];
  let size = 0;
  while (open.length > 0 && size <= most) {
    const item = open.pop();
    if (typeof item === 'string')
      size += MORE_THAN_A_BYTE.test(item) ? Buffer.byteLength(JSON.stringify(item)) : item.length + 2;
    else if (typeof item !== 'object' || item === null) size += String(item).length;
    else {
      let members = 0;
      if (Array.isArray(item))
        for (const member of item) {
          members += 1;
          open.push(member ?? null);
        }
      else
        for (const [name, member] of Object.entries(item)) {
          if (member === undefined) continue;
          members += 1;
          size += 1; // A colon.
          open.push(name, member);
        }
      // Brackets or braces, and commas between the members.
      size += 1 + Math.max(1, members);
    }
  }
  return size;
}
