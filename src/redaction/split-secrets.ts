import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { TextRedaction } from './marker.ts';

/** What stands for a secret in a clean text, with the size of what it hides where that is known. */
const REPLACEMENT = /<redacted:([a-z0-9_]+):(\d+)>|\[redacted\]@?/g;

/** What was hidden: start inclusive, end exclusive. */
interface Span {
  start: number;
  end: number;
  name: string;
  replacement: string;
}

/** A secret that two parts or more share, said in the part in which it begins. */
export interface SplitHit {
  index: number;
  name: string;
  replacement: string;
}

type TextPart = JsonObject & { text: string };

/**
 * Finds what is a secret only when neighbouring text parts are read as one text, and hides it: its marker stands in the part in
 * which it begins, the others lose their share. The very same items, and no hits, where there is none.
 */
export function hideSplitSecrets(
  items: JsonValue[],
  redactText: (text: string) => TextRedaction,
): { items: JsonValue[]; hits: readonly SplitHit[] } {
  const hits: SplitHit[] = [];
  let clean = items;
  for (const { from, parts } of neighbours(items)) {
    const hidden = hideInRun(parts, redactText);
    if (hidden === undefined) continue;
    clean = [...clean.slice(0, from), ...hidden.parts, ...clean.slice(from + parts.length)];
    for (const hit of hidden.hits) hits.push({ ...hit, index: from + hit.index });
  }
  return { items: clean, hits };
}

/** The texts that it reads: each of the neighbouring parts as one. */
export function sharedTexts(items: JsonValue[]): string[] {
  return [...neighbours(items)].map(({ parts }) => wholeOf(parts));
}

/** Text parts that stand side by side, two or more. */
function* neighbours(items: JsonValue[]): Generator<{ from: number; parts: TextPart[] }> {
  for (let from = 0; from < items.length; from += 1) {
    let to = from;
    while (to < items.length && isTextPart(items[to])) to += 1;
    if (to - from > 1) yield { from, parts: items.slice(from, to) as TextPart[] };
    from = Math.max(from, to);
  }
}

function wholeOf(parts: readonly TextPart[]): string {
  return parts.map(({ text }) => text).join('');
}

/** A part as Harn, ACP and MCP (`type`) or A2A 0.3 (`kind`) write it. */
function isTextPart(item: JsonValue | undefined): item is TextPart {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) return false;
  return (item['type'] === 'text' || item['kind'] === 'text') && typeof item['text'] === 'string';
}

function hideInRun(parts: readonly TextPart[], redactText: (text: string) => TextRedaction) {
  const whole = wholeOf(parts);
  const found = redactText(whole);
  if (found.hits.length === 0) return undefined;
  const ends: number[] = [];
  for (const { text } of parts) ends.push((ends.at(-1) ?? 0) + text.length);
  const partAt = (at: number) => ends.findIndex((end) => at < end);
  const isSplit = ({ start, end }: Span) => partAt(start) !== partAt(end - 1);
  const spans = spansOf(whole, found.text);
  // What can no longer be separated goes into the first part as a whole.
  if (spans === undefined)
    return {
      parts: parts.map((part, index) => ({ ...part, text: index === 0 ? found.text : '' })),
      hits: found.hits.map(({ name, replacement }) => ({ index: 0, name, replacement })),
    };
  const split = spans.filter(isSplit);
  if (split.length === 0) return undefined;
  const texts = parts.map(({ text }, index) => withoutSpans(text, (ends[index] ?? 0) - text.length, split));
  return {
    parts: parts.map((part, index) => ({ ...part, text: texts[index] ?? '' })),
    hits: split.map(({ start, name, replacement }) => ({ index: partAt(start), name, replacement })),
  };
}

/** A text that stands at `offset` of the whole; a span that begins before it has its marker elsewhere. */
function withoutSpans(text: string, offset: number, spans: readonly Span[]): string {
  let clean = '';
  let done = 0;
  for (const { start, end, replacement } of spans) {
    const from = start - offset;
    const to = end - offset;
    if (to <= 0 || from >= text.length) continue;
    clean += text.slice(done, Math.max(done, from));
    if (from >= 0) clean += replacement;
    done = Math.min(text.length, to);
  }
  return clean + text.slice(done);
}

/** Where the replacements of a clean text stand in the original; undefined where that cannot be known. */
function spansOf(original: string, clean: string): Span[] | undefined {
  const spans: Span[] = [];
  let at = 0;
  let read = 0;
  for (const found of clean.matchAll(REPLACEMENT)) {
    const [replacement, name, size] = found;
    const kept = clean.slice(read, found.index);
    if (!original.startsWith(kept, at)) return undefined;
    at += kept.length;
    read = found.index + replacement.length;
    const isKept = original.startsWith(replacement, at);
    const behind = clean.slice(read, read + 1);
    const end = isKept
      ? at + replacement.length
      : size === undefined
        ? original.indexOf(behind, at)
        : endOfBytes(original, at, Number(size));
    if (end < at) return undefined;
    if (!isKept) spans.push({ start: at, end, name: name ?? 'url_parameter', replacement });
    at = end;
  }
  return original.slice(at) === clean.slice(read) ? spans : undefined;
}

function endOfBytes(text: string, from: number, bytes: number): number {
  let at = from;
  let left = bytes;
  while (left > 0 && at < text.length) {
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
    left -= Buffer.byteLength(char);
    at += char.length;
  }
  return left === 0 ? at : -1;
}
