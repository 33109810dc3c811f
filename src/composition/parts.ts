import { randomBytes } from 'node:crypto';
import type { Config } from '../config/load.ts';
import type { Clock, Logger, Random } from '../protocol/ports.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { Upstream } from '../upstream.ts';

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };
export const systemRandom: Random = { bytes: (size) => randomBytes(size) };

/** What the composition needs from outside: everything else it makes itself. */
export interface GatewayParts {
  config: Config;
  packageRoot: string;
  version: string;
  logger: Logger;
  redactor: Redactor;
  env: Readonly<Record<string, string | undefined>>;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: the system's random source. */
  random?: Random;
  /** Upstreams besides the configured ones: a deterministic one in the bench and in tests. */
  extraUpstreams?: readonly Upstream[];
  /** Told the development key once, when it is made. */
  onDevelopmentKey?: (key: string) => void;
}

/** The same with clock and randomness decided. */
export type Parts = GatewayParts & { clock: Clock; random: Random };
