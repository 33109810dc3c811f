import type { ProtocolError } from '#protocol/errors.ts';

/** Where the metadata of the gateway as a protected resource is. Spec: RFC 9728, section 3. */
const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** What a 401 asks for, as header names and values in turn. */
export type Challenges = (error: ProtocolError) => string[];

/**
 * One challenge per scheme, Bearer first, since readers of a single one take the first. Each names the metadata; the one of
 * the scheme that was used says why the credential was refused. `dpopAlgorithms` is empty where no tokens are taken.
 * Spec: RFC 6750, section 3; RFC 9449, section 7.1; RFC 9728, section 5.1.
 */
export function challengesOf(publicUrl: () => string, dpopAlgorithms: readonly string[]): Challenges {
  const offered = [
    { scheme: 'Bearer', also: [] },
    ...(dpopAlgorithms.length > 0 ? [{ scheme: 'DPoP', also: [`algs="${dpopAlgorithms.join(' ')}"`] }] : []),
  ];
  return ({ challenge }) => {
    const metadata = `resource_metadata="${publicUrl()}${RESOURCE_METADATA_PATH}"`;
    return offered.flatMap(({ scheme, also }) => {
      const why =
        challenge?.scheme === scheme
          ? [`error="${challenge.error}"`, `error_description="${challenge.description}"`]
          : [];
      return ['WWW-Authenticate', `${scheme} ${[...why, ...also, metadata].join(', ')}`];
    });
  };
}
