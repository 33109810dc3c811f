import { CliError, EXIT } from './exit-codes.ts';

/** Codes of a certificate that nobody here vouches for. */
const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_UNTRUSTED',
]);

/** Codes of a certificate that is at fault itself, with what is wrong and what to do. */
const UNUSABLE: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host name; use the one it is for in the URL',
  CERT_HAS_EXPIRED: 'has expired; its operator has to renew it',
  CERT_NOT_YET_VALID: 'is not valid yet; look at the clock of this machine',
  CERT_REVOKED: 'was revoked; its operator has to replace it',
};

/** Codes of a TLS handshake with a server that answers plain HTTP. */
const PLAIN = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'EPROTO']);

/** No answer, or none for now: the same request may succeed later. */
export class UnavailableError extends CliError {}

/**
 * Why a request got no answer, in words: what `fetch` rejected with. A certificate that is refused stays so, therefore it is no
 * UnavailableError.
 */
export function unreachable(url: string, error: unknown): CliError {
  const code = codeOf(error);
  const refused = (why: string) => new CliError(`${why} (${code})`, EXIT.failed);
  if (UNTRUSTED.has(code))
    return refused(
      `The certificate of ${url} is not trusted. Trust the authority that signed it: set NODE_EXTRA_CA_CERTS to a file with its certificate (PEM), and run the command again.`,
    );
  const fault = UNUSABLE[code];
  if (fault !== undefined) return refused(`The certificate of ${url} ${fault}.`);
  if (PLAIN.has(code) && url.startsWith('https:'))
    return refused(`${url} answers, but not with TLS. Use http:// if it is on this machine.`);
  if (code === 'ENOTFOUND') return refused(`${url} names a host that nobody knows. Check --url.`);
  return new UnavailableError(
    `No gateway answers at ${url}. Start one with "harn-gateway serve", or name it with --url.`,
  );
}

/** `fetch` wraps what happened. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
