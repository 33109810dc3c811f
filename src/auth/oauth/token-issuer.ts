/** One issuer of access tokens that the gateway trusts, as configured. */
export interface TokenIssuer {
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
