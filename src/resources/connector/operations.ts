import { listOf } from '#protocol/envelope.ts';
import { filter, type OperationRow, page } from '#protocol/operation-row.ts';
import { connector, connectorDelivery } from './schema.ts';

export const connectorsOperations = {
  listConnectors: {
    kind: 'query',
    method: 'GET',
    path: '/v1/connectors',
    tag: 'Connectors',
    summary: 'List the configured Connectors of visible Workspaces.',
    scope: 'connectors:read',
    level: 'extended',
    success: 200,
    query: page.extend({ workspace_id: filter }),
    response: listOf(connector),
  },
  getConnector: {
    kind: 'query',
    method: 'GET',
    path: '/v1/connectors/{connector_id}',
    tag: 'Connectors',
    summary: 'Read a Connector.',
    scope: 'connectors:read',
    level: 'extended',
    success: 200,
    response: connector,
  },
  deliverToConnector: {
    kind: 'command',
    method: 'POST',
    path: '/v1/connectors/{connector_id}/deliveries',
    tag: 'Connectors',
    summary: 'Deliver what happened at a provider, signed by it; a repeated delivery gets the first answer.',
    scope: 'signature',
    level: 'vendor',
    success: 202,
    body: 'bytes',
    response: connectorDelivery,
  },
} as const satisfies Record<string, OperationRow>;
