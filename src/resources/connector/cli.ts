import type { Command } from 'commander';
import { collectionCommand } from '#cli/collection.ts';
import type { Connector } from './schema.ts';

export function connectorCommand(): Command {
  return collectionCommand<Connector>({
    name: 'connector',
    description: 'Look at the connectors of a running gateway.',
    path: '/v1/connectors',
    line: ({ id, status, provider, workspace_id, webhook }) => [
      id,
      status,
      provider,
      workspace_id,
      webhook['path'] === undefined ? 'not polled' : `POST ${webhook['path']}`,
    ],
  });
}
