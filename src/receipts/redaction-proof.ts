import { createHmac } from 'node:crypto';
import { canonicalJson, inCanonicalOrder } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** Commits to what a place held before secrets were replaced in it. */
export type ProveRedaction = (place: string, original: JsonValue) => string;

/**
 * A commitment to a redacted original: `sha256:` and the hex HMAC-SHA-256, under a key of the data directory, of the RFC 8785
 * bytes of `{"original": ..., "place": ...}`. It proves to the operator, who holds that key, and to whom the operator lets
 * check a claim, that a claimed original is what stood there; half characters count as U+FFFD. To a reader of the receipt it
 * proves nothing: without the key a guessed secret cannot be tried, and because the place is unique and covered, sending a
 * guess to the gateway and comparing the proofs finds nothing either. The same original in the same place has the same proof.
 */
export function redactionProver(key: Buffer): ProveRedaction {
  return (place, original) => {
    const claim: JsonObject = inCanonicalOrder({ original, place });
    return `sha256:${createHmac('sha256', key).update(canonicalJson(claim)).digest('hex')}`;
  };
}
