import { beforeAll, describe, expect, it, vi } from 'vitest';
import { METRICS, OTHER } from '#operation/metric-table.ts';
import { Metrics } from '#operation/metrics.ts';
import type { Move } from '#protocol-client.ts';
import { TestClient } from '../harness/client.ts';
import { EventStreamClient } from '../harness/event-stream.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { keeper } from '../harness/keeper.ts';
import { MovingClient } from '../harness/moving-client.ts';
import { OtlpCollector } from '../harness/otlp-collector.ts';
import { signingPair, signToken, TokenIssuerPeer } from '../harness/peers/token-issuer.ts';
import { startReceiver } from '../harness/receiver.ts';

const SECRET_NAME = 'a name that a caller or an agent made up "}\n';

const TOOL = { toolCallId: 'call-1', name: SECRET_NAME };
const USED: Move[] = [
  { type: 'tool', tool: { ...TOOL, step: 'requested', input: {} } },
  { type: 'tool', tool: { ...TOOL, step: 'completed', output: {} } },
  {
    type: 'usage',
    usage: { counts: 'total', input_tokens: 70, output_tokens: 5, cost: { amount: 0.25, currency: 'EUR' } },
  },
  { type: 'usage', usage: { counts: 'total', input_tokens: 100, output_tokens: 9 } },
];
const FAILED: Move[] = [
  {
    type: 'status',
    to: 'FAILED',
    failure: { code: SECRET_NAME, message: 'no', type: 'runtime_error' },
  },
];
const ASKED: Move[] = [
  {
    type: 'status',
    to: 'INPUT_REQUIRED',
    message: { role: 'agent', parts: [{ type: 'text', text: 'which?', visibility: 'public' }] },
  },
];

/** The samples of a scrape: what stands before the value, and the value. */
async function samples({ client }: TestGateway): Promise<Map<string, number>> {
  const { text } = await client.call('GET', '/metrics');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

/** Submits a task that makes these moves; returns its id. */
async function runMoves({ client }: TestGateway, moves: readonly Move[]): Promise<string> {
  const { id } = await client.session();
  const part = { type: 'json', value: { moves }, visibility: 'public' };
  const input = { role: 'user', parts: [part] };
  const task = await client.post<{ id: string }>(`/v1/sessions/${id}/tasks`, { input });
  return task.id;
}

const REQUEST = 'harn_request_duration_seconds';
const SENT_TRACES = 'harn_telemetry_items_total{signal="traces",outcome="sent"}';
const REPLAYED = 'harn_replay_check_tasks{outcome="byte_equal"}';
const GET_NONE = 'operation="getTask",face="rest",outcome="resource_not_found"';

describe('the metrics', () => {
  const { kept, closeNow } = keeper();
  const stage = async () => {
    const gateway = kept(await startTestGateway({ extraClients: [new MovingClient()] }));
    return { gateway, run: (moves: readonly Move[]) => runMoves(gateway, moves) };
  };

  describe('say, by the names of what has to be measured', () => {
    let found = new Map<string, number>();
    beforeAll(async () => {
      found = await afterWork();
    });

    const agent = 'agent="fake:moving"';
    const done = `${agent},face="rest",outcome="completed"`;
    const positive = (value: number | undefined) => value !== undefined && value > 0;
    const isThere = (value: number | undefined) => value !== undefined;
    it.each<[what: string, sample: string, value: number | ((value: number | undefined) => boolean)]>([
      ['requests by operation, face and outcome', `${REQUEST}_count{${GET_NONE}}`, 1],
      ['how long requests take, as a histogram', `${REQUEST}_bucket{le="1800",${GET_NONE}}`, 1],
      ['tasks by agent, face and outcome', `harn_task_duration_seconds_count{${done}}`, 2],
      ['tasks that failed', `harn_task_duration_seconds_count{${done.replace('completed', 'failed')}}`, 1],
      ['how long tasks take, as a histogram', `harn_task_duration_seconds_bucket{le="1800",${done}}`, 2],
      ['tool calls by agent, face and outcome', `harn_tool_call_duration_seconds_count{${done}}`, 1],
      [
        'how long tool calls take, as a histogram',
        `harn_tool_call_duration_seconds_bucket{le="1800",${done}}`,
        1,
      ],
      ['queue wait', `harn_task_queue_seconds_count{${agent}}`, 3],
      ['tasks that run now', 'harn_tasks_running', 0],
      ['tasks that wait now', 'harn_tasks_queued', 0],
      ['time to first frame', `harn_task_first_frame_seconds_count{${agent},face="rest"}`, 3],
      ['upstream errors by kind', `harn_upstream_errors_total{${agent},code="${OTHER}"}`, 1],
      ['fsync time', 'harn_log_write_seconds_count', positive],
      ['commit time', 'harn_log_commit_seconds_count', positive],
      ['group size', 'harn_log_group_transactions_count', positive],
      ['commits and events', 'harn_log_commits', positive],
      ['events', 'harn_log_events', positive],
      ['followers that are live', 'harn_followers{state="live"}', 1],
      ['followers that are behind', 'harn_followers{state="behind"}', 0],
      ['open streams', 'harn_streams_open', 1],
      ['streams cut for overflow', 'harn_streams_overflowed_total{transport="sse"}', 0],
      ['sockets cut for overflow', 'harn_streams_overflowed_total{transport="ws"}', 0],
      ['lag of slow followers in events', 'harn_follower_lag_events', 0],
      ['lag of slow followers in bytes', 'harn_follower_unsent_bytes', isThere],
      ['store size', 'harn_store_bytes', positive],
      ['compaction time', 'harn_store_compaction_seconds', isThere],
      ['compaction read', 'harn_store_compaction_bytes{direction="read"}', isThere],
      ['compaction written', 'harn_store_compaction_bytes{direction="written"}', isThere],
      ['permission wait', `harn_permission_wait_seconds_count{${agent},outcome="approved"}`, 1],
      ['tokens read by agent', `harn_tokens_total{${agent},direction="input"}`, 100],
      ['tokens written by agent', `harn_tokens_total{${agent},direction="output"}`, 9],
      ['cost by agent', `harn_cost_total{${agent},currency="EUR"}`, 0.25],
      ['webhook deliveries', 'harn_webhook_delivery_duration_seconds_count{outcome="rejected"}', positive],
      ['dead letters', 'harn_webhook_dead_letters_total', positive],
      ['traces sent', SENT_TRACES, positive],
      ['event-loop delay', 'nodejs_eventloop_lag_p99_seconds', isThere],
      ['memory', 'process_resident_memory_bytes', positive],
      ['processor time', 'process_cpu_seconds_total', positive],
      ['cache of states', 'harn_state_cache_entries', positive],
      ['cache of states: found', 'harn_state_cache_reads{outcome="hit"}', positive],
      ['cache of states: not found', 'harn_state_cache_reads{outcome="miss"}', positive],
      ['cache of tokens', 'harn_token_cache_entries', 2],
      ['cache of tokens: found', 'harn_token_cache_reads{outcome="hit"}', 2],
      ['cache of tokens: not found', 'harn_token_cache_reads{outcome="miss"}', 2],
      ['replays that were checked', REPLAYED, 3],
      ['when replays were checked', 'harn_replay_check_ended_timestamp_seconds', positive],
      ['circuits of agents', 'harn_upstream_circuit{agent="mcp:tools"}', 0],
      ['halts in force', 'harn_halts', 0],
      ['refused calls', 'harn_calls_refused_total{code="resource_not_found"}', isThere],
      ['whether it takes work', 'harn_ready', 1],
    ])('%s', (_what, sample, expected) => {
      const value = found.get(sample);
      if (typeof expected === 'number') expect(value).toBe(expected);
      else expect([sample, value, expected(value)]).toEqual([sample, value, true]);
    });

    it('and nothing of the table is missing', () => {
      const names = [...found.keys()].map((name) =>
        name.replace(/\{.*$/, '').replace(/_(bucket|sum|count)$/, ''),
      );
      for (const name of Object.keys(METRICS)) expect(names).toContain(name);
      expect(found.get('harn_log_group_transactions_count')).toBe(found.get('harn_log_write_seconds_count'));
    });
  });

  /** What a scrape says after tasks of all kinds, a webhook that is given up, tokens, and streams. */
  async function afterWork(): Promise<Map<string, number>> {
    const issuer = await new TokenIssuerPeer().start();
    const pair = await signingPair('key-1');
    issuer.publish(pair);
    const audience = 'https://gateway.test';
    const receiver = await startReceiver();
    receiver.answer = () => 410;
    const collector = await OtlpCollector.start();
    vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '10');
    const gateway = await startTestGateway({
      extraClients: [new MovingClient()],
      keys: [{ actor: 'reader', scopes: ['tasks:read'] }],
      config: {
        outbound: { allow: ['127.0.0.1'] },
        // A server that nobody calls, and that is guarded.
        upstreams: { a2a: [], mcp: [{ id: 'tools', url: 'http://127.0.0.1:1/mcp' }] },
        resilience: [{ agent: 'mcp:tools', breaker: {} }],
        telemetry: { otlp: { endpoint: collector.url } },
      },
      oauth: [{ issuer: issuer.url, audience }],
    });
    const { client } = gateway;
    try {
      await client.until(await runMoves(gateway, USED), 'COMPLETED');
      await client.until(await runMoves(gateway, FAILED), 'FAILED');
      const asking = await runMoves(gateway, ASKED);
      await client.until(asking, 'INPUT_REQUIRED');
      const stream = await EventStreamClient.open(client, '/v1/events/stream');
      await client.post(`/v1/tasks/${asking}/push-configs`, { url: receiver.url });
      await client.answer(asking, 'that one');
      await client.until(asking, 'COMPLETED');
      expect((await client.call('GET', '/v1/tasks/task_none')).status).toBe(404);
      const now = Math.floor(Date.now() / 1_000);
      const who = { iss: issuer.url, sub: 'somebody', client_id: 'app', scope: 'runtime:read' };
      const times = { iat: now, exp: now + 600, jti: 'token-1' };
      for (const aud of [audience, 'https://elsewhere.test']) {
        const token = await signToken(pair, { ...who, ...times, aud });
        const theirs = new TestClient(gateway.url, token);
        for (const _ of [1, 2])
          expect((await theirs.call('GET', '/v1/runtime')).status).toBe(aud === audience ? 200 : 401);
      }
      await client.post('/v1/admin/replay-check', { sample: 1 });
      const late = ['harn_webhook_dead_letters_total', SENT_TRACES, REPLAYED];
      await vi.waitUntil(async () => {
        const said = await samples(gateway);
        return late.every((name) => (said.get(name) ?? 0) > 0);
      }, 15_000);
      const found = await samples(gateway);
      await stream.close();
      return found;
    } finally {
      await gateway.close();
      await Promise.all([receiver.close(), issuer.close(), collector.close()]);
      vi.unstubAllEnvs();
    }
  }

  it('name the face of a task, and count who follows', async () => {
    const { gateway, run } = await stage();
    const { client } = gateway;
    const id = await run(ASKED);
    await client.until(id, 'INPUT_REQUIRED');
    const stream = await EventStreamClient.open(client, `/v1/tasks/${id}/stream`);
    expect(stream.status).toBe(200);
    await expect.poll(async () => (await samples(gateway)).get('harn_followers{state="live"}')).toBe(1);
    const found = await samples(gateway);
    expect(found.get('harn_follower_lag_events')).toBe(0);
    const opened = [...found.keys()].filter((name) => /_count\{.*face="sse",outcome="ok"/.test(name));
    expect(opened).toHaveLength(1);
    await stream.close();
    await expect.poll(async () => (await samples(gateway)).get('harn_followers{state="live"}')).toBe(0);
    const a2a = await client.call('POST', '/a2a/moving', {
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] } },
      },
      headers: { 'a2a-version': '1.0' },
    });
    expect(a2a.status).toBe(200);
    const ended = 'harn_task_duration_seconds_count{agent="fake:moving",face="a2a",outcome="completed"}';
    await expect.poll(async () => (await samples(gateway)).get(ended)).toBe(1);
  });

  it('make no new series of names that callers or agents made up', async () => {
    const metrics = new Metrics({ agents: new Set(['a2a:shop']), operations: ['getTask'] });
    for (let n = 0; n < 200; n += 1) {
      const made = `${SECRET_NAME}${n}`;
      metrics.record('harn_request_duration_seconds', { operation: made, face: made, outcome: made }, 1);
      metrics.record('harn_task_duration_seconds', { agent: made, face: made, outcome: made }, 1);
      metrics.record('harn_upstream_errors_total', { agent: made, code: made }, 1);
      const currency = `X${String.fromCharCode(65 + (n % 26))}${String.fromCharCode(65 + Math.floor(n / 26))}`;
      metrics.record('harn_cost_total', { agent: made, currency }, 1);
    }
    const { text } = await metrics.read();
    expect(text).not.toContain('made up');
    const of = (name: string) => text.split('\n').filter((line) => line.startsWith(`${name}{`));
    expect(of('harn_request_duration_seconds_count')).toHaveLength(1);
    expect(of('harn_task_duration_seconds_count')).toHaveLength(1);
    expect(of('harn_upstream_errors_total')).toHaveLength(1);
    expect(of('harn_cost_total')).toHaveLength(17);
  });

  it.each([
    ['http/protobuf', true],
    ['http/json', true],
    ['http/protobuf', false],
  ])(
    'go to a receiver of OpenTelemetry as they are shown, as %s, with /metrics: %s',
    async (protocol, shown) => {
      const collector = kept(await OtlpCollector.start());
      const otlp = { endpoint: collector.url, protocol, signals: ['metrics'] };
      const gateway = kept(await startTestGateway({ config: { telemetry: { metrics: shown, otlp } } }));
      await gateway.client.session();
      await gateway.client.call('GET', '/v1/tasks/task_none');
      const before = shown ? await samples(gateway) : undefined;
      expect((await gateway.client.call('GET', '/metrics')).status).toBe(shown ? 200 : 404);
      await closeNow(gateway);
      const sent = collector.metrics();
      const calls = sent.get('harn_request_duration_seconds');
      const refused = calls?.points.find(({ attributes }) => attributes['operation'] === 'getTask');
      expect([calls?.kind, refused?.count, refused?.attributes]).toEqual([
        'histogram',
        1,
        { operation: 'getTask', face: 'rest', outcome: 'resource_not_found' },
      ]);
      expect(refused?.bounds).toHaveLength(METRICS.harn_request_duration_seconds.buckets.length);
      expect(refused?.counts).toHaveLength((refused?.bounds?.length ?? 0) + 1);
      expect(refused?.counts?.reduce((sum, count) => sum + count, 0)).toBe(1);
      expect(sent.get('harn_calls_refused_total')).toMatchObject({
        kind: 'sum',
        points: [{ attributes: { code: 'resource_not_found' }, value: 1 }],
      });
      expect(sent.get('harn_log_commits')?.kind).toBe('gauge');
      expect(sent.get('harn_store_bytes')?.points[0]?.value).toBeGreaterThan(0);
      const names = [...(before?.keys() ?? [])].map((line) =>
        line.replace(/(_bucket|_sum|_count)?(\{.*)?$/, ''),
      );
      expect(names.filter((name) => !sent.has(name) && !name.endsWith('_info'))).toEqual([]);
      expect(collector.spans()).toEqual([]);
      expect(collector.text).not.toContain(gateway.client.key);
    },
  );

  it('are not measured where the operator wants none', async () => {
    const gateway = kept(await startTestGateway({ config: { telemetry: { metrics: false } } }));
    expect((await gateway.client.call('GET', '/metrics')).status).toBe(404);
    const { id } = await gateway.client.session();
    expect(id).toMatch(/^session_/);
  });
});
