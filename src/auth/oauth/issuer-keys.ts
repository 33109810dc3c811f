import { createLocalJWKSet, errors, type FlattenedJWSInput, type JSONWebKeySet, type JWK } from 'jose';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { Clock, Logger } from '#protocol/ports.ts';

/** After this time keys are read again, in the background. */
const REFRESH_AFTER_MS = 10 * 60_000;
/** How long known keys serve while their issuer cannot be reached. See src/auth/README.md. */
const MAX_STALE_MS = 60 * 60_000;
/** Least time between two requests to an issuer, however many unknown key ids arrive. */
const COOLDOWN_MS = 30_000;
/** Least time between two requests while there are no keys at all. */
const COLD_RETRY_MS = 2_000;

/** Where the keys of an issuer are. */
export interface IssuerPlace {
  issuer: string;
  /** Left out: its metadata document says. */
  jwks_uri?: string | undefined;
}

export interface IssuerReader {
  /** Reads a JSON document of at most 64 KiB in at most 5 s, without redirects; rejects otherwise. */
  fetchJson(url: URL): Promise<JsonValue>;
  /** The same for an address on another origin that the issuer's metadata names: it has to be public, or allowed. */
  fetchForeignJson(url: URL): Promise<JsonValue>;
}

export interface IssuerKeysDeps extends IssuerReader {
  clock: Clock;
  logger: Logger;
}

/** The issuer's keys are not known and cannot be read now: nobody can be judged. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

type KeyLookup = ReturnType<typeof createLocalJWKSet>;

/** The public keys of one issuer: read when first needed, kept, rotated, with a cool-down. */
export class IssuerKeys {
  readonly #row: IssuerPlace;
  readonly #deps: IssuerKeysDeps;
  #lookup: KeyLookup | undefined;
  #text = '';
  #readAtMs = Number.NEGATIVE_INFINITY;
  #triedAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  #generation = 0;

  constructor(row: IssuerPlace, deps: IssuerKeysDeps) {
    this.#row = row;
    this.#deps = deps;
  }

  /** Whether the keys were read once since the start. */
  get wasReached(): boolean {
    return this.#lookup !== undefined;
  }

  /** Reads the keys of an issuer that was never reached, in the background, so that its first token need not wait. */
  look(): void {
    if (!this.wasReached && this.#mayAsk(COOLDOWN_MS)) this.#refreshBehind();
  }

  /** Changes when the keys do: what was verified with an earlier set is verified again. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether tokens may be believed now; asks for newer keys in the background when these are old. */
  isServing(): boolean {
    const age = this.#deps.clock.monotonic() - this.#readAtMs;
    if (age > REFRESH_AFTER_MS && this.#mayAsk(COOLDOWN_MS)) this.#refreshBehind();
    return this.#lookup !== undefined && age <= MAX_STALE_MS;
  }

  /** The key that a token names. Throws KeysUnavailable, or an error of jose when there is no such key. */
  async keyFor(
    header: FlattenedJWSInput['header'],
    token: FlattenedJWSInput,
  ): Promise<Awaited<ReturnType<KeyLookup>>> {
    if (!this.isServing() && (this.#reading !== undefined || this.#mayAsk(COLD_RETRY_MS))) await this.#read();
    if (!this.isServing() || this.#lookup === undefined) throw new KeysUnavailable('no keys of the issuer');
    try {
      return await this.#lookup(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !this.#mayAsk(COOLDOWN_MS)) throw error;
      await this.#read();
      return this.#lookup(header, token);
    }
  }

  #mayAsk(pauseMs: number): boolean {
    return this.#deps.clock.monotonic() - this.#triedAtMs >= pauseMs;
  }

  #refreshBehind(): void {
    void this.#read();
  }

  /** One request at a time; a failed one leaves the known keys as they are. Never rejects. */
  #read(): Promise<void> {
    this.#reading ??= this.#fetch().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #fetch(): Promise<void> {
    const { clock, logger } = this.#deps;
    this.#triedAtMs = clock.monotonic();
    try {
      const keys = await readIssuerKeys(this.#row, this.#deps);
      const text = JSON.stringify(keys);
      if (!this.wasReached)
        logger.info(
          { issuer: this.#row.issuer, keys: keys.keys.length },
          'the keys of a token issuer were read',
        );
      this.#readAtMs = clock.monotonic();
      if (text === this.#text) return;
      this.#lookup = createLocalJWKSet(keys);
      this.#text = text;
      this.#generation += 1;
    } catch (error) {
      logger.warn({ issuer: this.#row.issuer, err: error }, 'the keys of a token issuer could not be read');
    }
  }
}

/** The keys that an issuer publishes now. Rejects, and says why, when it cannot be asked or what it says is not to be trusted. */
export async function readIssuerKeys(row: IssuerPlace, reader: IssuerReader): Promise<JSONWebKeySet> {
  if (row.jwks_uri !== undefined) return publicKeys(await reader.fetchJson(new URL(row.jwks_uri)));
  const url = await keysLocation(row, reader);
  const isOwn = url.origin === new URL(row.issuer).origin;
  return publicKeys(await (isOwn ? reader.fetchJson(url) : reader.fetchForeignJson(url)));
}

/** Spec: OpenID Connect Discovery 1.0, section 4; RFC 8414, section 3. */
async function keysLocation({ issuer }: IssuerPlace, { fetchJson }: IssuerReader): Promise<URL> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const metadata = await fetchJson(new URL(`${origin}${path}/.well-known/openid-configuration`)).catch(() =>
    fetchJson(new URL(`${origin}/.well-known/oauth-authorization-server${path}`)),
  );
  const { issuer: named, jwks_uri: location } = requiredObject(metadata);
  if (named !== issuer) throw new Error('the metadata document names another issuer');
  if (typeof location !== 'string' || !URL.canParse(location))
    throw new Error('the metadata document names no jwks_uri');
  const url = new URL(location);
  if (url.protocol !== 'https:' && url.origin !== origin)
    throw new Error('the jwks_uri is neither https nor of the issuer itself');
  return url;
}

/** Keys that can verify; a set that publishes a private or shared key is not to be trusted at all. */
function publicKeys(document: JsonValue): JSONWebKeySet {
  const { keys } = requiredObject(document);
  if (!Array.isArray(keys)) throw new Error('the key set has no list of keys');
  const usable = keys.map(requiredObject).filter(({ use }) => use === undefined || use === 'sig');
  if (usable.some((key) => key['d'] !== undefined || key['k'] !== undefined))
    throw new Error('the key set publishes a private key');
  if (usable.length === 0) throw new Error('the key set has no key for signatures');
  return { keys: usable as unknown as JWK[] };
}

function requiredObject(value: JsonValue | undefined): JsonObject {
  if (isObject(value)) return value;
  throw new Error('the document is no JSON object');
}
