import { ClientCredentials } from '#auth/oauth/client-credentials.ts';
import type { BridgeDeps, UpstreamAuth } from '../../bridges/bridge.ts';
import { postSmallForm } from './fetch-json.ts';
import { operatorGuard } from './outbound-guard.ts';
import type { Parts } from './parts.ts';

/** The headers that carry the credentials of agents: a secret as it is, or a token that was got with it. */
export function upstreamCredentials(
  parts: Parts,
  readSecret: BridgeDeps['readSecret'],
): BridgeDeps['credential'] {
  const { clock, redactor, logger } = parts;
  const guard = operatorGuard(parts);
  const tokens = new ClientCredentials({
    clock,
    postForm: (url, form, headers) => postSmallForm(guard, url, form, headers),
    hide: (token) => redactor.addKnownSecret(token),
  });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const MAKE: Record<UpstreamAuth['type'], (auth: UpstreamAuth) => Promise<Record<string, string>>> = {
    bearer: async ({ value }) => bearer(readSecret(value)),
    header: async ({ name = '', value }) => ({ [name.toLowerCase()]: readSecret(value) }),
    oauth2: async ({ value, token_url = '', client_id = '', scope, audience }) =>
      bearer(
        await tokens.token({ tokenUrl: token_url, clientId: client_id, scope, audience }, readSecret(value)),
      ),
  };
  return (auth) =>
    MAKE[auth.type](auth).catch((error: unknown) => {
      logger.error({ err: error }, 'a credential of an agent cannot be had');
      throw error;
    });
}
