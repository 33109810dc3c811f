import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Move } from '#protocol-client.ts';
import { userText } from '../harness/client.ts';
import { startTestGateway, type TestGatewayOptions } from '../harness/gateway.ts';
import { keeper } from '../harness/keeper.ts';
import { MovingClient } from '../harness/moving-client.ts';
import { OtlpCollector, type SentSpan } from '../harness/otlp-collector.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const OTHER_TRACE = 'c0ffee2577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const SAMPLED = `00-${TRACE}-${CALLER}-01`;
const CONTENT = 'what nobody but the agent may read';
const SECRET = 'sk-live-canary-8f41c09d7e5b4a6f';

const TOOL = { toolCallId: 'call-1', name: 'look', server: 'files' };
const MOVES: Move[] = [
  { type: 'tool', tool: { ...TOOL, step: 'requested', input: { path: CONTENT } } },
  { type: 'tool', tool: { ...TOOL, step: 'completed', output: CONTENT } },
  { type: 'usage', usage: { counts: 'total', input_tokens: 70, output_tokens: 5 } },
  {
    type: 'status',
    to: 'INPUT_REQUIRED',
    message: { role: 'agent', parts: [{ type: 'text', text: CONTENT, visibility: 'public' }] },
  },
];
const SAID: Move[] = [
  {
    type: 'message',
    message: {
      role: 'agent',
      parts: [{ type: 'text', text: `${CONTENT} ${SECRET}`, visibility: 'public' }],
    },
  },
];

describe('the traces of tasks', () => {
  const { kept, closeNow, keptFolder } = keeper();
  afterEach(() => vi.unstubAllEnvs());

  async function traced(options: (url: string) => TestGatewayOptions = withEndpoint) {
    const collector = kept(await OtlpCollector.start());
    const agent = new MovingClient();
    const open = async (more: TestGatewayOptions = {}) =>
      kept(await startTestGateway({ extraClients: [agent], ...options(collector.url), ...more }));
    const gateway = await open();
    const submit = async (
      moves: readonly Move[],
      headers: Record<string, string> = {},
      { client } = gateway,
    ) => {
      const { id } = await client.session();
      const parts = [{ type: 'json', value: { moves, said: CONTENT }, visibility: 'public' }];
      const { body } = await client.call<{ id: string }>('POST', `/v1/sessions/${id}/tasks`, {
        body: { input: { role: 'user', parts } },
        headers: { traceparent: SAMPLED, ...headers },
      });
      return body.id;
    };
    return { collector, agent, gateway, open, submit };
  }

  const withEndpoint = (endpoint: string): TestGatewayOptions => ({
    config: { telemetry: { otlp: { endpoint, signals: ['traces'] } } },
  });

  it.each(['http/protobuf', 'http/json'])(
    'are one for each task, of the caller and to the agent, with every wait in it and nothing that was said, as %s',
    async (protocol) => {
      const { collector, agent, gateway, submit } = await traced((endpoint) => ({
        config: { telemetry: { otlp: { endpoint, protocol } } },
      }));
      const id = await submit(MOVES);
      await gateway.client.until(id, 'INPUT_REQUIRED');
      await gateway.client.answer(id, CONTENT);
      await gateway.client.until(id, 'COMPLETED');
      await closeNow(gateway);
      const spans = collector.spans().filter(({ traceId }) => traceId === TRACE);
      const named = (name: string) => spans.filter((span) => span.name === name);
      const [request] = named('POST /v1/sessions/{session_id}/tasks');
      expect(request).toMatchObject({
        parentSpanId: CALLER,
        kind: 2,
        attributes: {
          'http.request.method': 'POST',
          'http.route': '/v1/sessions/{session_id}/tasks',
          'http.response.status_code': 202,
        },
      });
      expect(request?.events).toMatchObject([
        { name: 'admission', attributes: { 'harn.face': 'rest', 'harn.operation': 'submitSessionTask' } },
      ]);
      const [root] = named('invoke_agent fake:moving');
      expect(root).toMatchObject({
        parentSpanId: request?.spanId,
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.provider.name': 'fake',
          'gen_ai.agent.name': 'fake:moving',
          'gen_ai.usage.input_tokens': 70,
          'harn.task.id': id,
          'harn.task.outcome': 'completed',
        },
      });
      const [commit, queue, ...others] = root?.events ?? [];
      expect([commit?.name, queue?.name]).toEqual(['commit', 'queue']);
      expect(Object.keys(queue?.attributes ?? {})).toEqual(['harn.duration_ms']);
      expect(Object.keys(commit?.attributes ?? {}).sort()).toEqual([
        'harn.duration_ms',
        'harn.log.transactions',
        'harn.log.write_ms',
      ]);
      expect(others.length).toBeGreaterThan(1);
      expect(others.every(({ name }) => name === 'commit')).toBe(true);
      expect(root?.events.every(({ timeNs }) => timeNs >= root.startNs)).toBe(true);
      const turns = named('turn');
      const given = agent.turns.map(({ traceparent }) => traceparent);
      expect(turns.map(({ spanId }) => `00-${TRACE}-${spanId}-01`)).toEqual(given);
      expect(turns.map(({ parentSpanId }) => parentSpanId)).toEqual([root?.spanId, root?.spanId]);
      const [tool] = named('execute_tool look');
      expect(tool).toMatchObject({
        parentSpanId: turns[0]?.spanId,
        attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'look' },
      });
      const [wait] = named('permission');
      expect(wait?.endNs).toBeGreaterThan(wait?.startNs ?? 0n);
      expect(collector.spans().every(({ startNs, endNs }) => endNs > 0n && endNs >= startNs)).toBe(true);
      expect(unknownAttributes(collector.spans())).toEqual([]);
      expect(collector.text).not.toContain(CONTENT);
      expect(collector.text).not.toContain(gateway.client.key);
      expect(collector.resources()[0]).toMatchObject({
        'service.name': 'harn-gateway',
        'service.version': '0.0.0-test',
      });
      const types = new Set(collector.received.map(({ contentType }) => contentType));
      expect(types).toEqual(
        new Set([protocol === 'http/json' ? 'application/json' : 'application/x-protobuf']),
      );
    },
  );

  it('have three spans for a task without tools and questions, and its admission, queue and commits as events', async () => {
    const { collector, gateway, submit } = await traced();
    await gateway.client.until(await submit([]), 'COMPLETED');
    await closeNow(gateway);
    const spans = collector.spans().filter(({ traceId }) => traceId === TRACE);
    const found = spans.map(({ name, events }) => [name, events.map((event) => event.name).sort()]);
    expect(found.sort()).toEqual([
      ['POST /v1/sessions/{session_id}/tasks', ['admission']],
      ['invoke_agent fake:moving', ['commit', 'commit', 'queue']],
      ['turn', []],
    ]);
  });

  it('keep the limits of the OTEL_* variables, and count the events beyond', async () => {
    vi.stubEnv('OTEL_SPAN_EVENT_COUNT_LIMIT', '1');
    vi.stubEnv('OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT', '20');
    const { collector, gateway, submit } = await traced((endpoint) => ({
      config: { telemetry: { otlp: { endpoint, content: true } } },
    }));
    await gateway.client.until(await submit([]), 'COMPLETED');
    await closeNow(gateway);
    const root = collector.spans().find(({ name }) => name.startsWith('invoke_agent'));
    expect([root?.events.length, root?.droppedEvents]).toEqual([1, 2]);
    expect(root?.attributes['gen_ai.input.messages']).toHaveLength(20);
  });

  it('follow the sampler, with what is wrong with its variables told once', async () => {
    vi.stubEnv('OTEL_TRACES_SAMPLER', 'traceidratio');
    vi.stubEnv('OTEL_TRACES_SAMPLER_ARG', '0');
    const none = await traced();
    await none.gateway.client.until(await none.submit([]), 'COMPLETED');
    await closeNow(none.gateway);
    expect(none.collector.spans()).toEqual([]);
    vi.stubEnv('OTEL_TRACES_SAMPLER', 'sometimes');
    const all = await traced();
    await all.gateway.client.until(await all.submit([]), 'COMPLETED');
    await closeNow(all.gateway);
    expect(all.collector.spans().filter(({ traceId }) => traceId === TRACE).length).toBe(3);
    expect(all.gateway.logText()).toContain('OTEL_TRACES_SAMPLER=sometimes is not known');
  });

  it('link a turn to the call of another trace that let it go on, and that call to the task', async () => {
    const { collector, gateway, submit } = await traced();
    const id = await submit(MOVES);
    await gateway.client.until(id, 'INPUT_REQUIRED');
    await gateway.client.call('POST', `/v1/tasks/${id}/messages`, {
      body: { kind: 'input', message: userText(CONTENT) },
      headers: { traceparent: `00-${OTHER_TRACE}-${CALLER}-01` },
    });
    await gateway.client.until(id, 'COMPLETED');
    await closeNow(gateway);
    const spans = collector.spans();
    const answer = spans.find(({ traceId, kind }) => traceId === OTHER_TRACE && kind === 2);
    const root = spans.find(({ name }) => name.startsWith('invoke_agent'));
    const [, second] = spans.filter(({ name }) => name === 'turn');
    expect(second?.links).toEqual([
      { traceId: OTHER_TRACE, spanId: answer?.spanId, attributes: { 'harn.link': 'woken_by' } },
    ]);
    expect(answer?.links).toEqual([
      { traceId: TRACE, spanId: root?.spanId, attributes: { 'harn.link': 'about' } },
    ]);
  });

  it('link a submission that is given again under its key to the task that there is', async () => {
    const { collector, gateway } = await traced();
    const { id } = await gateway.client.session();
    const send = (trace: string) =>
      gateway.client.call<{ id: string }>('POST', `/v1/sessions/${id}/tasks`, {
        body: { input: userText('once') },
        headers: { 'idempotency-key': 'once', traceparent: `00-${trace}-${CALLER}-01` },
      });
    const [first, again] = [await send(TRACE), await send(OTHER_TRACE)];
    expect(again.body.id).toBe(first.body.id);
    await gateway.client.until(first.body.id, 'COMPLETED');
    await closeNow(gateway);
    const spans = collector.spans();
    const root = spans.find(({ name }) => name.startsWith('invoke_agent'));
    expect(spans.filter(({ name }) => name.startsWith('invoke_agent')).length).toBe(1);
    const repeated = spans.find(({ traceId, kind }) => traceId === OTHER_TRACE && kind === 2);
    expect(repeated?.links).toEqual([
      { traceId: TRACE, spanId: root?.spanId, attributes: { 'harn.link': 'repeats' } },
    ]);
  });

  it('link a replay to the task that it replays', async () => {
    const { collector, gateway, submit } = await traced();
    const id = await submit([]);
    await gateway.client.until(id, 'COMPLETED');
    const { body } = await gateway.client.call<{ id: string }>('POST', `/v1/tasks/${id}/replay`, {
      body: { mode: 'exact' },
      headers: { traceparent: `00-${OTHER_TRACE}-${CALLER}-01` },
    });
    await gateway.client.until(body.id, 'COMPLETED');
    await closeNow(gateway);
    const roots = collector.spans().filter(({ name }) => name.startsWith('invoke_agent'));
    const source = roots.find(({ attributes }) => attributes['harn.task.id'] === id);
    const replayed = roots.find(({ attributes }) => attributes['harn.task.id'] === body.id);
    expect(replayed?.links).toEqual([
      { traceId: TRACE, spanId: source?.spanId, attributes: { 'harn.link': 'replays' } },
    ]);
  });

  it('go on after a restart in the same trace, linked to where the task began', async () => {
    const data = keptFolder();
    const { collector, gateway, open, submit } = await traced((endpoint) => ({
      ...withEndpoint(endpoint),
      data,
    }));
    const id = await submit(MOVES);
    await gateway.client.until(id, 'INPUT_REQUIRED');
    await closeNow(gateway);
    const next = await open();
    await next.client.answer(id, CONTENT);
    await next.client.until(id, 'COMPLETED');
    await closeNow(next);
    const [first, second] = collector.spans().filter(({ name }) => name.startsWith('invoke_agent'));
    expect([first?.traceId, second?.traceId]).toEqual([TRACE, TRACE]);
    expect(second?.links).toEqual([
      { traceId: TRACE, spanId: first?.spanId, attributes: { 'harn.link': 'resumes' } },
    ]);
    expect(second?.attributes['harn.task.outcome']).toBe('completed');
  });

  it('are not recorded where the caller records nothing, and its agent is told so, after a restart too', async () => {
    const data = keptFolder();
    const { collector, agent, gateway, open, submit } = await traced((endpoint) => ({
      ...withEndpoint(endpoint),
      data,
    }));
    const id = await submit(MOVES, { traceparent: `00-${TRACE}-${CALLER}-00` });
    await gateway.client.until(id, 'INPUT_REQUIRED');
    await closeNow(gateway);
    const next = await open();
    await next.client.answer(id, CONTENT);
    await next.client.until(id, 'COMPLETED');
    const events = await next.client.events(`/v1/tasks/${id}/events`);
    expect(events[0]?.['trace_id']).toBe(TRACE);
    await closeNow(next);
    expect(collector.spans().filter(({ traceId }) => traceId === TRACE)).toEqual([]);
    expect(agent.turns.map(({ traceparent }) => traceparent?.slice(-3))).toEqual(['-00', '-00']);
  });

  it('are those that OTEL_TRACES_SAMPLER lets through', async () => {
    vi.stubEnv('OTEL_TRACES_SAMPLER', 'always_off');
    const none = await traced();
    await none.gateway.client.until(await none.submit([]), 'COMPLETED');
    await closeNow(none.gateway);
    expect(none.collector.spans()).toEqual([]);
    expect(none.agent.turns[0]?.traceparent).toMatch(/-00$/);
    vi.stubEnv('OTEL_TRACES_SAMPLER', 'always_on');
    const all = await traced();
    await all.gateway.client.until(
      await all.submit([], { traceparent: `00-${TRACE}-${CALLER}-00` }),
      'COMPLETED',
    );
    await closeNow(all.gateway);
    expect(all.collector.spans().some(({ name }) => name.startsWith('invoke_agent'))).toBe(true);
    expect(all.agent.turns[0]?.traceparent).toMatch(/-01$/);
  });

  it('hold what was said only where the operator wants that, and then no secret', async () => {
    const { collector, gateway, submit } = await traced((endpoint) => ({
      config: { telemetry: { otlp: { endpoint, content: true } } },
    }));
    const spoken = [...MOVES.slice(0, 2), ...SAID] as Move[];
    await gateway.client.until(await submit(spoken), 'COMPLETED');
    await closeNow(gateway);
    const of = (start: string) => collector.spans().find(({ name }) => name.startsWith(start))?.attributes;
    const input = JSON.parse(String(of('invoke_agent')?.['gen_ai.input.messages'])) as unknown[];
    expect(input).toMatchObject([{ role: 'user', parts: [{ type: 'json' }] }]);
    const output = JSON.parse(String(of('invoke_agent')?.['gen_ai.output.messages'])) as object[];
    expect(output).toMatchObject([{ role: 'assistant', parts: [{ type: 'text' }] }]);
    expect(JSON.stringify(output)).toContain(CONTENT);
    expect(of('execute_tool')?.['gen_ai.tool.call.arguments']).toBe(JSON.stringify({ path: CONTENT }));
    expect(collector.text).not.toContain(SECRET);
    expect(unknownAttributes(collector.spans())).toEqual([]);
  });

  it('are named by the log lines of their requests and tasks', async () => {
    const { agent, gateway, submit } = await traced();
    agent.run = () => {
      throw new Error('a fault of our own');
    };
    const id = await submit([]);
    await gateway.client.until(id, 'FAILED');
    await closeNow(gateway);
    const lines = gateway
      .logText()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.find(({ route }) => route === '/v1/sessions/{session_id}/tasks')).toMatchObject({
      trace_id: TRACE,
    });
    expect(lines.find(({ task_id }) => task_id === id)).toMatchObject({ level: 'error', trace_id: TRACE });
  });

  it('say which failure ended a task', async () => {
    const { collector, gateway, submit } = await traced();
    const failure = { code: 'runtime_error', message: CONTENT, type: 'runtime_error' } as const;
    await gateway.client.until(await submit([{ type: 'status', to: 'FAILED', failure }]), 'FAILED');
    await closeNow(gateway);
    const root = collector.spans().find(({ name }) => name.startsWith('invoke_agent'));
    expect(root?.status).toBe(2);
    expect(root?.attributes['error.type']).toBe('runtime_error');
    expect(collector.text).not.toContain(CONTENT);
  });

  it('say why a call was refused, and strangers make none', async () => {
    const { collector, gateway } = await traced();
    await gateway.client.call('GET', '/v1/tasks/task_none', { headers: { traceparent: SAMPLED } });
    await fetch(`${gateway.url}/v1/tasks/task_none`, {
      headers: { traceparent: `00-${OTHER_TRACE}-${CALLER}-01`, authorization: 'Bearer nobody' },
    });
    await closeNow(gateway);
    const spans = collector.spans();
    expect(spans.find(({ name }) => name === 'GET /v1/tasks/{task_id}')?.attributes).toMatchObject({
      'error.type': 'resource_not_found',
      'http.response.status_code': 404,
    });
    expect(spans.filter(({ traceId }) => traceId === OTHER_TRACE)).toEqual([]);
  });

  it('are sent nowhere unless the operator says where', async () => {
    const { collector, gateway, submit } = await traced(() => ({}));
    await gateway.client.until(await submit([]), 'COMPLETED');
    await closeNow(gateway);
    expect(collector.received).toEqual([]);
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', '', true],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '/v1/traces', true],
    ['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', '/v1/metrics', false],
  ])('go to where %s says', async (variable, path, isSent) => {
    const { collector, gateway, submit } = await traced((url) => ({ env: { [variable]: url + path } }));
    await gateway.client.until(await submit([]), 'COMPLETED');
    await closeNow(gateway);
    expect(collector.spans().length > 0).toBe(isSent);
  });

  it.each([
    { OTEL_SDK_DISABLED: 'true' },
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  ])('go nowhere with %j', async (env) => {
    const { collector, gateway, submit } = await traced((endpoint) => ({ ...withEndpoint(endpoint), env }));
    await gateway.client.until(await submit([]), 'COMPLETED');
    await closeNow(gateway);
    expect(collector.received).toEqual([]);
    const said = gateway.logText().includes('the protocol grpc is not spoken');
    expect(said).toBe('OTEL_EXPORTER_OTLP_PROTOCOL' in env);
  });
});

/** Attributes that are neither names of the conventions nor our own. */
function unknownAttributes(spans: readonly SentSpan[]): string[] {
  const known = new Set<unknown>(Object.values(conventions));
  const all = spans.flatMap(({ attributes, events }) => [
    attributes,
    ...events.map((event) => event.attributes),
  ]);
  const named = new Set(all.flatMap((attributes) => Object.keys(attributes)));
  return [...named].filter((name) => !known.has(name) && !name.startsWith('harn.'));
}
