/**
 * What several nodes of one log give, computed from service times that were measured on one machine: a queue with one server for each
 * partition, and the processors of each node. Nothing is random, so the same input gives the same table.
 */

/** Measured, in microseconds of CPU unless the name says otherwise. */
export interface ServiceTimes {
  /** Of the owner for one task, with everything: its main thread is what a partition is bounded by. */
  ownerUs: number;
  /** Of that, of the main thread. */
  ownerMainUs: number;
  commitsPerTask: number;
  /** Of a node that follows a partition, for one commit of it. */
  followerUs: number;
  /** Of the process in front of the owner, for one request. */
  hopUs: number;
  requestsPerTask: number;
  /** Of the servers of the log, for one commit: all replicas together. */
  serversUs: number;
  /** Milliseconds from a message to the acknowledgement of the quorum. */
  quorumMs: number;
  /** Milliseconds that a request waits for the process in front of the owner. */
  hopMs: number;
}

export interface Layout {
  nodes: number;
  /** Processors of a node that the gateway has; the servers of the log have their own. */
  coresPerNode: number;
  partitions: number;
  /** Nodes that follow a partition besides its owner. */
  standbys: number;
  tenants: number;
  /** Exponent of Zipf's law: 0 makes all tenants alike. */
  skew: number;
}

export interface Capacity {
  tasksPerSecond: number;
  /** What is full first. */
  limit: 'a partition' | 'a node';
  /** Of the tasks, of the partition that has most. */
  largestShare: number;
  /** Of the work of all nodes, what following takes. */
  followingShare: number;
}

const US_PER_S = 1_000_000;

/** Shares of so many tenants by Zipf's law, the largest first; they add up to 1. */
export function zipfShares(tenants: number, skew: number): number[] {
  const weights = Array.from({ length: tenants }, (_, at) => 1 / (at + 1) ** skew);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Assigns tenants to partitions, each to the one that has least so far: what a table that can be changed allows. */
export function partitionShares(shares: readonly number[], partitions: number): number[] {
  const loads = new Array<number>(partitions).fill(0);
  for (const share of shares) {
    const least = loads.indexOf(Math.min(...loads));
    loads[least] = (loads[least] ?? 0) + share;
  }
  return loads;
}

/** Utilisation law: the share of its time in which a server with this service time is busy. */
export const utilisation = (perSecond: number, serviceUs: number): number =>
  (perSecond * serviceUs) / US_PER_S;

/** Mean time in the queue of M/D/1 (Pollaczek and Khinchine, no variance of service), microseconds; infinite where it is full. */
export function waitUs(perSecond: number, serviceUs: number): number {
  const busy = utilisation(perSecond, serviceUs);
  return busy >= 1 ? Number.POSITIVE_INFINITY : (busy * serviceUs) / (2 * (1 - busy));
}

/** Microseconds of CPU that one task costs each node, where the layout assigns partition k to node k modulo nodes. */
function nodeCosts(
  times: ServiceTimes,
  layout: Layout,
  shares: readonly number[],
): { own: number; follow: number }[] {
  const { nodes, standbys } = layout;
  const followed = times.commitsPerTask * times.followerUs;
  const costs = Array.from({ length: nodes }, () => ({ own: 0, follow: 0 }));
  for (const [partition, share] of shares.entries())
    for (let step = 0; step <= Math.min(standbys, nodes - 1); step += 1) {
      const cost = costs[(partition + step) % nodes];
      if (cost === undefined) continue;
      if (step === 0) cost.own += share * times.ownerUs;
      else cost.follow += share * followed;
    }
  // A balancer in front asks every node alike.
  for (const cost of costs) cost.own += (times.requestsPerTask * times.hopUs) / nodes;
  return costs;
}

/** Tasks a second at which the first partition or node is full. */
export function capacity(times: ServiceTimes, layout: Layout): Capacity {
  const shares = partitionShares(zipfShares(layout.tenants, layout.skew), layout.partitions);
  const largestShare = Math.max(...shares);
  const costs = nodeCosts(times, layout, shares);
  const byPartition = US_PER_S / (largestShare * times.ownerMainUs);
  const mostUs = Math.max(...costs.map(({ own, follow }) => own + follow));
  const byNode = (layout.coresPerNode * US_PER_S) / mostUs;
  const sum = (of: (cost: { own: number; follow: number }) => number) =>
    costs.reduce((total, cost) => total + of(cost), 0);
  return {
    tasksPerSecond: Math.min(byPartition, byNode),
    limit: byPartition <= byNode ? 'a partition' : 'a node',
    largestShare,
    followingShare: sum(({ follow }) => follow) / sum(({ own, follow }) => own + follow),
  };
}

/**
 * Mean milliseconds from a request to the acknowledgement of the last commit of its task, at the partition that has most, when so many
 * tasks come a second. A commit waits for the group that is under way, half of one on average, where there is one.
 */
export function latencyMs(times: ServiceTimes, layout: Layout, tasksPerSecond: number): number {
  const shares = partitionShares(zipfShares(layout.tenants, layout.skew), layout.partitions);
  const own = tasksPerSecond * Math.max(...shares);
  const { ownerMainUs, commitsPerTask, quorumMs, hopMs } = times;
  const underWay = Math.min(1, (own * commitsPerTask * quorumMs) / 1_000);
  const commits = commitsPerTask * quorumMs * (1 + underWay / 2);
  return hopMs + (ownerMainUs + waitUs(own, ownerMainUs)) / 1_000 + commits;
}
