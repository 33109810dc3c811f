import { type AuthenticateDelivery, deliveryAuthenticator } from '#auth/delivery-signature.ts';
import { ConfigError } from '#config/fault.ts';
import type { Config } from '#config/load.ts';
import { DEFAULT_TENANT } from '#config/sections/tenancy.ts';
import { ensureSecretFile } from '#operation/data-directory.ts';
import type { ConnectorRow } from '#resources/connector/schema.ts';
import { secretReader } from './clients.ts';
import type { Parts } from './parts.ts';

/** The configured connectors, each with the tenant of its workspace. */
export function connectorRows({ connectors, workspaces }: Config): ConnectorRow[] {
  const tenants = new Map(workspaces.map(({ id, tenant }) => [id, tenant]));
  return connectors.map((row) => ({ ...row, tenant: tenants.get(row.workspace) ?? DEFAULT_TENANT }));
}

/** What deliveries to the connector to try are signed with. */
function makeSampleSecret({ config, random }: Parts): void {
  if (!config.usesSampleConnector) return;
  for (const { auth } of config.connectors)
    if (auth !== undefined && 'file' in auth.secret) ensureSecretFile(auth.secret.file, random);
}

/** Judges deliveries by the secrets of their connectors, which are known secrets from now on. */
export function deliveries(parts: Parts): AuthenticateDelivery {
  const { config, clock, logger } = parts;
  const read = secretReader(parts);
  makeSampleSecret(parts);
  const refs = new Map(config.connectors.flatMap(({ id, auth }) => (auth ? [[id, auth.secret]] : [])));
  const secretOf = (id: string): string | undefined => {
    const ref = refs.get(id);
    try {
      return ref && read(ref);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      logger.error({ err: error, connector: id }, 'the secret of a connector cannot be read');
      return undefined;
    }
  };
  for (const id of refs.keys()) secretOf(id);
  return deliveryAuthenticator(connectorRows(config), secretOf, clock);
}
