import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { Sliced } from './large-json.ts';
import { isExactNumber } from './number.ts';
import { JsonWalk, type Location, locate } from './walk.ts';

/** What the strict reader refuses. The words are the public explanation; they never contain the input. */
const JSON_FAULTS = {
  utf8: 'The JSON text is not valid UTF-8. Encode it as UTF-8 and send it again.',
  byte_order_mark: 'The JSON text begins with a byte order mark. Send it without one.',
  syntax: 'The JSON text is malformed. Correct it and send it again.',
  depth: 'The JSON text is nested too deeply. Flatten it and send it again.',
  duplicate_name: 'An object has the same member name twice. Keep one of the two.',
  forbidden_name: 'An object has a member named __proto__. Rename the member.',
  number: 'A number cannot be kept exactly. Send large numbers as strings.',
  surrogate: 'A string has half of a surrogate pair. Send whole characters.',
} as const;

type JsonFaultKind = keyof typeof JSON_FAULTS;

/** A refusal and where it was found: an index of the decoded text, in UTF-16 code units. */
interface JsonFault {
  kind: JsonFaultKind;
  offset: number;
}

/** Deep enough for every message seen, shallow enough that recursive code (RFC 8785, folds) never overflows. */
export const MAX_JSON_DEPTH = 64;

/** Longer paths help nobody and would let a caller grow the answer. */
const MAX_PATH_LENGTH = 256;

export interface JsonLimits {
  /** Largest text in bytes. */
  maxBytes: number;
  /** Most arrays and objects open at once; MAX_JSON_DEPTH by default. */
  maxDepth?: number;
}

/**
 * Reads JSON that came from outside. Refuses what readers disagree about: bad UTF-8, byte order marks, duplicate
 * names, `__proto__`, inexact numbers, half surrogate pairs, deep nesting. `\u0000` and `-0` are accepted.
 * Throws `payload_too_large` above `maxBytes`, else `invalid_request` with the JSON path as `param` where there is
 * one and the position as `details.byte_offset`; the input is never echoed. The caller corrects the text; a retry
 * as it is fails again.
 */
export function parseStrict(bytes: Uint8Array, limits: JsonLimits): JsonValue {
  return parseDecoded(decoded(bytes, limits), limits.maxDepth ?? MAX_JSON_DEPTH);
}

/** The same as `parseStrict`, `sliceChars` of the text at a time; a long string is read in one slice. */
export function* parseStrictInSlices(
  bytes: Uint8Array,
  limits: JsonLimits,
  sliceChars: number,
): Sliced<JsonValue> {
  const text = decoded(bytes, limits);
  yield;
  return yield* parseDecodedInSlices(text, limits.maxDepth ?? MAX_JSON_DEPTH, sliceChars);
}

/** The same as `parseStrictText`, `sliceChars` of the text at a time. */
export function* parseTextInSlices(text: string, maxDepth: number, sliceChars: number): Sliced<JsonValue> {
  const fault = checkText(text);
  if (fault !== undefined) throw located(text, fault);
  yield;
  return yield* parseDecodedInSlices(text, maxDepth, sliceChars);
}

/** JSON.parse reads a text in one go, so it is walked; and the walk knows the place of what is wrong. */
function* parseDecodedInSlices(text: string, maxDepth: number, sliceChars: number): Sliced<JsonValue> {
  const scan = new JsonScan(text, maxDepth);
  for (let until = sliceChars; !scan.run(until); until += sliceChars) yield;
  const { fault } = scan;
  const walk = new JsonWalk(text, fault?.offset);
  for (let until = sliceChars; !walk.run(until); until += sliceChars) yield;
  if (fault === undefined && walk.stop === undefined) return walk.value;
  throw refusalAt(text, fault ?? SYNTAX, walk.stop);
}

const SYNTAX: JsonFault = { kind: 'syntax', offset: Number.POSITIVE_INFINITY };

function decoded(bytes: Uint8Array, limits: JsonLimits): string {
  if (bytes.length > limits.maxBytes) {
    throw new ProtocolError(
      'payload_too_large',
      `The JSON text exceeds ${limits.maxBytes} bytes. Send less at once.`,
      {
        details: { max_bytes: limits.maxBytes },
      },
    );
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) throw refusal('utf8', '', validUtf8Length(bytes));
  if (text.charCodeAt(0) === 0xfeff) throw refusal('byte_order_mark', '', 0);
  return text;
}

/** The same for a text that is a string already, such as a frame of an event stream; its size is the caller's to cap. */
export function parseStrictText(text: string, maxDepth: number = MAX_JSON_DEPTH): JsonValue {
  const fault = checkText(text);
  if (fault !== undefined) throw located(text, fault);
  return parseDecoded(text, maxDepth);
}

function parseDecoded(text: string, maxDepth: number): JsonValue {
  const fault = scanJson(text, maxDepth);
  if (fault !== undefined) throw located(text, fault);
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // The message of JSON.parse quotes the input, so it is dropped and the place is found again.
    throw located(text, SYNTAX);
  }
}

/** A grammar violation before the fault is the better explanation: the scan may have misread what follows it. */
function located(text: string, fault: JsonFault): ProtocolError {
  if (fault.kind === 'byte_order_mark') return refusal(fault.kind, '', 0);
  return refusalAt(text, fault, locate(text, fault.offset));
}

function refusalAt(text: string, fault: JsonFault, place: Location | undefined): ProtocolError {
  const kind = place?.violation === true ? 'syntax' : fault.kind;
  const offset = place?.offset ?? Math.min(fault.offset, text.length);
  return refusal(kind, place?.path ?? '', Buffer.byteLength(text.slice(0, offset)));
}

function refusal(kind: JsonFaultKind, path: string, byteOffset: number): ProtocolError {
  return new ProtocolError('invalid_request', JSON_FAULTS[kind], {
    ...(path !== '' && path.length <= MAX_PATH_LENGTH ? { param: path } : {}),
    details: { reason: kind, byte_offset: byteOffset },
  });
}

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
function validUtf8Length(bytes: Uint8Array): number {
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
function checkText(text: string): JsonFault | undefined {
  if (text.charCodeAt(0) === 0xfeff) return { kind: 'byte_order_mark', offset: 0 };
  const offset = text.search(/\p{Surrogate}/u);
  return offset < 0 ? undefined : { kind: 'surrogate', offset };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const LETTER_U = 0x75;

/** Shorter digit strings are always exact, so most numbers need no second look. */
const ALWAYS_EXACT_DIGITS = 15;
/** Names of an object up to which a list of them is compared. */
const LIST_LIMIT = 8;
const NUMBER_TAIL = /[-+.0-9eE]*/y;

/**
 * Finds what JSON.parse lets through: depth, duplicate names, `__proto__`, inexact numbers, half surrogate pairs.
 * One pass without recursion; it does not check the grammar, JSON.parse does that afterwards.
 */
export function scanJson(text: string, maxDepth: number): JsonFault | undefined {
  const scan = new JsonScan(text, maxDepth);
  scan.run(text.length);
  return scan.fault;
}

/** The same, as far at a time as its caller likes. */
class JsonScan {
  /** The first fault found. */
  fault: JsonFault | undefined;
  private readonly text: string;
  private readonly maxDepth: number;
  /** The member names of the objects that are open, by depth: a set from where comparing a list is no longer cheaper. */
  private readonly names: (string[] | Set<string>)[] = [];
  private readonly inObject: Uint8Array;
  private depth = 0;
  private nameNext = false;
  private at = 0;

  constructor(text: string, maxDepth: number) {
    this.text = text;
    this.maxDepth = maxDepth;
    this.inObject = new Uint8Array(maxDepth + 1);
  }

  /** Looks at the tokens that begin before `until`; true when there is nothing more to look at. */
  run(until: number): boolean {
    const { text } = this;
    const end = Math.min(until, text.length);
    let { at } = this;
    while (at < end && this.fault === undefined) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = this.string(at);
      else if (code === MINUS || (code >= DIGIT_0 && code <= DIGIT_9)) at = this.number(at);
      else {
        if (code === COMMA) this.nameNext = this.inObject[this.depth] === 1;
        else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
          if (this.depth >= this.maxDepth) {
            this.refuse('depth', at);
            break;
          }
          this.nameNext = code === OPEN_OBJECT;
          this.depth += 1;
          this.inObject[this.depth] = this.nameNext ? 1 : 0;
          if (this.nameNext) this.names[this.depth] = [];
        } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
          if (this.depth > 0) this.depth -= 1;
          this.nameNext = false;
        }
        at += 1;
      }
    }
    this.at = at;
    return at >= text.length || this.fault !== undefined;
  }

  /** Reads a text, which is noted where it is the name of a member. Returns the index after the closing quote. */
  private string(start: number): number {
    const { text } = this;
    let at = start + 1;
    let escaped = false;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code !== BACKSLASH) continue;
      escaped = true;
      at = this.escape(at);
    }
    if (!this.nameNext) return at + 1;
    this.nameNext = false;
    const name = escaped ? unescapeName(text.slice(start, at + 1)) : text.slice(start + 1, at);
    const names = this.names[this.depth] ?? [];
    const isKnown = name !== undefined && (Array.isArray(names) ? names.includes(name) : names.has(name));
    if (name === undefined) this.refuse('syntax', start);
    else if (name === '__proto__') this.refuse('forbidden_name', start);
    else if (isKnown) this.refuse('duplicate_name', start);
    else if (!Array.isArray(names)) names.add(name);
    else if (names.push(name) > LIST_LIMIT) this.names[this.depth] = new Set(names);
    return at + 1;
  }

  /** Returns the index of the last code unit of the escape at `start`. */
  private escape(start: number): number {
    if (this.text.charCodeAt(start + 1) !== LETTER_U) return start + 1;
    const unit = this.escapedUnit(start);
    if (unit < 0xd800 || unit > 0xdfff) return start + 1;
    const low = this.escapedUnit(start + 6);
    const isPair = unit < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
    if (!isPair) this.refuse('surrogate', start);
    return start + 11;
  }

  /** The code unit of a `\uXXXX` escape, or -1 when there is none at `start`. */
  private escapedUnit(start: number): number {
    const { text } = this;
    if (text.charCodeAt(start) !== BACKSLASH || text.charCodeAt(start + 1) !== LETTER_U) return -1;
    const digits = text.slice(start + 2, start + 6);
    return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : -1;
  }

  /** Returns the index after the number. */
  private number(start: number): number {
    const { text } = this;
    let at = start + 1;
    let code = text.charCodeAt(at);
    while (code >= DIGIT_0 && code <= DIGIT_9) code = text.charCodeAt(++at);
    NUMBER_TAIL.lastIndex = at;
    const isPlain = code !== 0x2e && code !== 0x45 && code !== 0x65;
    if (isPlain && at - start <= ALWAYS_EXACT_DIGITS) return at;
    const end = at + (NUMBER_TAIL.exec(text)?.[0].length ?? 0);
    if (!isExactNumber(text.slice(start, end))) this.refuse('number', start);
    return end;
  }

  private refuse(kind: JsonFaultKind, offset: number): void {
    this.fault ??= { kind, offset };
  }
}

/** The name a quoted token stands for, or undefined when the token is malformed. */
function unescapeName(token: string): string | undefined {
  try {
    const name: unknown = JSON.parse(token);
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}
