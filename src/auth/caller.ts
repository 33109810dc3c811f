import type { RefusalReason } from '#protocol/refusal-reasons.ts';
import type { Scope } from '#protocol/scopes.ts';
import type { SenderProof } from '#protocol/sender-proof.ts';
import type { SentCredential } from './authorization.ts';

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
  /** No standing for a credential of the configuration: it lasts as long as the gateway runs. */
  | { kind: 'caller'; caller: Caller; standing?: Standing }
  /** Without a reason when no credential was sent that could be judged. */
  | { kind: 'unauthenticated'; refusal?: CredentialRefusal }
  /** The issuer of the credential cannot be reached to decide. */
  | { kind: 'unavailable' };

/** What has become of a credential since it was judged, by what is in memory: nothing is hashed or compared again. */
export interface Standing {
  /**
   * `ended`: revoked, expired or refused since. `unavailable`: its issuer cannot be asked. `unsettled`: the keys of its issuer
   * changed, and `settle` judges it by the new ones.
   */
  now(): 'live' | 'ended' | 'unavailable' | 'unsettled';
  /** Resolves when `now` is settled; undefined when it is. Never rejects. */
  settle(): Promise<void> | undefined;
}

/** Why a credential was refused, and in which scheme it came. */
export interface CredentialRefusal {
  scheme: SentCredential['scheme'];
  reason: RefusalReason;
}

/** Who a request says it is of. */
export interface Credential {
  /** Value of the Authorization header, or undefined. */
  authorization: string | undefined;
  /** What comes with it for access tokens that are bound to a key or a certificate. */
  proof?: SenderProof | undefined;
}

/** Decides who sent a credential, by what is known now. */
export type Authenticate = (credential: Credential) => Authentication;

/** Decides who is calling. What takes time to judge, a token of an issuer and its proof, is judged once in `recognize`. */
export interface Authenticator {
  /** Resolves when `authenticate` can decide about this credential; undefined when it can at once. Never rejects. */
  recognize(credential: Credential): Promise<void> | undefined;
  authenticate: Authenticate;
}
