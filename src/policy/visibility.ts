import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** Markers that stored bytes contain when something in them is not for everybody. */
const MARKERS = ['"visibility":"internal"', '"visibility":"receipt_only"'].map((marker) =>
  Buffer.from(marker),
);

/** True when bytes need `conceal` before a reader sees them; a plain byte search, so that the usual case costs little. */
export function mayHoldHidden(bytes: Buffer): boolean {
  return MARKERS.some((marker) => bytes.includes(marker));
}

/**
 * Replaces content the reader may not see by a descriptor: `receipt_only` always, `internal` without the scope
 * `internal:read`. The descriptor keeps type, visibility and, for `receipt_only`, the hash, so that it is plain that
 * content existed. Source: Agents Protocol v1, "Privacy and redaction".
 */
export function conceal<Value>(value: Value, seesInternal: boolean): Value {
  const json = value as JsonValue;
  return holdsHidden(json, seesInternal) ? (walk(json, seesInternal) as Value) : value;
}

/** Looks without copying: most answers hide nothing. */
function holdsHidden(value: JsonValue, seesInternal: boolean): boolean {
  const open: JsonValue[] = [value];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item !== 'object' || item === null) continue;
    if (!Array.isArray(item) && isHidden(item, seesInternal)) return true;
    for (const member of Object.values(item))
      if (typeof member === 'object' && member !== null) open.push(member);
  }
  return false;
}

function walk(value: JsonValue, seesInternal: boolean): JsonValue {
  if (Array.isArray(value)) return value.map((item) => walk(item, seesInternal));
  if (typeof value !== 'object' || value === null) return value;
  if (isHidden(value, seesInternal)) return descriptor(value);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member, seesInternal)]));
}

function isHidden(value: JsonObject, seesInternal: boolean): boolean {
  if (typeof value['type'] !== 'string') return false;
  return value['visibility'] === 'receipt_only' || (value['visibility'] === 'internal' && !seesInternal);
}

function descriptor(part: JsonObject): JsonObject {
  const hidden: JsonObject = {
    redacted: true,
    type: part['type'] ?? 'part',
    visibility: part['visibility'] ?? 'internal',
  };
  if (part['visibility'] === 'receipt_only') hidden['sha256'] = `sha256:${sha256Hex(canonicalJson(part))}`;
  return {
    type: 'json',
    visibility: part['visibility'] ?? 'internal',
    value: hidden,
  };
}
