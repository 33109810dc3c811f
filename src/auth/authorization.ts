/** Longer headers are no key and no token of ours; refusing them early bounds the hashing. */
const MAX_HEADER_CHARS = 8_448;
const CREDENTIALS = /^(bearer|dpop) +([!-~]+)$/i;

/** What an Authorization header carries; nothing of it is believed yet. */
export interface SentCredential {
  scheme: 'Bearer' | 'DPoP';
  token: string;
}

/** The credential of an Authorization header, or undefined for anything else. Spec: RFC 6750, section 2.1; RFC 9449, section 7.1. */
export function sentCredential(authorization: string | undefined): SentCredential | undefined {
  if (authorization === undefined || authorization.length > MAX_HEADER_CHARS) return undefined;
  const [, scheme = '', token = ''] = CREDENTIALS.exec(authorization) ?? [];
  if (token === '') return undefined;
  return { scheme: scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', token };
}

/** The token of a Bearer header, or undefined for anything else. */
export function bearerToken(authorization: string | undefined): string | undefined {
  const sent = sentCredential(authorization);
  return sent?.scheme === 'Bearer' ? sent.token : undefined;
}
