import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { Clock } from '../../protocol/ports.ts';
import { GATEWAY_SCOPES, SCOPES } from '../../protocol/scopes.ts';
import type { Caller } from '../caller.ts';
import { type IssuerKeys, KeysUnavailable } from './issuer-keys.ts';
import { readToken } from './read-token.ts';
import type { TokenIssuer } from './token-issuer.ts';

/** Clocks of issuers may differ by this much. */
const SKEW_SECONDS = 30;
const MAX_ACTOR_CHARS = 200;

export interface TrustedIssuer {
  row: TokenIssuer;
  keys: IssuerKeys;
}

export type TokenVerdict =
  | { kind: 'caller'; caller: Caller; expiresAtMs: number; issuer: TrustedIssuer; generation: number }
  | { kind: 'unauthenticated' }
  | { kind: 'unavailable' };

const UNAUTHENTICATED: TokenVerdict = { kind: 'unauthenticated' };

export interface TokenVerifierDeps {
  clock: Clock;
  issuers: ReadonlyMap<string, TrustedIssuer>;
  /** Tenants that exist; a token for another one is refused. */
  tenants: ReadonlySet<string>;
}

/** Judges one access token. Spec: RFC 9068, RFC 8725; reliability notes, section A. */
export async function verifyToken(token: string, deps: TokenVerifierDeps): Promise<TokenVerdict> {
  const unverified = readToken(token);
  const named = unverified?.claims['iss'];
  const issuer = typeof named === 'string' ? deps.issuers.get(named) : undefined;
  if (unverified === undefined || issuer === undefined) return UNAUTHENTICATED;
  let generation: number;
  try {
    generation = await verifySignature(token, issuer, deps.clock);
  } catch (error) {
    if (error instanceof KeysUnavailable) return { kind: 'unavailable' };
    // jose tells of unusable keys (RSA of 512 bits) by a TypeError.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return UNAUTHENTICATED;
    throw error;
  }
  const { claims } = unverified;
  const times = checkTimes(claims, issuer.row, deps.clock.now() / 1000);
  const caller = callerOf(claims, issuer.row, deps.tenants);
  if (times === undefined || caller === undefined) return UNAUTHENTICATED;
  return { kind: 'caller', caller, expiresAtMs: times.expiresAtMs, issuer, generation };
}

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

/** Expiry and `nbf` are judged with the signature; here the lifetime and the forms that jose lets pass. */
function checkTimes(
  { exp, iat, nbf }: JsonObject,
  { max_lifetime }: TokenIssuer,
  nowSeconds: number,
): { expiresAtMs: number } | undefined {
  if (!isTime(exp) || !isTime(iat) || (nbf !== undefined && !isTime(nbf))) return undefined;
  if (iat > nowSeconds + SKEW_SECONDS || exp - iat > max_lifetime || exp < iat) return undefined;
  return { expiresAtMs: (exp + SKEW_SECONDS) * 1000 };
}

function isTime(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function callerOf(claims: JsonObject, row: TokenIssuer, tenants: ReadonlySet<string>): Caller | undefined {
  const actor = claims[row.claims.actor];
  const tenant = row.claims.tenant === undefined ? row.tenant : claims[row.claims.tenant];
  if (typeof actor !== 'string' || actor === '' || actor.length > MAX_ACTOR_CHARS) return undefined;
  if (typeof tenant !== 'string' || !tenants.has(tenant)) return undefined;
  const { jti } = claims;
  return {
    actor,
    tenant,
    scopes: scopesOf(claims, row.scopes),
    workspaces:
      row.claims.workspaces === undefined ? row.workspaces : workspacesIn(claims[row.claims.workspaces]),
    credentialId: `oauth:${row.issuer}${typeof jti === 'string' ? `#${jti.slice(0, MAX_ACTOR_CHARS)}` : ''}`,
  };
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
