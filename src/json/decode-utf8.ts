import type { JsonFault } from './fault.ts';

/** Decodes without dropping or replacing anything: a byte order mark stays visible, a bad byte is an error. */
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of UTF-8 bytes, or undefined when a byte is wrong. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** How many leading bytes are fine. A prefix of good UTF-8 is good, so bisection finds the first bad byte. */
export function validUtf8Length(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isUtf8Prefix(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function isUtf8Prefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Refuses a leading byte order mark and half surrogate pairs in a text that did not come from strict UTF-8. */
export function checkText(text: string): JsonFault | undefined {
  if (text.charCodeAt(0) === 0xfeff) return { kind: 'byte_order_mark', offset: 0 };
  const offset = text.search(/\p{Surrogate}/u);
  return offset < 0 ? undefined : { kind: 'surrogate', offset };
}
