import { LRUCache } from 'lru-cache';
import { looksLikeToken } from '#auth/authorization.ts';
import { sha256Hex } from '#json/canonical.ts';
import type { Logger } from '#protocol/ports.ts';
import type { RefusalReason } from '#protocol/refusal-reasons.ts';
import type { SenderProof } from '#protocol/sender-proof.ts';
import { type SentCredential, sentCredential } from '../authorization.ts';
import type { Authentication, Authenticator, Credential, Standing } from '../caller.ts';
import { type ProofVerdict, verifyProof } from './dpop-proof.ts';
import { ReplayMemory } from './replay-memory.ts';
import { type TokenVerdict, type TokenVerifierDeps, verifyToken } from './token-verifier.ts';

/** Verified tokens kept; more live tokens than this cost a verification each time they come. */
const VERIFIED_TOKENS = 10_000;
/** Refused tokens kept, so that a client in a loop costs no signature check per request. */
const REFUSED_TOKENS = 1_000;
/** A refusal may rest on keys that are about to rotate. */
const REFUSED_FOR_MS = 5_000;

/** How a cache is used: what it holds, and how many look-ups since the start found something. */
export interface CacheUse {
  kept: number;
  hits: number;
  misses: number;
}

export interface TokenAuthenticatorDeps extends TokenVerifierDeps {
  logger: Pick<Logger, 'info'>;
}

type Verified = Extract<TokenVerdict, { kind: 'caller' }>;

/** What was decided about a token: who it lets in, if its sender may use it, or that it lets nobody in. */
type Known =
  | { kind: 'verified'; verified: Verified }
  | { kind: 'refused'; reason: RefusalReason }
  | { kind: 'unavailable' };

interface Refusal {
  known: Known;
  untilMs: number;
}

/** A credential in the form of an access token, valid or not. */
interface SentToken extends SentCredential {
  hash: string;
}

/** The proof of one request, judged for one token. */
interface Judged {
  hash: string;
  verdict: Promise<void> | ProofVerdict;
}

/**
 * Authenticates OAuth2 access tokens. A verdict is kept by the hash of the whole token until the token expires or the keys
 * of its issuer change; whether the sender may use it, when it is bound to a key or a certificate, is judged for each request.
 * Spec: RFC 9068, RFC 9449, RFC 8705; see src/auth/README.md.
 */
export class TokenAuthenticator implements Authenticator {
  readonly #deps: TokenAuthenticatorDeps;
  readonly #verified = new LRUCache<string, Verified>({ max: VERIFIED_TOKENS });
  readonly #refused = new LRUCache<string, Refusal>({ max: REFUSED_TOKENS });
  readonly #pending = new Map<string, Promise<void>>();
  readonly #proofs = new WeakMap<SenderProof, Judged>();
  readonly #replays: ReplayMemory;
  #hits = 0;
  #misses = 0;

  constructor(deps: TokenAuthenticatorDeps) {
    this.#deps = deps;
    this.#replays = new ReplayMemory(deps.clock);
  }

  /** Issuers or tenants have changed: every token is judged anew, those of open connections too. */
  reconsider(): void {
    this.#verified.clear();
    this.#refused.clear();
  }

  use(): CacheUse {
    return { kept: this.#verified.size + this.#refused.size, hits: this.#hits, misses: this.#misses };
  }

  recognize({ authorization, proof }: Credential): Promise<void> | undefined {
    const sent = tokenOf(authorization);
    if (sent === undefined) return undefined;
    if (this.#known(sent.hash) !== undefined) {
      this.#hits += 1;
      return this.#judge(sent, proof);
    }
    this.#misses += 1;
    const pending = this.#verifyOnce(sent);
    return proof === undefined ? pending : pending.then(() => this.#judge(sent, proof));
  }

  authenticate({ authorization, proof }: Credential): Authentication {
    const sent = tokenOf(authorization);
    if (sent === undefined) return { kind: 'unauthenticated', ...unknown(authorization) };
    const { scheme, hash } = sent;
    const known = this.#known(hash);
    if (known?.kind === 'unavailable') return known;
    if (known?.kind !== 'verified')
      return { kind: 'unauthenticated', ...(known && { refusal: { scheme, reason: known.reason } }) };
    const { caller } = known.verified;
    const found = this.#ofSender(sent, known.verified, proof);
    if (found === undefined)
      return { kind: 'caller', caller, standing: this.#standing(sent, known.verified) };
    if (found === 'unavailable') return { kind: 'unavailable' };
    return { kind: 'unauthenticated', refusal: { scheme, reason: found } };
  }

  /** A token that was verified ends with its time, or when the new keys of its issuer refuse it. */
  #standing(sent: SentToken, { expiresAtMs }: Verified): Standing {
    const now = () => {
      if (this.#deps.clock.now() >= expiresAtMs) return 'ended';
      const known = this.#known(sent.hash);
      if (known === undefined) return 'unsettled';
      if (known.kind === 'unavailable') return 'unavailable';
      return known.kind === 'verified' ? 'live' : 'ended';
    };
    return { now, settle: () => (now() === 'unsettled' ? this.#verifyOnce(sent) : undefined) };
  }

  /** Why this sender may not use the token; undefined when it may. */
  #ofSender(
    { scheme, hash }: SentToken,
    { binding }: Verified,
    proof: SenderProof | undefined,
  ): RefusalReason | 'unavailable' | undefined {
    const { certificateSha256: certificate, jkt } = binding;
    if (certificate !== undefined && proof?.certificateSha256 !== certificate) return 'needs_certificate';
    if (jkt === undefined) return scheme === 'DPoP' ? 'not_bound' : undefined;
    if (scheme !== 'DPoP') return 'needs_dpop';
    const judged = proof && this.#proofs.get(proof);
    if (judged?.hash !== hash || 'then' in judged.verdict) return 'proof_missing';
    if (judged.verdict.kind === 'refused') return judged.verdict.reason;
    return judged.verdict.kind === 'unavailable' ? 'unavailable' : undefined;
  }

  /** Judges the proof of a request once, however often `authenticate` is called for it. */
  #judge(sent: SentToken, proof: SenderProof | undefined): Promise<void> | undefined {
    const known = this.#known(sent.hash);
    if (proof === undefined || sent.scheme !== 'DPoP' || known?.kind !== 'verified') return undefined;
    const { jkt } = known.verified.binding;
    const judged = this.#proofs.get(proof);
    if (jkt === undefined) return undefined;
    if (judged?.hash === sent.hash) return 'then' in judged.verdict ? judged.verdict : undefined;
    const bound = { token: sent.token, jkt };
    const verdict = verifyProof(proof, bound, { clock: this.#deps.clock, replays: this.#replays }).then(
      (decided) => void this.#proofs.set(proof, { hash: sent.hash, verdict: decided }),
    );
    this.#proofs.set(proof, { hash: sent.hash, verdict });
    return verdict;
  }

  #known(hash: string): Known | undefined {
    const nowMs = this.#deps.clock.now();
    const verified = this.#verified.get(hash);
    if (verified !== undefined) {
      const { issuer, generation, expiresAtMs } = verified;
      if (!issuer.keys.isServing()) return { kind: 'unavailable' };
      if (nowMs < expiresAtMs && issuer.keys.generation === generation) return { kind: 'verified', verified };
      this.#verified.delete(hash);
    }
    const refused = this.#refused.get(hash);
    return refused !== undefined && nowMs < refused.untilMs ? refused.known : undefined;
  }

  /** Requests that bring the same token at once wait for one verification. */
  #verifyOnce(sent: SentToken): Promise<void> {
    const pending = this.#pending.get(sent.hash) ?? this.#verify(sent);
    this.#pending.set(sent.hash, pending);
    return pending;
  }

  async #verify({ token, hash }: SentToken): Promise<void> {
    try {
      const verdict = await verifyToken(token, this.#deps);
      if (verdict.kind === 'caller') {
        this.#verified.set(hash, verdict);
        return;
      }
      this.#log(verdict);
      const known: Known =
        verdict.kind === 'unavailable' ? verdict : { kind: 'refused', reason: verdict.reason };
      this.#refused.set(hash, { known, untilMs: this.#deps.clock.now() + REFUSED_FOR_MS });
    } finally {
      this.#pending.delete(hash);
    }
  }

  /** Once for each token while its refusal is kept: the line of each request says the reason alone. */
  #log(verdict: Exclude<TokenVerdict, Verified>): void {
    const fields =
      verdict.kind === 'unavailable'
        ? { reason: 'issuer_unreachable', issuer: verdict.issuer }
        : { reason: verdict.reason, ...verdict.detail };
    this.#deps.logger.info(fields, 'an access token was refused');
  }
}

function tokenOf(authorization: string | undefined): SentToken | undefined {
  const sent = sentCredential(authorization);
  if (sent === undefined || !looksLikeToken(sent.token)) return undefined;
  return { ...sent, hash: sha256Hex(sent.token) };
}

/** Anything else may be an unknown API key. A scheme that is not supported here does not count as an attempt. */
function unknown(
  authorization: string | undefined = '',
): Pick<Extract<Authentication, { kind: 'unauthenticated' }>, 'refusal'> {
  const sent = sentCredential(authorization);
  if (sent !== undefined) return { refusal: { scheme: sent.scheme, reason: 'unknown_credential' } };
  const isTry = /^(?:bearer|dpop)\b/i.test(authorization);
  const scheme = /^dpop/i.test(authorization) ? 'DPoP' : 'Bearer';
  return isTry ? { refusal: { scheme, reason: 'malformed_token' } } : {};
}
