import type { JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { Clock } from '#protocol/ports.ts';

/** A token is renewed so long before it expires, that none expires on its way. */
const MARGIN_MS = 30_000;
/** How long a token is kept whose issuer does not say when it expires. */
const DEFAULT_LIFETIME_MS = 60_000;
const MAX_TOKEN_CHARS = 16_384;

/** A client of an authorization server, as the operator configured it. */
export interface OauthClient {
  tokenUrl: string;
  clientId: string;
  scope?: string | undefined;
  audience?: string | undefined;
}

export interface ClientCredentialsDeps {
  clock: Clock;
  /** Posts a form to an address of the operator and reads a small JSON answer; rejects when there is none. */
  postForm(url: URL, form: URLSearchParams, headers: Record<string, string>): Promise<JsonValue>;
  /** Called with every token before it is used. */
  hide(token: string): void;
}

interface Kept {
  secret: string;
  token: string;
  /** Monotonic. */
  freshUntilMs: number;
}

/**
 * Access tokens that the gateway itself calls with: asked for when first needed, kept until shortly before they expire, and asked
 * for once however many calls wait. Source: RFC 6749, section 4.4; Agents Protocol v1, "OAuth2 client credentials".
 */
export class ClientCredentials {
  readonly #deps: ClientCredentialsDeps;
  readonly #kept = new Map<string, Kept>();
  readonly #asking = new Map<string, Promise<string>>();

  constructor(deps: ClientCredentialsDeps) {
    this.#deps = deps;
  }

  /** A token that is good now; another secret than the one before asks anew. Rejects, without the secret, when there is none. */
  async token(client: OauthClient, secret: string): Promise<string> {
    const name = JSON.stringify([client.tokenUrl, client.clientId, client.scope, client.audience]);
    const kept = this.#kept.get(name);
    if (kept?.secret === secret && this.#deps.clock.monotonic() < kept.freshUntilMs) return kept.token;
    const asked = this.#asking.get(name);
    if (asked !== undefined) return asked;
    const asking = this.#ask(name, client, secret).finally(() => this.#asking.delete(name));
    this.#asking.set(name, asking);
    return asking;
  }

  async #ask(name: string, client: OauthClient, secret: string): Promise<string> {
    const { clock, postForm, hide } = this.#deps;
    const askedAtMs = clock.monotonic();
    const answer = await postForm(new URL(client.tokenUrl), formOf(client), {
      authorization: basic(client.clientId, secret),
    });
    const { token, lifetimeMs } = readAnswer(answer);
    hide(token);
    const freshForMs = Math.max(lifetimeMs - MARGIN_MS, lifetimeMs / 2);
    this.#kept.set(name, { secret, token, freshUntilMs: askedAtMs + freshForMs });
    return token;
  }
}

function formOf({ scope, audience }: OauthClient): URLSearchParams {
  return new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
  });
}

/** Both halves are form-encoded first. Source: RFC 6749, section 2.3.1. */
function basic(clientId: string, secret: string): string {
  const encoded = [clientId, secret].map((text) => new URLSearchParams({ '': text }).toString().slice(1));
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`;
}

function readAnswer(answer: JsonValue): { token: string; lifetimeMs: number } {
  const { access_token: token, token_type: type, expires_in: seconds } = objectOf(answer);
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token) || token.length > MAX_TOKEN_CHARS)
    throw new Error('the token endpoint gave no access_token');
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer')
    throw new Error('the token endpoint gave a token that is no bearer token');
  const isStated = typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0;
  return { token, lifetimeMs: isStated ? seconds * 1000 : DEFAULT_LIFETIME_MS };
}
