import { type FindKeys, keysOfSet, type TrustedKeys } from '#cards/trusted-keys.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { BridgeDeps } from '../../bridge.ts';
import type { HttpClient } from '../../wire/http-client.ts';
import { FIXED_LIMITS } from './config.ts';
import { readText } from './event-stream.ts';
import { isSameOrigin } from './interfaces.ts';

export interface CardKeysOptions {
  /** Keys of the configuration; the only ones that count where there are some. */
  pinned: readonly JsonObject[] | undefined;
  /** Where the card was read. */
  cardUrl: URL;
  http: HttpClient;
  parseJson: BridgeDeps['parseJson'];
  signal: AbortSignal;
}

/**
 * The keys that may have signed a card: the pinned ones; else those that the origin of the card publishes under the `jku` of
 * the signature, over TLS (or on loopback), without redirects and without a credential. Without either there are none.
 */
export function cardKeys(options: CardKeysOptions): FindKeys {
  const { pinned, cardUrl } = options;
  const read = new Map<string, Promise<TrustedKeys>>();
  return async (keyUrl) => {
    if (pinned !== undefined) return { from: 'pinned', keys: pinned };
    if (keyUrl === undefined) return { from: 'origin', keys: [] };
    const url = ownKeyUrl(keyUrl, cardUrl);
    if (url === undefined) return { refused: 'key_url_refused' };
    const asked = read.get(url.href) ?? readKeys(url, options);
    read.set(url.href, asked);
    return asked;
  };
}

function ownKeyUrl(text: string, cardUrl: URL): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPrivate = url.protocol === 'https:' || isLoopback(url);
  return isPrivate && isSameOrigin(url, cardUrl) && url.username === '' && url.password === ''
    ? url
    : undefined;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

async function readKeys(url: URL, { http, parseJson, signal }: CardKeysOptions): Promise<TrustedKeys> {
  try {
    const headers = { accept: 'application/json', 'accept-encoding': 'identity' };
    const reply = await http.request({ method: 'GET', url, lane: 'control', signal, headers });
    try {
      if (reply.status !== 200) return { refused: 'keys_unavailable' };
      const keys = keysOfSet(parseJson(await readText(reply.body, FIXED_LIMITS.maxKeySetBytes)));
      return keys === undefined ? { refused: 'keys_unavailable' } : { from: 'origin', keys };
    } finally {
      reply.release('done');
    }
  } catch {
    // Whatever kept the keys away, the card proves nothing without them.
    return { refused: 'keys_unavailable' };
  }
}
