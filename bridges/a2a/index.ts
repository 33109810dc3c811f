import type { Bridge } from '../bridge.ts';
import { A2aClient } from './client/client.ts';
import type { A2aClientConfig } from './client/config.ts';
import { interpret } from './client/interpret.ts';
import { PUSH_FORMS } from './server/push-configs.ts';
import { createA2aServer } from './server/server.ts';

export type { A2aClientConfig } from './client/config.ts';
export { SERVICE_NAMES } from './proto/service-names.ts';
export { A2A_BINDINGS, offerOf } from './server/server.ts';

/** Agents that speak A2A 1.0, A2A 0.3 or the dialect of `harn serve`; and every agent here to clients that speak A2A. */
export const a2aBridge: Bridge<A2aClientConfig> = {
  id: 'a2a',
  interpret,
  createClients: (rows, deps) => rows.map((row) => new A2aClient(row, deps)),
  pushForms: PUSH_FORMS,
  createServer: createA2aServer,
};
