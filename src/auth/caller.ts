import type { Scope } from '../protocol/scopes.ts';

/** Who is calling, decided by credentials alone. Source: Agents Protocol v1, "Authentication and authorization". */
export interface Caller {
  actor: string;
  tenant: string;
  scopes: ReadonlySet<Scope | string>;
  /** Workspace ids the actor is a member of; `*` means every workspace of the tenant. The first is its default. */
  workspaces: readonly string[];
  /** Id of the credential, for audit; never the credential. */
  credentialId: string;
  /** SHA-256 of the time and body that were signed: the same when they are replayed with other headers around them. */
  signedSha256?: string;
}

/** The result of authentication is one of these; there is no default identity. */
export type Authentication =
  | { kind: 'caller'; caller: Caller }
  | { kind: 'unauthenticated' }
  /** The issuer of the credential cannot be reached to decide. */
  | { kind: 'unavailable' };

/** Decides who sent an Authorization header, by what is known now. */
export type Authenticate = (authorization: string | undefined) => Authentication;

/** Decides who is calling. What takes time to judge, a token of an issuer, is judged once in `recognize`. */
export interface Authenticator {
  /** Resolves when `authenticate` can decide about this header; undefined when it can at once. Never rejects. */
  recognize(authorization: string | undefined): Promise<void> | undefined;
  authenticate: Authenticate;
}
