import type { Bridge } from '../bridge.ts';
import { A2aUpstream } from './client/client.ts';
import type { A2aUpstreamConfig } from './client/config.ts';
import { interpret } from './client/interpret.ts';
import { PUSH_FORMS } from './server/push-configs.ts';
import { createA2aFace } from './server/server.ts';

export type { A2aUpstreamConfig } from './client/config.ts';
export { A2A_OFFER } from './server/server.ts';

/** Agents that speak A2A 1.0, A2A 0.3 or the dialect of `harn serve`; and every agent here to clients that speak A2A. */
export const a2aBridge: Bridge<A2aUpstreamConfig> = {
  id: 'a2a',
  interpret,
  createUpstreams: (rows, deps) => rows.map((row) => new A2aUpstream(row, deps)),
  pushForms: PUSH_FORMS,
  createFace: createA2aFace,
};
