import type { Command } from 'commander';
import type { Connector } from '../protocol/resources/connector.ts';
import { collectionCommand } from './collection.ts';

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
