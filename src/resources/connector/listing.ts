import type { GettableListing } from '#resources/room.ts';
import type { Connector } from './schema.ts';

export const connectorListing: GettableListing<Connector, '/v1/connectors', '/v1/connectors/{connector_id}'> =
  {
    command: { name: 'connector', description: 'Look at the connectors of a running gateway.' },
    description: 'List every connector you may see.',
    path: '/v1/connectors',
    one: '/v1/connectors/{connector_id}',
    columns: {
      ID: ({ id }) => id,
      STATUS: ({ status }) => status,
      PROVIDER: ({ provider }) => provider,
      WORKSPACE: ({ workspace_id }) => workspace_id,
      DELIVERIES: ({ webhook }) => (webhook['path'] === undefined ? 'not polled' : `POST ${webhook['path']}`),
    },
  };
