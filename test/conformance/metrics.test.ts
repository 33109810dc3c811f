import { afterEach, describe, expect, it, vi } from 'vitest';
import { METRICS, OTHER } from '#operation/metric-table.ts';
import { Metrics } from '#operation/metrics.ts';
import type { Move } from '#protocol-client.ts';
import { EventStreamClient } from '../harness/event-stream.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { keeper } from '../harness/keeper.ts';
import { MovingClient } from '../harness/moving-client.ts';
import { OtlpCollector } from '../harness/otlp-collector.ts';
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

describe('the metrics', () => {
  const { kept, closeNow } = keeper();
  afterEach(() => vi.unstubAllEnvs());
  const stage = async () => {
    const receiver = kept(await startReceiver());
    const collector = kept(await OtlpCollector.start());
    vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '10');
    const gateway = kept(
      await startTestGateway({
        extraClients: [new MovingClient()],
        config: {
          outbound: { allow: ['127.0.0.1'] },
          telemetry: { otlp: { endpoint: collector.url } },
        },
      }),
    );
    const run = async (moves: readonly Move[]) => {
      const { id } = await gateway.client.session();
      const part = { type: 'json', value: { moves }, visibility: 'public' };
      const input = { role: 'user', parts: [part] };
      const task = await gateway.client.post<{ id: string }>(`/v1/sessions/${id}/tasks`, { input });
      return task.id;
    };
    return { receiver, collector, gateway, run };
  };

  it('are all emitted, each by work that it is about, with the labels of the table', async () => {
    const { receiver, gateway, run } = await stage();
    const { client } = gateway;
    receiver.answer = () => 410;
    await client.until(await run(USED), 'COMPLETED');
    await client.until(await run(FAILED), 'FAILED');
    const asking = await run(ASKED);
    await client.until(asking, 'INPUT_REQUIRED');
    await client.post(`/v1/tasks/${asking}/push-configs`, { url: receiver.url });
    await client.answer(asking, 'that one');
    await client.until(asking, 'COMPLETED');
    expect((await client.call('GET', '/v1/tasks/task_none')).status).toBe(404);
    await expect
      .poll(async () => (await samples(gateway)).get('harn_webhook_dead_letters_total'))
      .toBeGreaterThan(0);
    const sent = 'harn_telemetry_items_total{signal="traces",outcome="sent"}';
    await expect.poll(async () => (await samples(gateway)).get(sent)).toBeGreaterThan(0);
    const found = await samples(gateway);
    const names = [...found.keys()].map((name) =>
      name.replace(/\{.*$/, '').replace(/_(bucket|sum|count)$/, ''),
    );
    for (const name of Object.keys(METRICS)) expect(names).toContain(name);
    const agent = 'agent="fake:moving"';
    expect(found.get(`harn_tokens_total{${agent},direction="input"}`)).toBe(100);
    expect(found.get(`harn_tokens_total{${agent},direction="output"}`)).toBe(9);
    expect(found.get(`harn_cost_total{${agent},currency="EUR"}`)).toBe(0.25);
    expect(found.get(`harn_upstream_errors_total{${agent},code="${OTHER}"}`)).toBe(1);
    const task = `harn_task_duration_seconds_count{${agent},face="rest"`;
    expect(found.get(`${task},outcome="completed"}`)).toBe(2);
    expect(found.get(`${task},outcome="failed"}`)).toBe(1);
    expect(found.get(`harn_task_queue_seconds_count{${agent}}`)).toBe(3);
    expect(found.get(`harn_task_first_frame_seconds_count{${agent},face="rest"}`)).toBe(3);
    expect(found.get(`harn_tool_call_duration_seconds_count{${agent},face="rest",outcome="completed"}`)).toBe(
      1,
    );
    expect(found.get(`harn_permission_wait_seconds_count{${agent},outcome="approved"}`)).toBe(1);
    expect(found.get('harn_webhook_delivery_duration_seconds_count{outcome="rejected"}')).toBeGreaterThan(0);
    const refused = 'operation="getTask",face="rest",outcome="resource_not_found"';
    expect(found.get(`harn_request_duration_seconds_count{${refused}}`)).toBe(1);
    expect(found.get('harn_log_group_transactions_count')).toBe(found.get('harn_log_write_seconds_count'));
    expect(found.get('harn_store_bytes')).toBeGreaterThan(0);
  });

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
