import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts';
import { type CardVerdict, cardVerdict } from '../../../src/protocol/resources/agent.ts';
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
  text: string;
  signature: CardVerdict;
}

const RECORD_VERSION = 1;

export function writeKept(card: KeptCard): string {
  return JSON.stringify({ version: RECORD_VERSION, ...card });
}

/** The card of a record, or undefined when it is not one of this version. */
export function readKept(record: string, parseJson: BridgeDeps['parseJson']): KeptCard | undefined {
  const value = parsed(record, parseJson);
  if (value === undefined || value['version'] !== RECORD_VERSION) return undefined;
  const { configured, url, etag, fetchedAt, text } = value;
  const signature = cardVerdict.safeParse(value['signature']);
  const texts = [configured, url, fetchedAt, text];
  if (!signature.success || !texts.every((member) => typeof member === 'string')) return undefined;
  return {
    configured: String(configured),
    url: String(url),
    etag: typeof etag === 'string' ? etag : undefined,
    fetchedAt: String(fetchedAt),
    text: String(text),
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
