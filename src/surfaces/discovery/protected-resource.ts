import { GATEWAY_SCOPES, SCOPES } from '#protocol/scopes.ts';
import type { ProtectedResource } from '#resources/discovery/schema.ts';

/** Whose access tokens are taken, and how they may be bound to their sender. */
export interface ProtectedResourceFacts {
  issuers: readonly { issuer: string; audience: readonly string[]; scopes: readonly string[] }[];
  dpopAlgorithms: readonly string[];
  /** Whether clients may show certificates: TLS ends here, and asks for them. */
  takesCertificates: boolean;
}

/** Scopes that a client does not ask for by itself, only because it learns that there are such. */
const UNADVERTISED: readonly string[] = ['*', 'admin', ...GATEWAY_SCOPES];

/**
 * The gateway as a protected resource, for the door at `url` (without a trailing slash). Its identifier is the configured
 * audience: tokens have to name that. Empty lists are left out. Spec: RFC 9728, sections 2 and 3.2.
 */
export function protectedResource(facts: ProtectedResourceFacts, url: string): ProtectedResource {
  const { issuers, dpopAlgorithms, takesCertificates } = facts;
  const scopes = SCOPES.filter((scope) => !UNADVERTISED.includes(scope)).filter((scope) =>
    issuers.some(({ scopes: granted }) => granted.includes('*') || granted.includes(scope)),
  );
  const takesTokens = issuers.length > 0;
  return {
    resource: identifierOf(
      issuers.flatMap(({ audience }) => audience),
      url,
    ),
    resource_name: 'harn-gateway',
    bearer_methods_supported: ['header'],
    ...(takesTokens ? { authorization_servers: issuers.map(({ issuer }) => issuer) } : {}),
    ...(scopes.length > 0 ? { scopes_supported: scopes } : {}),
    ...(takesTokens ? { dpop_signing_alg_values_supported: [...dpopAlgorithms] } : {}),
    ...(takesTokens ? { dpop_bound_access_tokens_required: false } : {}),
    ...(takesTokens ? { tls_client_certificate_bound_access_tokens: takesCertificates } : {}),
  };
}

/** Of several audiences the one of this very door, else the first of this origin, else the first. */
function identifierOf(audiences: readonly string[], url: string): string {
  const ofThisOrigin = (audience: string) =>
    URL.canParse(audience) && new URL(audience).origin === new URL(url).origin;
  return (
    audiences.find((audience) => audience === url) ?? audiences.find(ofThisOrigin) ?? audiences[0] ?? url
  );
}
