import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AcpClient } from '../harness/acp-client.ts';
import { userText } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { keeper } from '../harness/keeper.ts';
import { postStateless, sendWithSession } from '../harness/mcp-post.ts';
import { OtlpCollector, type SentSpan } from '../harness/otlp-collector.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { heardBy, hearingAcpAgent, hearingMcpServer } from '../harness/trace-hearing-peers.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${CALLER}-01`;
const CLIENT = 3;
const SERVER = 2;

describe('a trace over the protocols', () => {
  const { kept, closeNow } = keeper();
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'harn-traces-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const fileOf = (name: string) => join(dir, name);

  async function stage({ isOn = true } = {}) {
    const collector = kept(await OtlpCollector.start());
    const sample = kept(await startSampleAgent());
    const otlp = { endpoint: collector.url, signals: ['traces'] };
    const gateway = kept(
      await startTestGateway({
        config: {
          ...(isOn ? { telemetry: { otlp } } : {}),
          upstreams: {
            a2a: [{ id: 'sample', card: sample.cardUrl }],
            acp: [{ id: 'coder', command: hearingAcpAgent(fileOf('coder')) }],
            mcp: [
              { id: 'tools', command: hearingMcpServer(fileOf('tools'), 'sessions') },
              { id: 'modern', command: hearingMcpServer(fileOf('modern'), 'stateless') },
            ],
          },
        },
      }),
    );
    await expect
      .poll(async () => JSON.stringify(await gateway.client.get('/v1/skills')))
      .toMatch(/tools__hear.*modern__hear|modern__hear.*tools__hear/s);
    /** Ends the gateway, so that all spans are sent; those of the caller's trace. */
    const spans = async () => {
      await closeNow(gateway);
      return collector.spans().filter(({ traceId }) => traceId === TRACE);
    };
    const submit = async (route: string, value?: object, traceparent = TRACEPARENT) => {
      const { id } = await gateway.client.session();
      const input =
        value === undefined
          ? userText('one two')
          : { role: 'user', parts: [{ type: 'json', value, visibility: 'public' }] };
      const { body } = await gateway.client.call<{ id: string }>('POST', `/v1/sessions/${id}/tasks`, {
        body: { input, metadata: { route } },
        headers: { traceparent },
      });
      return gateway.client.until(body.id, 'COMPLETED', 'FAILED');
    };
    return { collector, sample, gateway, submit, spans };
  }

  const CALL = { skill_id: 'hear', input: {} };

  it.each([
    ['a2a:sample', undefined, 'SendStreamingMessage'],
    ['acp:coder', undefined, 'session/prompt'],
    ['mcp:tools', CALL, 'tools/call hear'],
    ['mcp:modern', CALL, 'tools/call hear'],
  ])('goes on to %s in a span of the exchange', async (route, value, name) => {
    const { sample, submit, spans } = await stage();
    await submit(route, value);
    const heard = heardAt(route, sample.requests);
    const found = await spans();
    const exchange = found.find((span) => span.name === name);
    const turn = found.find((span) => span.name === 'turn');
    expect([exchange?.kind, exchange?.parentSpanId]).toEqual([CLIENT, turn?.spanId]);
    expect(heard).toContain(`00-${TRACE}-${exchange?.spanId}-01`);
    expect(pathOf(found, exchange)).toEqual([
      name,
      'turn',
      `invoke_agent ${route}`,
      'POST /v1/sessions/{session_id}/tasks',
    ]);
    const clients = found.filter(({ kind }) => kind === CLIENT);
    for (const { spanId } of clients) expect(heard).toContain(`00-${TRACE}-${spanId}-01`);
  });

  function heardAt(route: string, requests: readonly { headers: Record<string, unknown> }[]) {
    if (route === 'a2a:sample') return requests.map(({ headers }) => headers['traceparent']);
    return heardBy(fileOf(route.slice(4))).map(([, traceparent]) => traceparent);
  }

  it.each(['a2a:sample', 'acp:coder', 'mcp:tools', 'mcp:modern'])(
    'goes on to %s also where nothing is recorded, with the flag of its caller',
    async (route) => {
      const { sample, submit, collector } = await stage({ isOn: false });
      const unsampled = `00-${TRACE}-${CALLER}-00`;
      const value = route.startsWith('mcp:') ? CALL : undefined;
      await submit(route, value);
      await submit(route, value, unsampled);
      const heard = heardAt(route, sample.requests).filter((each) => String(each).includes(TRACE));
      const flags = new Set(heard.map((each) => String(each).slice(-3)));
      expect(flags).toEqual(new Set(['-01', '-00']));
      expect(heard.some((each) => String(each).includes(CALLER))).toBe(false);
      expect(collector.received).toEqual([]);
    },
  );

  it('says of an exchange that failed what it failed with', async () => {
    const { submit, spans } = await stage();
    await submit('mcp:tools', { ...CALL, input: { fail: true } });
    const exchange = (await spans()).find(({ name }) => name === 'tools/call hear');
    expect([exchange?.status, exchange?.attributes]).toMatchObject([
      2,
      {
        'error.type': '-32042',
        'mcp.method.name': 'tools/call',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'hear',
        'network.transport': 'pipe',
      },
    ]);
  });

  const authorization = ({ client }: TestGateway) => `Bearer ${client.key}`;
  /** How each face is called; where a message may say its trace, the header says none. */
  const FACES: Record<string, (gateway: TestGateway) => Promise<void>> = {
    a2a: async (gateway) => {
      const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
      const answer = await gateway.client.call('POST', '/a2a/sample', {
        body: { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } },
        headers: { 'a2a-version': '1.0', traceparent: TRACEPARENT },
      });
      expect(answer.status).toBe(200);
    },
    acp: async (gateway) => {
      const client = await AcpClient.overSocket(gateway.url, gateway.client.key);
      const { sessionId } = await client.session();
      const prompt = [{ type: 'text' as const, text: 'hello' }];
      await client.agent.request('session/prompt', {
        sessionId,
        prompt,
        _meta: { traceparent: TRACEPARENT },
      });
      client.close();
    },
    mcp: async (gateway) => {
      const initialize = {
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'x', version: '1' },
        },
      };
      const opened = await sendWithSession(gateway, 'POST', {}, initialize);
      await opened.text();
      const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      await sendWithSession(gateway, 'POST', session, { method: 'notifications/initialized' });
      const params = { name: 'tools__hear', arguments: {}, _meta: { traceparent: TRACEPARENT } };
      const call = { id: 2, method: 'tools/call', params };
      expect(await (await sendWithSession(gateway, 'POST', session, call)).text()).toContain('heard');
    },
    'mcp without sessions': async (gateway) => {
      const headers = { authorization: authorization(gateway), traceparent: TRACEPARENT };
      const params = { name: 'tools__hear', arguments: {} };
      const answer = await postStateless(`${gateway.url}/mcp`, headers, 'tools/call', params);
      expect(await answer.text()).toContain('heard');
    },
  };

  it.each(Object.keys(FACES))(
    'comes in by %s: the request is in it, and the task in the request',
    async (face) => {
      const { gateway, spans } = await stage();
      await FACES[face]?.(gateway);
      const found = await spans();
      const root = found.find(({ name }) => name.startsWith('invoke_agent'));
      const request = found.find(({ spanId }) => spanId === root?.parentSpanId);
      expect([request?.kind, request?.parentSpanId]).toEqual([SERVER, CALLER]);
      const admission = request?.events.find(({ attributes }) =>
        /submit/.test(String(attributes['harn.operation'])),
      );
      expect([admission?.name, admission?.attributes['harn.face']]).toEqual(['admission', face.slice(0, 3)]);
    },
  );
});

/** Names from a span up to the last one that was sent. */
function pathOf(spans: readonly SentSpan[], span: SentSpan | undefined): string[] {
  if (span === undefined) return [];
  return [
    span.name,
    ...pathOf(
      spans,
      spans.find(({ spanId }) => spanId === span.parentSpanId),
    ),
  ];
}
