import { type ApiKeyRecord, apiKeyAuthenticator, bearerToken } from '../auth/api-keys.ts';
import type { Authenticate } from '../auth/caller.ts';
import { developmentKey } from '../operation/data-directory.ts';
import { holdsScope } from '../policy/scope.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { Parts } from './parts.ts';

/** Configured keys, or the development key of the data directory when there are none. */
export function authenticator({ config, redactor, random, onDevelopmentKey }: Parts): Authenticate {
  const configured: readonly ApiKeyRecord[] = config.auth.api_keys;
  if (configured.length > 0) return hidingKeys(apiKeyAuthenticator(configured), redactor);
  const { record, fresh } = developmentKey(config.store.data, random);
  if (fresh !== undefined) {
    redactor.addKnownSecret(fresh);
    onDevelopmentKey?.(fresh);
  }
  return hidingKeys(apiKeyAuthenticator([record]), redactor);
}

/** Only hashes are configured: a key becomes a known secret when it is first used. */
function hidingKeys(authenticate: Authenticate, redactor: Parts['redactor']): Authenticate {
  const hidden = new Set<string>();
  return (authorization) => {
    const result = authenticate(authorization);
    if (result.kind !== 'caller' || hidden.has(result.caller.credentialId)) return result;
    hidden.add(result.caller.credentialId);
    redactor.addKnownSecret(bearerToken(authorization) ?? '');
    return result;
  };
}

/** Metrics need the scope `admin` (contract C22). */
export function metricsReader(
  authenticate: Authenticate,
): (authorization: string | undefined) => Promise<void> {
  return async (authorization) => {
    const result = authenticate(authorization);
    if (result.kind !== 'caller')
      throw new ProtocolError('unauthenticated', 'Send a valid key as "Authorization: Bearer <key>".');
    if (holdsScope(result.caller, 'admin')) return;
    throw new ProtocolError('permission_denied', 'Metrics need the scope admin.', {
      details: { required_scope: 'admin' },
    });
  };
}
