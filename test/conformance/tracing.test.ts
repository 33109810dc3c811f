import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Move } from '#protocol-client.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { keeper } from '../harness/keeper.ts';
import { MovingClient } from '../harness/moving-client.ts';
import { closeServer, listenOnLoopback } from '../harness/peers/peer.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const CONTENT = 'what nobody but the agent may read';

interface SentSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number };
}

/** A receiver of OTLP over HTTP that keeps what it got. */
async function startCollector() {
  const texts: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (request.url === '/v1/traces') texts.push(text);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const url = await listenOnLoopback(server, 0);
  const spans = (): SentSpan[] =>
    texts.flatMap((text) =>
      (
        JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }
      ).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );
  return { url, texts, spans, close: () => closeServer(server) };
}

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

describe('the traces of tasks', () => {
  const { kept, closeNow } = keeper();

  async function traced(options: (url: string) => Parameters<typeof startTestGateway>[0]) {
    const collector = kept(await startCollector());
    const agent = new MovingClient();
    const gateway = kept(await startTestGateway({ extraClients: [agent], ...options(collector.url) }));
    const submit = async (moves: readonly Move[]) => {
      const { id } = await gateway.client.session();
      const parts = [{ type: 'json', value: { moves, said: CONTENT }, visibility: 'public' }];
      const { body } = await gateway.client.call<{ id: string }>('POST', `/v1/sessions/${id}/tasks`, {
        body: { input: { role: 'user', parts } },
        headers: { traceparent: `00-${TRACE}-${CALLER}-01` },
      });
      return body.id;
    };
    return { collector, agent, gateway, submit };
  }

  it('are one for each task, of the caller and to the agent, with every wait in it and nothing that was said', async () => {
    const { collector, agent, gateway, submit } = await traced((endpoint) => ({
      config: { telemetry: { otlp: { endpoint } } },
    }));
    const id = await submit(MOVES);
    await gateway.client.until(id, 'INPUT_REQUIRED');
    await gateway.client.answer(id, CONTENT);
    await gateway.client.until(id, 'COMPLETED');
    await closeNow(gateway);
    const spans = collector.spans();
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    const named = (name: string) => spans.filter((span) => span.name === name);
    const [root] = named('invoke_agent fake:moving');
    expect(root).toMatchObject({ parentSpanId: CALLER, kind: 2 });
    const attributes = Object.fromEntries(root?.attributes.map(({ key, value }) => [key, value]) ?? []);
    expect(attributes).toMatchObject({
      'gen_ai.operation.name': { stringValue: 'invoke_agent' },
      'gen_ai.agent.name': { stringValue: 'fake:moving' },
      'gen_ai.usage.input_tokens': { intValue: 70 },
      'harn.task.id': { stringValue: id },
      'harn.task.outcome': { stringValue: 'completed' },
    });
    expect(named('queue').map(({ parentSpanId }) => parentSpanId)).toEqual([root?.spanId]);
    const turns = named('turn');
    const given = agent.turns.map(({ traceparent }) => traceparent);
    expect(turns.map(({ spanId }) => `00-${TRACE}-${spanId}-01`)).toEqual(given);
    expect(turns.map(({ parentSpanId }) => parentSpanId)).toEqual([root?.spanId, root?.spanId]);
    const [tool] = named('execute_tool look');
    expect(tool?.parentSpanId).toBe(turns[0]?.spanId);
    expect(tool?.attributes).toContainEqual({
      key: 'mcp.method.name',
      value: { stringValue: 'tools/call' },
    });
    const [wait] = named('permission');
    expect(BigInt(wait?.endTimeUnixNano ?? 0)).toBeGreaterThan(BigInt(wait?.startTimeUnixNano ?? 0));
    expect(named('commit').length).toBeGreaterThan(2);
    expect(spans.every(({ endTimeUnixNano }) => BigInt(endTimeUnixNano) > 0n)).toBe(true);
    const sent = collector.texts.join('\n');
    expect(sent).not.toContain(CONTENT);
    expect(sent).not.toContain(gateway.client.key);
  });

  it('say which failure ended a task', async () => {
    const { collector, gateway, submit } = await traced((endpoint) => ({
      config: { telemetry: { otlp: { endpoint } } },
    }));
    const failure = { code: 'runtime_error', message: CONTENT, type: 'runtime_error' } as const;
    await gateway.client.until(await submit([{ type: 'status', to: 'FAILED', failure }]), 'FAILED');
    await closeNow(gateway);
    const root = collector.spans().find(({ name }) => name.startsWith('invoke_agent'));
    expect(root?.status.code).toBe(2);
    expect(root?.attributes).toContainEqual({ key: 'error.type', value: { stringValue: 'runtime_error' } });
    expect(collector.texts.join('\n')).not.toContain(CONTENT);
  });

  it('are sent nowhere unless the operator says where', async () => {
    const { collector, gateway, submit } = await traced(() => ({}));
    await gateway.client.until(await submit([]), 'COMPLETED');
    await closeNow(gateway);
    expect(collector.texts).toEqual([]);
  });
});
