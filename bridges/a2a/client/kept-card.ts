import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { type CardVerdict, cardVerdict } from '#resources/agent/schema.ts';
import type { BridgeDeps } from '../../bridge.ts';

/** A card as it was read from its agent, kept for the time when the agent does not answer. */
export interface KeptCard {
  /** The configured URL; a card of another one is not used. */
  configured: string;
  /** Where it was found. */
  url: string;
  etag: string | undefined;
  /** RFC 3339. */
  fetchedAt: string;
  /** As it came, or without the secrets that it repeated. */
  text: string;
  /** Lower-case hex, over the bytes as they came. */
  sha256: string;
  /** Secrets were taken out, so that neither its ETag nor its signature is that of the text. */
  redacted: boolean;
  signature: CardVerdict;
}

const RECORD_VERSION = 1;

/** Lower-case hex. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function writeKept(card: KeptCard): string {
  return JSON.stringify({ version: RECORD_VERSION, ...card });
}

/** The card of a record, or undefined when it is not one of this version. */
export function readKept(record: string, parseJson: BridgeDeps['parseJson']): KeptCard | undefined {
  const value = parsed(record, parseJson);
  if (value === undefined || value['version'] !== RECORD_VERSION) return undefined;
  const { configured, url, etag, fetchedAt, text, sha256 } = value;
  const signature = cardVerdict.safeParse(value['signature']);
  const texts = [configured, url, fetchedAt, text];
  if (!signature.success || !texts.every((member) => typeof member === 'string')) return undefined;
  return {
    configured: String(configured),
    url: String(url),
    etag: typeof etag === 'string' ? etag : undefined,
    fetchedAt: String(fetchedAt),
    text: String(text),
    // Records of earlier versions hold the text as it came.
    sha256: typeof sha256 === 'string' ? sha256 : hashOf(String(text)),
    redacted: value['redacted'] === true,
    signature: signature.data,
  };
}

function parsed(record: string, parseJson: BridgeDeps['parseJson']): JsonObject | undefined {
  let value: JsonValue;
  try {
    value = parseJson(record);
  } catch {
    return undefined;
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
