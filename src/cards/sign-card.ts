import { canonicalJson } from '#json/canonical.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { A2aAgentCard, HarnAgentCard } from '#resources/discovery/schema.ts';
import { payloadForms } from './payload-forms.ts';

/** The key that signs now: Ed25519. */
export interface CardKey {
  /** RFC 7638 thumbprint, the `kid` in the key set of the gateway. */
  readonly keyId: string;
  sign(bytes: Uint8Array): Buffer;
}

/**
 * Adds detached signatures over each text that readers verify; they agree on most cards, then there is one. `keyUrl` is where
 * the public keys are. Spec: A2A 1.0, 8.4; RFC 7515, appendix F.
 */
export function signA2aCard<Card extends A2aAgentCard | JsonObject>(
  card: Card,
  key: CardKey,
  keyUrl: string,
): Card {
  const header = canonicalJson({ alg: 'EdDSA', jku: keyUrl, kid: key.keyId, typ: 'JOSE' });
  const head = Buffer.from(header).toString('base64url');
  const signatures = payloadForms(card as JsonObject).map(({ text }) => ({
    protected: head,
    signature: key
      .sign(Buffer.from(`${head}.${Buffer.from(text).toString('base64url')}`))
      .toString('base64url'),
  }));
  return { ...card, signatures };
}

/** Signs the RFC 8785 bytes of the envelope without `signature`. See README.md, Signatures. */
export function signHarnCard(card: HarnAgentCard, key: CardKey): HarnAgentCard {
  const value = key.sign(Buffer.from(harnPayload(card as JsonObject))).toString('base64');
  return { ...card, signature: { algorithm: 'ed25519', key_id: key.keyId, value: `base64:${value}` } };
}

/** The text that the signature of a HarnAgentCard is over. */
export function harnPayload(card: JsonObject): string {
  const { signature: _, ...signed } = card;
  return canonicalJson(signed);
}
