/** The value of a label that stands for all values outside of its bound. */
export const OTHER = 'other';

/** What opens a request: the faces, and what comes from no face. */
export const FACES = ['rest', 'sse', 'ws', 'a2a', 'acp', 'mcp', 'replay'] as const;
export type Face = (typeof FACES)[number];

/**
 * Which values a label may have; every other value is `other`. `agents` are the routes of the configuration, `operations` and
 * `codes` those of the tables, `currencies` the first of the form of ISO 4217 that come.
 */
export type Bound = readonly string[] | 'agents' | 'operations' | 'codes' | 'currencies';

/** Currencies that get a value of their own. */
export const MAX_CURRENCIES = 16;

interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: Readonly<Record<string, Bound>>;
  /** Upper bounds of the buckets of a histogram. */
  readonly buckets?: readonly number[];
}

/** From a quick read to the longest task, in seconds. */
const SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800,
] as const;
const TRANSACTIONS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] as const;

/** Every metric of the gateway: name, type, labels with their bounds, help. Those of Node are prom-client's defaults. */
export const METRICS = {
  harn_request_duration_seconds: {
    type: 'histogram',
    help: 'Calls of operations by any face until they were answered; of a stream until it was open. Outcome: ok, or the code of the error.',
    labels: { operation: 'operations', face: FACES, outcome: 'codes' },
    buckets: SECONDS,
  },
  harn_task_duration_seconds: {
    type: 'histogram',
    help: 'Ended tasks, from their submission to their end.',
    labels: { agent: 'agents', face: FACES, outcome: ['completed', 'failed', 'canceled'] },
    buckets: SECONDS,
  },
  harn_task_queue_seconds: {
    type: 'histogram',
    help: 'How long tasks waited for their session or a slot.',
    labels: { agent: 'agents' },
    buckets: SECONDS,
  },
  harn_task_first_frame_seconds: {
    type: 'histogram',
    help: 'From the start of a task until the first word of its agent.',
    labels: { agent: 'agents', face: FACES },
    buckets: SECONDS,
  },
  harn_tool_call_duration_seconds: {
    type: 'histogram',
    help: 'Tool calls in tasks, from what the log says of them. Outcome withheld: the policy kept it back.',
    labels: { agent: 'agents', face: FACES, outcome: ['completed', 'failed', 'withheld'] },
    buckets: SECONDS,
  },
  harn_upstream_errors_total: {
    type: 'counter',
    help: 'Tasks that failed, by the code of their failure.',
    labels: { agent: 'agents', code: 'codes' },
  },
  harn_permission_wait_seconds: {
    type: 'histogram',
    help: 'How long permission requests waited for their answer.',
    labels: { agent: 'agents', outcome: ['approved', 'denied'] },
    buckets: SECONDS,
  },
  harn_tokens_total: {
    type: 'counter',
    help: 'Tokens that agents said they used.',
    labels: { agent: 'agents', direction: ['input', 'output'] },
  },
  harn_cost_total: {
    type: 'counter',
    help: 'Money that agents said they used.',
    labels: { agent: 'agents', currency: 'currencies' },
  },
  harn_webhook_delivery_duration_seconds: {
    type: 'histogram',
    help: 'Attempts to post to a webhook. Outcome refused: its address may not be called.',
    labels: { outcome: ['delivered', 'rejected', 'refused', 'failed'] },
    buckets: SECONDS,
  },
  harn_webhook_dead_letters_total: {
    type: 'counter',
    help: 'Deliveries to webhooks that were given up.',
    labels: {},
  },
  harn_log_write_seconds: {
    type: 'histogram',
    help: 'Writes of the log, fsync included.',
    labels: {},
    buckets: SECONDS,
  },
  harn_log_commit_seconds: {
    type: 'histogram',
    help: 'From the first transaction of a group until the group is durable.',
    labels: {},
    buckets: SECONDS,
  },
  harn_log_group_transactions: {
    type: 'histogram',
    help: 'Transactions that were written together.',
    labels: {},
    buckets: TRANSACTIONS,
  },
  harn_telemetry_items_total: {
    type: 'counter',
    help: 'Spans and metrics for the OpenTelemetry receiver: sent, failed (it did not take them), dropped (it is slower than the work).',
    labels: { signal: ['traces', 'metrics'], outcome: ['sent', 'failed', 'dropped'] },
  },
  harn_tasks_running: { type: 'gauge', help: 'Tasks whose agent works now.', labels: {} },
  harn_tasks_queued: {
    type: 'gauge',
    help: 'Accepted tasks that wait for their session or a slot.',
    labels: {},
  },
  harn_streams_open: { type: 'gauge', help: 'Open event streams.', labels: {} },
  harn_streams_overflowed_total: {
    type: 'counter',
    help: 'Event streams that were cut because their client did not keep up; it has to resume.',
    labels: { transport: ['sse', 'ws'] },
  },
  harn_followers: {
    type: 'gauge',
    help: 'Followers of events: live, or still reading history.',
    labels: { state: ['live', 'behind'] },
  },
  harn_follower_lag_events: {
    type: 'gauge',
    help: 'Events of the log after the one that the furthest follower behind has; 0 while all are live.',
    labels: {},
  },
  harn_follower_unsent_bytes: {
    type: 'gauge',
    help: 'Most bytes that one follower had not taken when its newest event was written.',
    labels: {},
  },
  harn_log_commits: { type: 'gauge', help: 'Number of the newest durable commit.', labels: {} },
  harn_log_events: { type: 'gauge', help: 'Number of the newest durable event.', labels: {} },
  harn_ready: { type: 'gauge', help: '1 while new work is taken, else 0.', labels: {} },
  harn_store_bytes: { type: 'gauge', help: 'Size of the files of the store.', labels: {} },
  harn_store_compaction_seconds: {
    type: 'gauge',
    help: 'Time that compactions took since the store was opened, in whole seconds.',
    labels: {},
  },
  harn_store_compaction_bytes: {
    type: 'gauge',
    help: 'Bytes that compactions read and wrote since the store was opened, in whole MiB.',
    labels: { direction: ['read', 'written'] },
  },
  harn_state_cache_entries: { type: 'gauge', help: 'Parsed states in memory.', labels: {} },
  harn_state_cache_reads: {
    type: 'gauge',
    help: 'Reads of states since the start, by whether they were in memory.',
    labels: { outcome: ['hit', 'miss'] },
  },
  harn_token_cache_entries: { type: 'gauge', help: 'Access tokens whose verdict is in memory.', labels: {} },
  harn_token_cache_reads: {
    type: 'gauge',
    help: 'Access tokens that came since the start, by whether their verdict was in memory; each miss is a signature that was checked.',
    labels: { outcome: ['hit', 'miss'] },
  },
  harn_replay_check_tasks: {
    type: 'gauge',
    help: 'Tasks of the newest replay check that has ended, by what came out; absent before the first.',
    labels: { outcome: ['byte_equal', 'diverged', 'tampered', 'incomplete', 'failed'] },
  },
  harn_replay_check_ended_timestamp_seconds: {
    type: 'gauge',
    help: 'When the newest replay check ended; 0 until one has.',
    labels: {},
  },
  harn_upstream_circuit: {
    type: 'gauge',
    help: 'Circuit breakers of agents: 0 closed, 1 half-open, 2 open.',
    labels: { agent: 'agents' },
  },
  harn_upstream_retries: {
    type: 'gauge',
    help: 'Turns that were sent to an agent once more, since the start.',
    labels: { agent: 'agents' },
  },
  harn_upstream_fallbacks: {
    type: 'gauge',
    help: 'Tasks of an agent that its fallback did, since the start.',
    labels: { agent: 'agents' },
  },
  harn_halts: { type: 'gauge', help: 'Halts of agents and tools in force.', labels: {} },
  harn_calls_refused_total: {
    type: 'counter',
    help: 'Calls that were refused, by the code of their error.',
    labels: { code: 'codes' },
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;
/** Counters that are kept where they are counted, and read at each scrape. */
export const READ_COUNTERS = ['harn_streams_overflowed_total', 'harn_calls_refused_total'] as const;
/** Metrics that are recorded when something happens; the others are read at each scrape. */
export type RecordedName = Exclude<
  MetricName,
  | { [Name in MetricName]: (typeof METRICS)[Name]['type'] extends 'gauge' ? Name : never }[MetricName]
  | (typeof READ_COUNTERS)[number]
>;
/** Metrics that are read at each scrape. */
export type ReadName = Exclude<MetricName, RecordedName>;
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<keyof (typeof METRICS)[Name]['labels'] & string, string>
>;
