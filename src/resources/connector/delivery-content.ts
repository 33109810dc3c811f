import { decodeUtf8 } from '#json/decode-utf8.ts';
import { parseStrict } from '#json/strict-parse.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { MessageInput } from '#resources/message/schema.ts';
import type { RawBody } from '#resources/operations.ts';
import type { ConnectorRow } from './schema.ts';

/** Longest id of a delivery, in characters. */
const MAX_KEY_CHARS = 255;

/** A delivery is JSON, or text of a declared text type; it becomes one part of a message. */
export function messageOfDelivery(
  { bytes, mimeType }: RawBody,
  metadata: MessageInput['metadata'],
): MessageInput {
  const part = /^text\//i.test(mimeType)
    ? { type: 'text' as const, text: textOf(bytes), visibility: 'public' as const }
    : { type: 'json' as const, value: parse(bytes), visibility: 'public' as const };
  return { role: 'user', parts: [part], metadata };
}

/** The provider's id of a delivery, from where the connector says it is; null when it says nothing. */
export function dedupeKeyOf({ dedupe }: ConnectorRow, { bytes, headers = {} }: RawBody): string | null {
  if (dedupe === undefined) return null;
  const [where, found] =
    'header' in dedupe
      ? [dedupe.header, headers[dedupe.header.toLowerCase()]]
      : [dedupe.path, memberAt(parse(bytes), dedupe.path)];
  const key = typeof found === 'number' ? String(found) : found;
  if (typeof key === 'string' && key !== '' && key.length <= MAX_KEY_CHARS) return key;
  const message = `A delivery to this connector has an id of at most ${MAX_KEY_CHARS} characters here.`;
  throw new ProtocolError('invalid_request', message, { param: where });
}

function memberAt(value: JsonValue, path: string): JsonValue | undefined {
  return path.split('.').reduce<JsonValue | undefined>(member, value);
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** What was signed is what is recorded: a wrong byte is refused, not replaced. */
function textOf(bytes: Buffer): string {
  const text = decodeUtf8(bytes);
  if (text === undefined)
    throw new ProtocolError('invalid_request', 'The text is not UTF-8. Send it as UTF-8, or as JSON.');
  return text;
}

function parse(bytes: Buffer): JsonValue {
  return parseStrict(bytes, { maxBytes: bytes.length });
}
