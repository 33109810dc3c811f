import { createHash } from 'node:crypto';
import { calculateJwkThumbprint, compactVerify, EmbeddedJWK, errors, type JWK } from 'jose';
import { readJws } from '#auth/authorization.ts';
import { sha256Hex } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { Clock } from '#protocol/ports.ts';
import type { RefusalReason } from '#protocol/refusal-reasons.ts';
import type { SenderProof } from '#protocol/sender-proof.ts';
import type { ReplayMemory } from './replay-memory.ts';

/** Signature algorithms of proofs, all asymmetric; `dpop_signing_alg_values_supported` of the metadata. */
export const DPOP_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'PS256', 'RS256', 'EdDSA', 'Ed25519'] as const;

/** How old a proof may be: clients make one for each request. Spec: RFC 9449, section 11.1. */
const MAX_AGE_SECONDS = 60;
/** Clocks of clients may differ by this much. */
const SKEW_SECONDS = 30;
const MAX_JTI_CHARS = 256;
/** Members of a JWK that are private, or make it a shared secret. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const ALGORITHMS: readonly string[] = DPOP_ALGORITHMS;

export type ProofVerdict =
  | { kind: 'proven' }
  | { kind: 'refused'; reason: RefusalReason }
  /** The memory of used proofs is full: whether this one is new cannot be known now. */
  | { kind: 'unavailable' };

/** The token that a proof is to show the key of. */
export interface BoundToken {
  token: string;
  /** `cnf.jkt`: base64url SHA-256 thumbprint of the key (RFC 7638). */
  jkt: string;
}

/**
 * Judges one proof for one request, in the order of the checks of RFC 9449, section 4.3, but for the key, which comes before
 * the signature: nobody makes the gateway verify with a key that no token is bound to. A proof that passes is used up.
 */
export async function verifyProof(
  proof: SenderProof,
  { token, jkt }: BoundToken,
  { clock, replays }: { clock: Clock; replays: ReplayMemory },
): Promise<ProofVerdict> {
  if (proof.dpop === undefined) return refused('proof_missing');
  const read = readJws(proof.dpop);
  if (read === undefined) return refused('proof_malformed');
  const { header, claims } = read;
  if (header['typ'] !== 'dpop+jwt' || !isPublicKey(header['jwk'])) return refused('proof_malformed');
  if (typeof header['alg'] !== 'string' || !ALGORITHMS.includes(header['alg']))
    return refused('proof_algorithm');
  if ((await thumbprint(header['jwk'])) !== jkt) return refused('proof_key');
  if (!(await isSigned(proof.dpop))) return refused('proof_signature');
  const { jti, htm, htu, iat, ath } = claims;
  if (![jti, htm, htu, ath].every((claim) => typeof claim === 'string' && claim !== ''))
    return refused('proof_malformed');
  if (String(jti).length > MAX_JTI_CHARS || !Number.isSafeInteger(iat)) return refused('proof_malformed');
  if (htm !== proof.method) return refused('proof_method');
  if (!isTarget(String(htu), proof.urls)) return refused('proof_url');
  const age = clock.now() / 1000 - Number(iat);
  if (age > MAX_AGE_SECONDS + SKEW_SECONDS || age < -SKEW_SECONDS) return refused('proof_time');
  if (ath !== createHash('sha256').update(token).digest('base64url')) return refused('proof_token');
  const untilMs = (Number(iat) + MAX_AGE_SECONDS + SKEW_SECONDS) * 1000;
  const use = replays.use(sha256Hex(`${jkt} ${jti}`), untilMs);
  if (use === 'full') return { kind: 'unavailable' };
  return use === 'again' ? refused('proof_replayed') : { kind: 'proven' };
}

function refused(reason: RefusalReason): ProofVerdict {
  return { kind: 'refused', reason };
}

function isPublicKey(jwk: JsonValue | undefined): jwk is JsonObject {
  if (!isObject(jwk)) return false;
  return jwk['kty'] !== 'oct' && !PRIVATE_MEMBERS.some((member) => Object.hasOwn(jwk, member));
}

async function thumbprint(jwk: JsonObject): Promise<string | undefined> {
  try {
    return await calculateJwkThumbprint(jwk as JWK, 'sha256');
  } catch (error) {
    if (isKeyFault(error)) return undefined;
    throw error;
  }
}

async function isSigned(jws: string): Promise<boolean> {
  try {
    await compactVerify(jws, EmbeddedJWK, { algorithms: [...DPOP_ALGORITHMS] });
    return true;
  } catch (error) {
    if (isKeyFault(error)) return false;
    throw error;
  }
}

/** jose and WebCrypto report keys that cannot be used by errors of several classes. */
function isKeyFault(error: unknown): boolean {
  return error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException;
}

/** Query and fragment do not count; spellings of one URL are one. Spec: RFC 9449, section 4.3; RFC 3986, section 6.2. */
function isTarget(htu: string, urls: readonly string[]): boolean {
  const named = normalized(htu);
  return named !== undefined && urls.some((url) => normalized(url) === named);
}

/** Clients of WebSockets may name either scheme: `ws` or `http`. */
const HTTP_SCHEMES: Readonly<Record<string, string>> = {
  'http:': 'http:',
  'https:': 'https:',
  'ws:': 'http:',
  'wss:': 'https:',
};

function normalized(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, pathname, username, password } = new URL(text);
  const scheme = HTTP_SCHEMES[protocol];
  if (scheme === undefined || username !== '' || password !== '') return undefined;
  return `${scheme}//${host}${pathname.replace(/%[0-9a-f]{2}/gi, unescaped)}`;
}

/** An escape of a character that needs none is that character; all others have capital digits. */
function unescaped(coded: string): string {
  const character = String.fromCharCode(Number.parseInt(coded.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : coded.toUpperCase();
}
