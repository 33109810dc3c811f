import type { Listing } from '#resources/room.ts';
import type { Connector } from './schema.ts';

export const connectorListing: Listing<Connector> = {
  command: { name: 'connector', description: 'Look at the connectors of a running gateway.' },
  description: 'List every connector you may see.',
  path: '/v1/connectors',
  columns: ({ id, status, provider, workspace_id, webhook }) => [
    id,
    status,
    provider,
    workspace_id,
    webhook['path'] === undefined ? 'not polled' : `POST ${webhook['path']}`,
  ],
};
