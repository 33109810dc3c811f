import { afterEach, describe, expect, it } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../harness/peers/fault-proxy.ts';
import { startHarnServeAgent } from '../harness/peers/harn-serve-agent.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { result, rpcError, socket, stream } from '../harness/peers/script.ts';
import { startScriptedAgent } from '../harness/peers/scripted-agent.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const peer of open.splice(0)) await peer.close();
});

function kept<T extends Peer | FaultProxy>(peer: T): T {
  open.push(peer);
  return peer;
}

function call(url: string, method: string, params: object = {}): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 5, method, params });
  return fetch(`${url}/rpc`, { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
}

describe('the scripted agent', () => {
  it('serves its card and answers an unscripted method with -32601', async () => {
    const peer = kept(await startScriptedAgent({}));
    expect(await (await fetch(peer.cardUrl)).json()).toMatchObject({ name: 'Scripted agent' });
    expect(await (await call(peer.url, 'X')).json()).toMatchObject({ id: 5, error: { code: -32601 } });
    expect(peer.requests.map((request) => request.operation)).toEqual([
      'GET /.well-known/agent-card.json',
      'X',
    ]);
  });

  it('answers from a list in order and repeats the last answer', async () => {
    const peer = kept(await startScriptedAgent({ X: [rpcError(-32603, 'first'), result('then')] }));
    const answers = [];
    for (let n = 0; n < 3; n += 1) answers.push(await (await call(peer.url, 'X')).json());
    expect(answers).toMatchObject([{ error: { message: 'first' } }, { result: 'then' }, { result: 'then' }]);
  });

  it('sends frames with the id of the request, bytes as they are, and drips', async () => {
    const script = { X: stream({ result: 1 }, { send: ': note\n\n' }, { drip: 'data: z\n\n', everyMs: 1 }) };
    const peer = kept(await startScriptedAgent(script));
    const text = await (await call(peer.url, 'X')).text();
    expect(text).toBe('data: {"jsonrpc":"2.0","id":5,"result":1}\n\n: note\n\ndata: z\n\n');
  });

  it('waits for the test, floods, resets and writes bare bytes', async () => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const peer = kept(
      await startScriptedAgent({
        wait: stream({ until: gate }, { send: 'end' }),
        flood: stream({ flood: 1_000_000 }),
        reset: stream({ send: 'data' }, { reset: true }),
        bare: socket({ send: 'NOT HTTP\r\n\r\n' }),
      }),
    );
    const waiting = await call(peer.url, 'wait');
    go();
    expect(await waiting.text()).toBe('end');
    expect((await (await call(peer.url, 'flood')).text()).length).toBe(1_000_000);
    const reset = await call(peer.url, 'reset');
    await expect(reset.text()).rejects.toThrow();
    await expect(call(peer.url, 'bare')).rejects.toThrow();
  });

  it('tells when a client leaves early', async () => {
    const peer = kept(await startScriptedAgent({ X: stream({ send: 'data' }, { hang: true }) }));
    const response = await call(peer.url, 'X');
    await response.body?.cancel();
    await expect.poll(() => peer.abandoned).toEqual(['X']);
  });
});

describe('the agent that speaks as harn serve does', () => {
  const message = (text: string) => ({
    message: { id: 'u1', role: 'user', parts: [{ type: 'text', text }] },
  });

  it.each(['type', 'member'] as const)('streams frames with a null id, told apart by %s', async (frames) => {
    const peer = kept(await startHarnServeAgent({ frames }));
    const text = await (await call(peer.url, 'message/stream', message('hi'))).text();
    const events = text
      .split('\n\n')
      .filter(Boolean)
      .map((block) => JSON.parse(block.slice('data: '.length)));
    expect(events.map((event) => event.id)).toEqual([null, null]);
    const updates = events.map(({ result: seen }) => (frames === 'type' ? seen : seen.statusUpdate));
    expect(updates.map((update) => update.status.state)).toEqual(['working', 'completed']);
  });

  it('spells a canceled task "cancelled" and gives tasks no kind', async () => {
    const peer = kept(await startHarnServeAgent());
    const sent = await (await call(peer.url, 'message/send', message('slow'))).json();
    const { id } = (sent as { result: { id: string } }).result;
    const canceled = (await (await call(peer.url, 'tasks/cancel', { id })).json()) as { result: object };
    expect(canceled.result).toMatchObject({ id, status: { state: 'cancelled' } });
    expect(canceled.result).not.toHaveProperty('kind');
  });
});

describe('the fault proxy', () => {
  const BODY = JSON.stringify({ jsonrpc: '2.0', id: 5, result: 'whole' });

  async function behindProxy(): Promise<{ proxy: FaultProxy; peer: Peer }> {
    const proxy = kept(await startFaultProxy());
    const peer = kept(await startScriptedAgent({ X: result('whole') }, { publicUrl: proxy.url }));
    proxy.forwardTo(peer.url);
    return { proxy, peer };
  }

  /** A new connection for every call, so that no fault meets a pooled one. */
  async function text(url: string): Promise<string> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'X', params: {} });
    const response = await fetch(`${url}/rpc`, { method: 'POST', body, headers: { Connection: 'close' } });
    return response.text();
  }

  it('passes everything on while there is no fault, and the card names the proxy', async () => {
    const { proxy } = await behindProxy();
    expect(await text(proxy.url)).toBe(BODY);
    const card = await (await fetch(`${proxy.url}/.well-known/agent-card.json`)).json();
    expect(card).toMatchObject({ supportedInterfaces: [{ url: `${proxy.url}/rpc` }] });
  });

  it.each([
    { kind: 'delay', ms: 5 },
    { kind: 'drip', everyMs: 0 },
  ] as const)('passes everything on with $kind', async (fault) => {
    const { proxy } = await behindProxy();
    await proxy.set(fault);
    expect(await text(proxy.url)).toBe(BODY);
  });

  it.each([
    { kind: 'reset' },
    { kind: 'half-close' },
    { kind: 'truncate', afterBytes: 40 },
    { kind: 'refuse' },
  ] as const)('breaks the call with $kind and heals afterwards', async (fault) => {
    const { proxy } = await behindProxy();
    await proxy.set(fault);
    await expect(text(proxy.url)).rejects.toThrow();
    await proxy.set({ kind: 'none' });
    expect(await text(proxy.url)).toBe(BODY);
  });

  it('takes a connection and says nothing with hang', async () => {
    const { proxy, peer } = await behindProxy();
    await proxy.set({ kind: 'hang' });
    const answer = text(proxy.url);
    await peer.arrived('X');
    await proxy.set({ kind: 'reset' });
    await expect(answer).rejects.toThrow();
  });
});
