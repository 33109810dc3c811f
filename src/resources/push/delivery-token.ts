import { canonicalJson } from '#json/canonical.ts';
import { sha256Hex } from '#json/sha256.ts';
import type { JsonObject } from '#protocol/json.ts';

/** Who signs deliveries. */
export interface DeliverySigner {
  /** Name of this gateway, the `iss` of its tokens. */
  issuer: string;
  /** The Ed25519 key of now; its public half is in the key set of the gateway. */
  key(): { readonly keyId: string; sign(bytes: Uint8Array): Uint8Array };
}

/** Long enough for clocks that differ, short enough that a stolen token is of little use. */
const LIFETIME_S = 300;

/**
 * A JWT over one attempt to deliver a body: `aud` is the origin of the receiver, `sub` the Task, `jti` the delivery and its
 * attempt, `request_body_sha256` the lower-case hex over the body as posted. Receivers verify it with the key set of the gateway.
 * Spec: RFC 7519; A2A 0.3, "Asymmetric key signature (JWT + JWKS)".
 */
export function deliveryToken(
  { issuer, key }: DeliverySigner,
  { url, taskId, deliveryId, body, nowMs }: SignedDelivery,
): string {
  const signer = key();
  const iat = Math.floor(nowMs / 1000);
  const claims: JsonObject = {
    iss: issuer,
    aud: new URL(url).origin,
    sub: taskId,
    iat,
    exp: iat + LIFETIME_S,
    jti: `${deliveryId}.${nowMs}`,
    request_body_sha256: sha256Hex(body),
  };
  const signed = `${encoded({ alg: 'EdDSA', kid: signer.keyId, typ: 'JWT' })}.${encoded(claims)}`;
  return `${signed}.${Buffer.from(signer.sign(Buffer.from(signed))).toString('base64url')}`;
}

export interface SignedDelivery {
  url: string;
  taskId: string;
  deliveryId: string;
  body: string;
  /** Time of the attempt, epoch milliseconds. */
  nowMs: number;
}

function encoded(value: JsonObject): string {
  return Buffer.from(canonicalJson(value)).toString('base64url');
}
