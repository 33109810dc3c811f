import { describe, expect, it } from 'vitest';
import {
  capacity,
  type Layout,
  latencyMs,
  partitionShares,
  type ServiceTimes,
  utilisation,
  waitUs,
  zipfShares,
} from '../../bench/load-model.ts';

const TIMES: ServiceTimes = {
  ownerUs: 2_000,
  ownerMainUs: 1_000,
  commitsPerTask: 2,
  followerUs: 100,
  hopUs: 200,
  requestsPerTask: 1,
  serversUs: 300,
  quorumMs: 1,
  hopMs: 0.5,
};
const LAYOUT: Layout = { nodes: 1, coresPerNode: 4, partitions: 1, standbys: 0, tenants: 1, skew: 0 };

describe('the model of the load', () => {
  it('is busy for rate times service time', () => {
    expect(utilisation(500, 1_000)).toBe(0.5);
    expect(utilisation(1_000, 1_000)).toBe(1);
  });

  it('makes one partition an M/D/1 queue', () => {
    // At half load the queue is half a service time long, at 0.8 two, and at 1 there is no end of it.
    expect(waitUs(500, 1_000)).toBe(500);
    expect(waitUs(800, 1_000)).toBeCloseTo(2_000, 9);
    expect(waitUs(1_000, 1_000)).toBe(Number.POSITIVE_INFINITY);
    // 0.5 hop + 1 service + 0.5 wait + 2 commits of 1 ms, behind half of one that is always under way at 500 tasks a second.
    expect(latencyMs(TIMES, LAYOUT, 500)).toBeCloseTo(0.5 + 1 + 0.5 + 2 * 1.5, 9);
    // Without load: hop, service and two acknowledgements.
    expect(latencyMs(TIMES, LAYOUT, 0)).toBeCloseTo(0.5 + 1 + 2, 9);
  });

  it('bounds one partition by its main thread, and many on one node by its processors', () => {
    expect(capacity(TIMES, LAYOUT)).toMatchObject({ tasksPerSecond: 1_000, limit: 'a partition' });
    const many = capacity(TIMES, { ...LAYOUT, partitions: 4, tenants: 4 });
    // 4 cores for 2,000 us of the owner and 200 of the hop.
    expect(many.limit).toBe('a node');
    expect(many.tasksPerSecond).toBeCloseTo(4_000_000 / 2_200, 9);
  });

  it('grows with the nodes where tenants are alike and nobody follows', () => {
    const of = (nodes: number) =>
      capacity(TIMES, { ...LAYOUT, nodes, partitions: nodes * 4, tenants: nodes * 40 }).tasksPerSecond;
    expect(of(10) / of(1)).toBeCloseTo(10, 6);
    expect(of(100) / of(1)).toBeCloseTo(100, 6);
  });

  it('ends at what following costs where every node follows every partition', () => {
    const of = (nodes: number) =>
      capacity(TIMES, {
        ...LAYOUT,
        nodes,
        partitions: nodes * 4,
        tenants: nodes * 40,
        standbys: nodes - 1,
      });
    // Each task costs every node two commits of 100 us: 4 cores are full below 20,000 a second, however many nodes there are.
    expect(of(100).tasksPerSecond).toBeCloseTo(4_000_000 / (22 + 198), 6);
    expect(of(100).followingShare).toBeCloseTo(198 / 220, 9);
    expect(of(200).tasksPerSecond).toBeLessThan(20_000);
  });

  it('is bounded by the largest tenant, which no assignment divides', () => {
    const skewed = { ...LAYOUT, nodes: 100, partitions: 400, tenants: 1_000, skew: 1 };
    const [largest = 0] = zipfShares(1_000, 1);
    const found = capacity(TIMES, skewed);
    expect(found).toMatchObject({ limit: 'a partition', largestShare: largest });
    expect(found.tasksPerSecond).toBeCloseTo(1_000 / largest, 6);
  });

  it('assigns all tenants, and no partition has twice the mean where they are alike', () => {
    const loads = partitionShares(zipfShares(1_000, 0), 30);
    expect(loads.reduce((sum, load) => sum + load, 0)).toBeCloseTo(1, 9);
    expect(Math.max(...loads)).toBeLessThan(2 / 30);
    expect(zipfShares(4, 1).map((share) => share / (zipfShares(4, 1)[0] ?? 0))).toEqual([
      1,
      expect.closeTo(1 / 2),
      expect.closeTo(1 / 3),
      expect.closeTo(1 / 4),
    ]);
  });
});
