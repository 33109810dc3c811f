import type { DecisionTools, GuardSight } from '#core/facts.ts';
import type { GatewayCore } from '#core/gateway-core.ts';
import type { Refusals } from '#core/refusals.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { storeBytes } from '#operation/data-directory.ts';
import { type MetricFacts, Metrics } from '#operation/metrics.ts';
import { WorkMetrics } from '#operation/work-metrics.ts';
import { eventNumberOf } from '#protocol/ports.ts';
import { CIRCUIT_STATES } from '#resources/agent/schema.ts';
import { OPERATIONS } from '#resources/operations.ts';
import { CHECK_OUTCOMES } from '#resources/replay/schema.ts';
import type { TaskRunner } from '#runner/task-runner.ts';
import type { HttpSurface } from '#surfaces/http-surface.ts';
import type { Authentication } from './authentication.ts';
import type { Parts } from './parts.ts';
import type { ReplayChecks } from './replay-checks.ts';

/** What counts and times the work of the gateway, and what `/metrics` reads. */
export interface Measuring {
  metrics: Metrics;
  work: WorkMetrics;
  /** What is kept of access tokens. */
  tokenCache: Authentication['tokenCache'];
  close(): void;
}

/** Measures from now on what the log says; the parts that measure besides take it from here. */
export function openMeasuring(
  { clock }: Pick<Parts, 'clock'>,
  log: EventLog,
  clients: ReadonlyMap<string, unknown>,
  { tokenCache }: Pick<Authentication, 'tokenCache'>,
): Measuring {
  const operations = Object.keys(OPERATIONS);
  const metrics = new Metrics({ agents: clients, operations });
  const work = new WorkMetrics({ recorder: metrics, clock, log });
  return { metrics, work, tokenCache, close: log.tail(work.committed.bind(work)) };
}

/** What knows the numbers that nothing records. */
interface Counting {
  gateway: Pick<GatewayCore, 'lags'>;
  log: EventLog;
  runner: TaskRunner;
  refusals: Refusals;
  replayChecks: Pick<ReplayChecks, 'ended'>;
  tools: Pick<DecisionTools, 'self'>;
}

/** What is read at each scrape. */
export function readMetrics(
  { config }: Pick<Parts, 'config'>,
  { gateway, log, runner, refusals, replayChecks, tools }: Counting,
  {
    isReady,
    openStreams,
    overflows,
    tokenCache,
  }: { isReady(): boolean } & Pick<HttpSurface, 'openStreams' | 'overflows'> & Pick<Measuring, 'tokenCache'>,
): MetricFacts {
  const states = () => log.statistics().states;
  const compaction = () => log.statistics().compaction ?? { seconds: 0, readBytes: 0, writtenBytes: 0 };
  const most = (amounts: readonly number[]) => amounts.reduce((most, amount) => Math.max(most, amount), 0);
  const ofGuards = (amountOf: (guard: GuardSight) => number) => () =>
    tools.self.guards().map((guard) => ({ labels: { agent: guard.route }, value: amountOf(guard) }));
  return {
    harn_upstream_circuit: ofGuards(({ circuit = 'closed' }) => CIRCUIT_STATES.indexOf(circuit)),
    harn_upstream_retries: ofGuards(({ retries }) => retries),
    harn_upstream_fallbacks: ofGuards(({ fallbacks }) => fallbacks),
    harn_halts: () => tools.self.halts.inForce?.length ?? 0,
    harn_tasks_running: () => runner.running(),
    harn_tasks_queued: () => runner.queued(),
    harn_streams_open: openStreams,
    harn_streams_overflowed_total: () =>
      Object.entries(overflows()).map(([transport, value]) => ({ labels: { transport }, value })),
    harn_followers: () => {
      const lags = gateway.lags();
      const live = lags.filter(({ isLive }) => isLive).length;
      return [
        { labels: { state: 'live' }, value: live },
        { labels: { state: 'behind' }, value: lags.length - live },
      ];
    },
    harn_follower_lag_events: () => most(gateway.lags().map(({ events }) => events)),
    harn_follower_unsent_bytes: () => most(gateway.lags().map(({ unsentBytes }) => unsentBytes)),
    harn_log_commits: () => log.head.commit,
    harn_log_events: () => eventNumberOf(log.head.eventId),
    harn_ready: () => Number(isReady()),
    harn_store_bytes: () => storeBytes(config.store.data),
    harn_store_compaction_seconds: () => compaction().seconds,
    harn_store_compaction_bytes: () => [
      { labels: { direction: 'read' }, value: compaction().readBytes },
      { labels: { direction: 'written' }, value: compaction().writtenBytes },
    ],
    harn_state_cache_entries: () => states().kept,
    harn_state_cache_reads: () => [
      { labels: { outcome: 'hit' }, value: states().hits },
      { labels: { outcome: 'miss' }, value: states().misses },
    ],
    harn_token_cache_entries: () => tokenCache().kept,
    harn_token_cache_reads: () => [
      { labels: { outcome: 'hit' }, value: tokenCache().hits },
      { labels: { outcome: 'miss' }, value: tokenCache().misses },
    ],
    harn_replay_check_tasks: () => {
      const { tasks } = replayChecks.ended ?? {};
      if (tasks === undefined) return [];
      return CHECK_OUTCOMES.map((outcome) => ({ labels: { outcome }, value: tasks[outcome] }));
    },
    harn_replay_check_ended_timestamp_seconds: () =>
      Date.parse(replayChecks.ended?.ended_at ?? '1970-01-01T00:00:00Z') / 1000,
    harn_calls_refused_total: () =>
      [...refusals.counts()].map(([code, value]) => ({ labels: { code }, value })),
  };
}
