import { type ApiKeyRecord, apiKeyAuthenticator, bearerToken } from '../auth/api-keys.ts';
import type { Authenticate, Authenticator } from '../auth/caller.ts';
import { IssuerKeys } from '../auth/oauth/issuer-keys.ts';
import { TokenAuthenticator } from '../auth/oauth/token-authenticator.ts';
import { developmentKey } from '../operation/data-directory.ts';
import { holdsScope } from '../policy/scope.ts';
import { ProtocolError } from '../protocol/errors.ts';
import { fetchSmallJson } from './fetch-json.ts';
import type { Parts } from './parts.ts';

/** API keys first, then access tokens of the configured issuers. */
export function authenticator(parts: Parts): Authenticator {
  const byKey = keyAuthenticator(parts);
  const tokens = tokenAuthenticator(parts);
  return {
    recognize: (authorization) => tokens.recognize(authorization),
    authenticate: (authorization) => {
      const result = byKey(authorization);
      return result.kind === 'caller' ? result : tokens.authenticate(authorization);
    },
  };
}

function tokenAuthenticator({ config, clock, logger }: Parts): TokenAuthenticator {
  const trusted = config.auth.oauth.map((row) => {
    const keys = new IssuerKeys(row, { clock, logger, fetchJson: fetchSmallJson });
    return [row.issuer, { row, keys }] as const;
  });
  return new TokenAuthenticator({
    clock,
    issuers: new Map(trusted),
    tenants: new Set(config.tenants.map(({ id }) => id)),
  });
}

/** Configured keys, or the development key of the data directory when nobody else could call. */
function keyAuthenticator({ config, redactor, random, onDevelopmentKey }: Parts): Authenticate {
  const configured: readonly ApiKeyRecord[] = config.auth.api_keys;
  if (configured.length > 0 || config.auth.oauth.length > 0)
    return hidingKeys(apiKeyAuthenticator(configured), redactor);
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
  authenticator: Authenticator,
): (authorization: string | undefined) => Promise<void> {
  return async (authorization) => {
    await authenticator.recognize(authorization);
    const result = authenticator.authenticate(authorization);
    if (result.kind !== 'caller')
      throw new ProtocolError('unauthenticated', 'Send a valid key as "Authorization: Bearer <key>".');
    if (holdsScope(result.caller, 'admin')) return;
    throw new ProtocolError('permission_denied', 'Metrics need the scope admin.', {
      details: { required_scope: 'admin' },
    });
  };
}
