import { LRUCache } from 'lru-cache';
import { sha256Hex } from '../../json/sha256.ts';
import { bearerToken } from '../api-keys.ts';
import type { Authentication, Authenticator } from '../caller.ts';
import { looksLikeToken } from './read-token.ts';
import { type TokenVerdict, type TokenVerifierDeps, verifyToken } from './token-verifier.ts';

/** Verified tokens kept; more live tokens than this cost a verification each time they come. */
const VERIFIED_TOKENS = 10_000;
/** Refused tokens kept, so that a client in a loop costs no signature check per request. */
const REFUSED_TOKENS = 1_000;
/** A refusal may rest on keys that are about to rotate. */
const REFUSED_FOR_MS = 5_000;

interface Refusal {
  authentication: Authentication;
  untilMs: number;
}

/**
 * Authenticates OAuth2 access tokens. A verdict is kept by the hash of the whole token until the token expires or the keys
 * of its issuer change. Source: contract section 7, `auth.oauth`; quality page, point 7.
 */
export class TokenAuthenticator implements Authenticator {
  readonly #deps: TokenVerifierDeps;
  readonly #verified = new LRUCache<string, Extract<TokenVerdict, { kind: 'caller' }>>({
    max: VERIFIED_TOKENS,
  });
  readonly #refused = new LRUCache<string, Refusal>({ max: REFUSED_TOKENS });
  readonly #pending = new Map<string, Promise<void>>();

  constructor(deps: TokenVerifierDeps) {
    this.#deps = deps;
  }

  recognize(authorization: string | undefined): Promise<void> | undefined {
    const token = tokenOf(authorization);
    if (token === undefined) return undefined;
    const hash = sha256Hex(token);
    if (this.#known(hash) !== undefined) return undefined;
    const pending = this.#pending.get(hash) ?? this.#verify(token, hash);
    this.#pending.set(hash, pending);
    return pending;
  }

  authenticate(authorization: string | undefined): Authentication {
    const token = tokenOf(authorization);
    return (token === undefined ? undefined : this.#known(sha256Hex(token))) ?? UNAUTHENTICATED;
  }

  #known(hash: string): Authentication | undefined {
    const nowMs = this.#deps.clock.now();
    const verified = this.#verified.get(hash);
    if (verified !== undefined) {
      const { issuer, generation, expiresAtMs, caller } = verified;
      if (!issuer.keys.isServing()) return { kind: 'unavailable' };
      if (nowMs < expiresAtMs && issuer.keys.generation === generation) return { kind: 'caller', caller };
      this.#verified.delete(hash);
    }
    const refused = this.#refused.get(hash);
    return refused !== undefined && nowMs < refused.untilMs ? refused.authentication : undefined;
  }

  async #verify(token: string, hash: string): Promise<void> {
    try {
      const verdict = await verifyToken(token, this.#deps);
      if (verdict.kind === 'caller') this.#verified.set(hash, verdict);
      else
        this.#refused.set(hash, {
          authentication: verdict,
          untilMs: this.#deps.clock.now() + REFUSED_FOR_MS,
        });
    } finally {
      this.#pending.delete(hash);
    }
  }
}

const UNAUTHENTICATED: Authentication = { kind: 'unauthenticated' };

function tokenOf(authorization: string | undefined): string | undefined {
  const token = bearerToken(authorization);
  return token !== undefined && looksLikeToken(token) ? token : undefined;
}
