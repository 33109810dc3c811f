import type { FaceExchange } from '#face.ts';
import type { Addressed } from './agents.ts';
import type { Negotiated } from './negotiate.ts';

/** One request on its way: who asks, for which agent, in which version. */
export interface Asking {
  exchange: FaceExchange;
  to: Addressed;
  negotiated: Negotiated;
}
