import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { readToken, type UnverifiedToken } from '#auth/authorization.ts';
import { shownName } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { Clock } from '#protocol/ports.ts';
import type { RefusalReason } from '#protocol/refusal-reasons.ts';
import { GATEWAY_SCOPES, SCOPES } from '#protocol/scopes.ts';
import type { Caller } from '../caller.ts';
import { type IssuerKeys, KeysUnavailable } from './issuer-keys.ts';

/** Clocks of issuers may differ by this much. */
const SKEW_SECONDS = 30;
const MAX_ACTOR_CHARS = 200;

export interface TrustedIssuer {
  row: TokenIssuer;
  keys: IssuerKeys;
}

export type TokenVerdict =
  | {
      kind: 'caller';
      caller: Caller;
      expiresAtMs: number;
      issuer: TrustedIssuer;
      generation: number;
      binding: TokenBinding;
    }
  | { kind: 'unauthenticated'; reason: RefusalReason; detail: JsonObject }
  | { kind: 'unavailable'; issuer: string };

/** What the sender of a token has to show besides it: nothing for a bearer token. */
interface TokenBinding {
  /** Thumbprint of the key of its DPoP proofs. Spec: RFC 9449, section 6.1. */
  jkt?: string;
  /** base64url SHA-256 of its client certificate. Spec: RFC 8705, section 3.1. */
  certificateSha256?: string;
}

export interface TokenVerifierDeps {
  clock: Clock;
  issuers: ReadonlyMap<string, TrustedIssuer>;
  /** Tenants that exist; a token for another one is refused. */
  tenants: ReadonlySet<string>;
}

/** Judges one access token, but not who sends it. Spec: RFC 9068, section 4; RFC 8725, section 3. */
export async function verifyToken(token: string, deps: TokenVerifierDeps): Promise<TokenVerdict> {
  const unverified = readToken(token);
  if (unverified === undefined) return refused('malformed_token');
  const { claims } = unverified;
  const { iss } = claims;
  const issuer = typeof iss === 'string' ? deps.issuers.get(iss) : undefined;
  if (issuer === undefined) return refused('untrusted_issuer', { issuer: shown(iss) });
  const named = { issuer: issuer.row.issuer };
  let generation: number;
  try {
    generation = await verifySignature(token, issuer, deps.clock);
  } catch (error) {
    if (error instanceof KeysUnavailable) return { kind: 'unavailable', ...named };
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return refused(reason, { ...named, ...detailsOf(reason, unverified, issuer.row) });
  }
  const times = checkTimes(claims, issuer.row, deps.clock.now() / 1000);
  if ('reason' in times) return refused(times.reason, named);
  const caller = callerOf(claims, issuer.row, deps.tenants);
  if ('reason' in caller) return refused(caller.reason, named);
  const binding = bindingOf(claims['cnf']);
  if (binding === undefined) return refused('unknown_binding', named);
  const { expiresAtMs } = times;
  return { kind: 'caller', caller: caller.caller, expiresAtMs, issuer, generation, binding };
}

function refused(reason: RefusalReason, detail: JsonObject = {}): TokenVerdict {
  return { kind: 'unauthenticated', reason, detail };
}

/** Undefined for an error that is none of the token's. */
function reasonOf(error: unknown): RefusalReason | undefined {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) return CLAIM_REASONS[error.claim] ?? 'missing_claim';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'bad_signature';
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return 'wrong_algorithm';
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'unknown_key';
  if (error instanceof errors.JOSEError) return 'malformed_token';
  // jose reports unusable keys (RSA of 512 bits) by a TypeError.
  return error instanceof TypeError ? 'unknown_key' : undefined;
}

const CLAIM_REASONS: Readonly<Record<string, RefusalReason>> = {
  aud: 'wrong_audience',
  typ: 'wrong_type',
  nbf: 'not_yet_valid',
  exp: 'bad_lifetime',
  iat: 'bad_lifetime',
};

/** What helps the operator to find the fault, for the log. */
function detailsOf(reason: RefusalReason, { header, claims }: UnverifiedToken, row: TokenIssuer): JsonObject {
  switch (reason) {
    case 'unknown_key':
      return { kid: shown(header['kid']) };
    case 'wrong_algorithm':
      return { alg: shown(header['alg']), accepted: [...row.algorithms] };
    case 'wrong_type':
      return { typ: shown(header['typ']), expected: row.typ };
    case 'wrong_audience':
      return { audience: shown(claims['aud']), expected: [...row.audience] };
    default:
      return {};
  }
}

/** A value of a caller's own, as the log shows it. */
function shown(value: JsonValue | undefined): string | null {
  return value === undefined ? null : shownName(typeof value === 'string' ? value : JSON.stringify(value));
}

/** A binding that is not understood is one that cannot be held: such a token lets nobody in. Spec: RFC 7800, section 3.1. */
function bindingOf(cnf: JsonValue | undefined): TokenBinding | undefined {
  if (cnf === undefined) return {};
  if (!isObject(cnf)) return undefined;
  const { jkt, 'x5t#S256': certificate, ...others } = cnf;
  if (Object.keys(others).length > 0 || (jkt === undefined && certificate === undefined)) return undefined;
  for (const thumbprint of [jkt, certificate])
    if (thumbprint !== undefined && !(typeof thumbprint === 'string' && SHA256_BASE64URL.test(thumbprint)))
      return undefined;
  return {
    ...(typeof jkt === 'string' ? { jkt } : {}),
    ...(typeof certificate === 'string' ? { certificateSha256: certificate } : {}),
  };
}

const SHA256_BASE64URL = /^[\w-]{43}$/;

/** The generation of the keys that verified the token. */
async function verifySignature(token: string, { row, keys }: TrustedIssuer, clock: Clock): Promise<number> {
  let { generation } = keys;
  const keyFor: JWTVerifyGetKey = async (header, jws) => {
    const key = await keys.keyFor(header, jws);
    ({ generation } = keys);
    return key;
  };
  await jwtVerify(token, keyFor, {
    issuer: row.issuer,
    audience: [...row.audience],
    algorithms: [...row.algorithms],
    typ: row.typ,
    clockTolerance: SKEW_SECONDS,
    currentDate: new Date(clock.now()),
    requiredClaims: ['iss', 'aud', 'exp', 'iat', row.claims.actor],
  });
  return generation;
}

interface Refused {
  reason: RefusalReason;
}

/** Expiry and `nbf` are judged with the signature; here the lifetime and the forms that jose lets pass. */
function checkTimes(
  { exp, iat, nbf }: JsonObject,
  { max_lifetime }: TokenIssuer,
  nowSeconds: number,
): { expiresAtMs: number } | Refused {
  if (!isTime(exp) || !isTime(iat) || (nbf !== undefined && !isTime(nbf))) return { reason: 'bad_lifetime' };
  if (iat > nowSeconds + SKEW_SECONDS) return { reason: 'not_yet_valid' };
  if (exp - iat > max_lifetime || exp < iat) return { reason: 'bad_lifetime' };
  return { expiresAtMs: (exp + SKEW_SECONDS) * 1000 };
}

function isTime(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function callerOf(
  claims: JsonObject,
  row: TokenIssuer,
  tenants: ReadonlySet<string>,
): { caller: Caller } | Refused {
  const actor = claims[row.claims.actor];
  const tenant = row.claims.tenant === undefined ? row.tenant : claims[row.claims.tenant];
  if (typeof actor !== 'string' || actor === '' || actor.length > MAX_ACTOR_CHARS)
    return { reason: 'missing_claim' };
  if (typeof tenant !== 'string' || !tenants.has(tenant)) return { reason: 'unknown_tenant' };
  const { jti } = claims;
  const caller: Caller = {
    actor,
    tenant,
    scopes: scopesOf(claims, row.scopes),
    workspaces:
      row.claims.workspaces === undefined ? row.workspaces : workspacesIn(claims[row.claims.workspaces]),
    credentialId: `oauth:${row.issuer}${typeof jti === 'string' ? `#${jti.slice(0, MAX_ACTOR_CHARS)}` : ''}`,
  };
  return { caller };
}

const KNOWN_SCOPES: ReadonlySet<string> = new Set(SCOPES);

/**
 * The scopes of `scope` (text) or `scp` (text or list) that are scopes of ours and within what the issuer may grant. Those
 * of the gateway itself are granted where both name them: `*` stands for none of them, on either side.
 */
function scopesOf({ scope, scp }: JsonObject, cap: readonly string[]): ReadonlySet<string> {
  const asked = [...namesIn(scope), ...namesIn(scp)].filter((name) => KNOWN_SCOPES.has(name));
  const covered = (name: string) =>
    cap.includes(name) || (cap.includes('*') && !GATEWAY_SCOPES.includes(name));
  if (!asked.includes('*') || cap.includes('*')) return new Set(asked.filter(covered));
  return new Set([
    ...cap.filter((name) => !GATEWAY_SCOPES.includes(name)),
    ...asked.filter((name) => name !== '*' && covered(name)),
  ]);
}

/** `*` is left out: no token makes its bearer a member of every workspace. */
function workspacesIn(claim: JsonValue | undefined): string[] {
  return namesIn(claim).filter((name) => name !== '*');
}

/** Names in a claim: a list of texts, or one text separated by spaces. */
function namesIn(claim: JsonValue | undefined): string[] {
  const names = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return names.filter((name): name is string => typeof name === 'string' && name !== '');
}

/** One issuer of access tokens that the gateway trusts, as configured. */
interface TokenIssuer {
  /** Exact value of the claim `iss`. */
  issuer: string;
  /** A token must be meant for one of these (claim `aud`). */
  audience: readonly string[];
  /** Where the issuer publishes its keys; left out, its metadata document says. */
  jwks_uri?: string | undefined;
  /** Signature algorithms that are accepted, all asymmetric. */
  algorithms: readonly string[];
  /** Media type a token must declare in its header. */
  typ: string;
  /** Longest time from `iat` to `exp`, in seconds. */
  max_lifetime: number;
  /** Names of the claims that say who calls. Without a name the fixed value below holds. */
  claims: { actor: string; tenant?: string | undefined; workspaces?: string | undefined };
  tenant: string;
  workspaces: readonly string[];
  /** The most that a token of this issuer may be granted. */
  scopes: readonly string[];
}
