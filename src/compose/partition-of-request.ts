import type { IncomingMessage } from 'node:http';
import { apiKeyHash, partitionOfKey } from '#auth/api-keys.ts';
import { readToken, sentCredential } from '#auth/authorization.ts';
import type { Config } from '#config/load.ts';
import { DEFAULT_TENANT } from '#config/sections/tenancy.ts';
import { OF_A_LOG } from '#core/of-a-log.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { FIRST_PARTITION } from '#protocol/ports.ts';
import { readCredentials } from '#surfaces/ws/handshake.ts';

/** Names the partition that an operator asks about. */
export const PARTITION_HEADER = 'Harn-Partition';

/** Address of a hint of an agent. */
const HINT = /^\/a2a-push\/[^/?]+\/p(\d{4})\.[\w-]{43}$/;
const DELIVERY = /^\/v1\/connectors\/([^/?]+)\/deliveries(?:\?|$)/;
/** Where requests and calls of gRPC go, by the configuration as it is now. */
export interface RequestPlaces {
  /** The partition of a request. Throws `invalid_request` for one that names a partition where none can be named. */
  of(req: Pick<IncomingMessage, 'url' | 'headers'>): string;
}

/**
 * Decides by the credential of a request in which partition its tenant lies. Nothing of it is believed here: it is judged by the gateway of
 * that partition, and a wrong one finds nobody there who knows it. What carries no credential of a tenant goes to the first.
 * @param partitionOf the partition of a tenant; undefined for an unknown one
 */
export function requestPlaces(
  { auth, connectors, workspaces }: Pick<Config, 'auth' | 'connectors' | 'workspaces'>,
  partitions: readonly string[],
  partitionOf: (tenant: string) => string | undefined,
): RequestPlaces {
  const ofKeys = new Map(auth.api_keys.map(({ hash, tenant }) => [hash, tenant]));
  const issuers = new Map(auth.oauth.map((row) => [row.issuer, row]));
  const ofWorkspaces = new Map(workspaces.map(({ id, tenant }) => [id, tenant]));
  const ofConnectors = new Map(connectors.map(({ id, workspace }) => [id, ofWorkspaces.get(workspace)]));

  const place = (tenant: string | undefined) => partitionOf(tenant ?? DEFAULT_TENANT) ?? FIRST_PARTITION;
  const ofToken = (token: string): string => {
    const tenant = ofKeys.get(apiKeyHash(token));
    if (tenant !== undefined) return place(tenant);
    const named = partitionOfKey(token);
    if (named !== undefined) return partitions.includes(named) ? named : FIRST_PARTITION;
    const claims = readToken(token)?.claims;
    const issuer = issuers.get(String(claims?.['iss']));
    if (claims === undefined || issuer === undefined) return FIRST_PARTITION;
    const claim = issuer.claims.tenant;
    const said = claim === undefined ? issuer.tenant : claims[claim];
    return typeof said === 'string' ? place(said) : FIRST_PARTITION;
  };

  return {
    of(req) {
      const { url = '', headers } = req;
      const named = headers[PARTITION_HEADER.toLowerCase()];
      if (named !== undefined) {
        if (OF_A_LOG.test(url) && partitions.includes(String(named))) return String(named);
        throw new ProtocolError('invalid_request', notNamed(partitions), { param: PARTITION_HEADER });
      }
      const [, connector] = DELIVERY.exec(url) ?? [];
      if (connector !== undefined) return place(ofConnectors.get(decoded(connector)));
      const [, hinted] = HINT.exec(url) ?? [];
      if (hinted !== undefined) return partitions.includes(hinted) ? hinted : FIRST_PARTITION;
      const sent = sentCredential(authorizationOf(req));
      return sent === undefined ? FIRST_PARTITION : ofToken(sent.token);
    },
  };
}

/** What is spelled wrongly names no connector; who judges it refuses it. */
function decoded(connector: string): string {
  try {
    return decodeURIComponent(connector);
  } catch {
    return connector;
  }
}

/** A request that says twice who it is of is refused by whoever judges it. */
function authorizationOf(req: Pick<IncomingMessage, 'headers'>): string | undefined {
  try {
    return readCredentials(req).authorization;
  } catch (error) {
    if (error instanceof ProtocolError) return req.headers.authorization;
    throw error;
  }
}

function notNamed(partitions: readonly string[]): string {
  const last = partitions.at(-1);
  return `Leave ${PARTITION_HEADER} out, but for /metrics, /ready, the key set, the receipt log, the audit, signing keys and backup; there it is one of ${FIRST_PARTITION} to ${last}.`;
}
