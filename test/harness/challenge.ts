/** `WWW-Authenticate` of a gateway at this URL that trusts no issuer, for a request without a credential. */
export function challenge(url: string): string {
  return `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource"`;
}
