import { randomBytes } from 'node:crypto';
import type { Config } from '#config/load.ts';
import type { Clock, Logger, Random } from '#protocol/ports.ts';
import type { ProtocolClient } from '#protocol-client.ts';
import type { Redactor } from '#redaction/redactor.ts';
import type { LevelStoreOptions } from '#store/level-store.ts';
import type { Store } from '#store/store.ts';
import type { Timers } from '../../bridges/bridge.ts';

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** One-shot timers of Node, in the form that calls of agents and receivers take. */
export const systemTimers: Timers = { setTimeout, clearTimeout };

const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);

/** The system's random bytes, drawn in pools: a call of its own for every id costs more than the rest of the id. */
export const systemRandom: Random = {
  bytes(size) {
    if (size > POOL_BYTES) return randomBytes(size);
    if (pool.length < size) pool = randomBytes(POOL_BYTES);
    const taken = pool.subarray(0, size);
    pool = pool.subarray(size);
    return taken;
  },
};

/** A gateway of one of several partitions of a log, behind a node that has one for each. */
export interface OwnPartition {
  /** Four digits. */
  id: string;
  /** Origin of the node. */
  nodeUrl: string;
  /** The port of gRPC of the node; undefined where it has none. */
  grpcPort: number | undefined;
  /** Whether the node asks clients for certificates: TLS ends there. */
  takesCertificates: boolean;
  /** Origin of the node that is to decide next, asked when this one ends. Default: whoever comes first. */
  successor?: () => string | undefined;
}

/** What the composition needs from outside: everything else it makes itself. */
export interface GatewayParts {
  config: Config;
  /** Reads the configuration again, from where it came; throws ConfigError. Undefined: it cannot be reloaded. */
  readConfig?: () => Config;
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
  extraClients?: readonly ProtocolClient[];
  /** Opens the store. Default: what the configuration says; tests let it fail. */
  openStore?: (options: LevelStoreOptions) => Promise<Store>;
  /** Called once, when another node decides for a log that several share: this one can write no more. Default: nothing is called. */
  onOvertaken?: () => void;
  /** Default: the log has one partition. */
  partition?: OwnPartition;
  /** Called when another node decides and this one listens, with its URL: what it is asked, it hands on. Default: nothing is called. */
  onWaiting?: (url: string) => void;
  /**
   * Stops a start that waits for another node to decide: the start rejects with its reason, once what it was asked is answered or
   * `drain_timeout_ms` are over. One that decides by then is started. Default: nothing does.
   */
  signal?: AbortSignal;
  /** Addresses of a name that a caller's URL holds. Default: the resolver of the system. */
  resolveHost?: (hostname: string) => Promise<readonly string[]>;
  /** Called with the development key once, when it is made. */
  onDevelopmentKey?: (key: string) => void;
}

/** The same with clock and randomness decided. */
export type Parts = GatewayParts & { clock: Clock; random: Random };
