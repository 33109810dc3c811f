import { isObject, objectOf } from '../../../mappings/acp/json-shape.ts';
import type { AgentConnection } from './connection.ts';

/** A way to take up a session that the agent has had before. */
export type WayBack =
  | { how: 'resumed'; method: 'session/resume' }
  | { how: 'loaded'; method: 'session/load' };

/** The ways that an agent offers, the best one first: resuming repeats nothing. Without those that it turned out not to serve. */
export function waysBack({ capabilities, unserved }: AgentConnection): WayBack[] {
  const resumes = isObject(objectOf(capabilities['sessionCapabilities'])['resume']);
  const ways: WayBack[] = [
    ...(resumes ? [{ how: 'resumed' as const, method: 'session/resume' as const }] : []),
    ...(capabilities['loadSession'] === true
      ? [{ how: 'loaded' as const, method: 'session/load' as const }]
      : []),
  ];
  return ways.filter(({ method }) => !unserved.has(method));
}
