import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';

/** What the issuer serves at its key set; tests change it to rotate, break or delay. */
export interface IssuerState {
  jwks: unknown;
  status: number;
  /** Raw body instead of the key set. */
  body?: string;
  hangs: boolean;
  /** What the metadata document says where the keys are; default: here. */
  jwksUri?: string;
  /** What its answers say that the time is; default: the time. */
  date?: string;
}

export interface SigningPair {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  jwk: JWK;
}

/** A local issuer of access tokens whose every answer a test decides. */
export class TokenIssuerPeer {
  readonly #server: Server;
  readonly state: IssuerState = { jwks: { keys: [] }, status: 200, hangs: false };
  /** Paths asked for, in order. */
  readonly asked: string[] = [];
  url = '';

  constructor() {
    this.#server = createServer((req, res) => {
      this.asked.push(req.url ?? '');
      if (this.state.hangs) return;
      const isMetadata = req.url === '/.well-known/openid-configuration';
      const document = isMetadata
        ? { issuer: this.url, jwks_uri: this.state.jwksUri ?? `${this.url}/keys` }
        : this.state.jwks;
      res.writeHead(this.state.status, {
        'content-type': 'application/json',
        location: 'http://127.0.0.1:1/',
        ...(this.state.date === undefined ? {} : { date: this.state.date }),
      });
      res.end(isMetadata ? JSON.stringify(document) : (this.state.body ?? JSON.stringify(document)));
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  /** How often the key set itself was read. */
  get reads(): number {
    return this.asked.filter((path) => path === '/keys').length;
  }

  publish(...pairs: SigningPair[]): void {
    this.state.jwks = { keys: pairs.map(({ jwk }) => jwk) };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}

export async function signingPair(kid: string, alg = 'ES256'): Promise<SigningPair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** A token with these claims; header members are merged over a correct header. */
export function signToken(
  pair: SigningPair,
  claims: Record<string, unknown>,
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> {
  const members = Object.entries({ alg: pair.alg, kid: pair.kid, typ: 'at+jwt', ...header });
  const kept = Object.fromEntries(members.filter(([, value]) => value !== undefined));
  return new SignJWT(claims).setProtectedHeader(kept as unknown as JWTHeaderParameters).sign(pair.privateKey);
}
