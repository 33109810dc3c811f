import type { Handlers } from '#core/handlers.ts';
import { deliverToConnector } from './deliverToConnector.ts';
import { getConnector, listConnectors } from './queries.ts';

export const connectorHandlers = {
  deliverToConnector,
  getConnector,
  listConnectors,
} satisfies Partial<Handlers>;
