import { NATS_SERVER } from '../harness/nats-servers.ts';
import { badInput } from './bad-input.ts';
import { bitFlips } from './bit-flips.ts';
import { cancelRaces } from './cancel-races.ts';
import { drains } from './drain.ts';
import { canFollow, eventRate, idleFollowers } from './followers.ts';
import { canMount, fullDisk } from './full-disk.ts';
import { FEW_AND_MANY, idempotencyRaces } from './idempotency-races.ts';
import { jetStreamChaos, jetStreamNodes, NODE_EPISODES } from './jetstream/chaos.ts';
import { EPISODES } from './jetstream/take-over.ts';
import { killNineCycles } from './kill-nine-cycles.ts';
import { nthCalls } from './nth-calls.ts';
import { replays } from './replays.ts';
import type { Report } from './report.ts';
import { serverCycles } from './server-cycles.ts';
import { tamperedBits } from './tampered-bits.ts';
import { tenantCells } from './tenant-cells.ts';

/** One row of the torture run. */
export interface Scenario {
  /** What is claimed, in words, and how often it has to be tried. */
  claim?: { says: string; target: number };
  /** The counts of its report that add up to its number. */
  counts: readonly string[];
  /** Units of one turn: of a short run, which meets every row, and of a long one. */
  slice: number;
  turn: number;
  /** False where this machine cannot run it. */
  isPossible?: boolean;
  run(seed: number, size: number): Promise<Report>;
}

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'kill-nine': {
    claim: { says: 'SIGKILL under load or while it recovers: nothing acknowledged is lost', target: 10_000 },
    counts: ['kills', 'kills during start or recovery'],
    slice: 2,
    turn: 20,
    run: killNineCycles,
  },
  'jetstream-chaos': {
    counts: EPISODES,
    slice: 2,
    turn: 20,
    isPossible: NATS_SERVER !== undefined,
    run: jetStreamChaos,
  },
  'jetstream-nodes': {
    claim: {
      says: 'three gateways on JetStream, gateways, servers, networks and clocks failing: nothing lost or twice',
      target: 500,
    },
    counts: NODE_EPISODES,
    slice: 2,
    turn: 20,
    isPossible: NATS_SERVER !== undefined,
    run: (seed, size) => jetStreamNodes(seed, size),
  },
  'disk-faults': {
    claim: { says: 'a failing disk: nothing is lost or done twice', target: 1_000 },
    counts: ['faults met'],
    slice: 10,
    turn: 25,
    run: nthCalls,
  },
  'full-disk': {
    counts: ['disks filled and freed'],
    slice: 2,
    turn: 2,
    isPossible: canMount,
    run: (_seed, size) => fullDisk(size),
  },
  'tampered-bits': {
    claim: {
      says: 'a flipped bit in a record, state, checkpoint, receipt, tree head, card or bundle is refused, or changes no value',
      target: 1_000_000,
    },
    counts: ['tampered bits'],
    slice: 5_000,
    turn: 100_000,
    run: tamperedBits,
  },
  'file-bits': {
    counts: ['flips'],
    slice: 20,
    turn: 50,
    run: bitFlips,
  },
  'idempotency-races': {
    claim: { says: 'callers with one Idempotency-Key at once: one task', target: 10_000 },
    counts: ['races'],
    slice: 20,
    turn: 200,
    run: (seed, size) => idempotencyRaces(seed, size, FEW_AND_MANY),
  },
  'cancel-races': {
    claim: { says: 'cancel against completion: one end, and every answer says which', target: 100_000 },
    counts: ['races'],
    slice: 300,
    turn: 2_000,
    run: cancelRaces,
  },
  'bad-input': {
    claim: {
      says: 'bad input on every face: a clear refusal, never 5xx, a crash or a hang',
      target: 5_000_000,
    },
    counts: ['requests'],
    slice: 4_000,
    turn: 20_000,
    run: badInput,
  },
  replays: {
    claim: { says: '1,000 of 1,000 replays byte-equal on each of Node 20, 22 and 24', target: 3_000 },
    counts: ['byte-equal replays'],
    slice: 20,
    turn: 250,
    run: replays,
  },
  'tenant-cells': {
    claim: { says: 'a stranger cannot tell what is there from what is not', target: 5_000 },
    counts: ['cells'],
    slice: 400,
    turn: 5_000,
    run: tenantCells,
  },
  'idle-followers': {
    claim: { says: '20,000 idle followers on one process, and all get what is said then', target: 20_000 },
    counts: ['followers'],
    slice: 400,
    turn: 20_000,
    isPossible: canFollow,
    run: (_seed, size) => idleFollowers(size),
  },
  'event-rate': {
    claim: {
      says: '1,000 events a second to 1,000 followers: p99 of delivery under 1 s (tried: seconds)',
      target: 10,
    },
    counts: ['seconds at that rate'],
    slice: 50,
    turn: 1_000,
    run: (_seed, size) => eventRate(size),
  },
  drain: { counts: ['drains'], slice: 1, turn: 3, run: drains },
  'server-cycles': {
    counts: ['starts and stops of a stdio server'],
    slice: 10,
    turn: 1_000,
    run: (_seed, size) => serverCycles(size),
  },
};
