import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { RpcError } from '../../../../bridges/wire/json-rpc.ts';
import { Peer, type PeerHandlers, type PeerOptions } from '../../../../bridges/wire/peer.ts';

function stage(
  handlers: Partial<PeerHandlers> = {},
  cancelMethod: PeerOptions['cancelMethod'] = '$/cancel_request',
) {
  const sent: JsonObject[] = [];
  const failed: unknown[] = [];
  const peer = new Peer({
    cancelMethod,
    send: (message) => void sent.push(message),
    handlers: {
      request: () => undefined,
      notification: () => undefined,
      failed: (error) => failed.push(error),
      ...handlers,
    },
  });
  return { peer, sent, failed };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a JSON-RPC peer', () => {
  it('takes requests back, and lets its own be taken back, by the method of its protocol', async () => {
    let signal: AbortSignal | undefined;
    const request: PeerHandlers['request'] = (_method, _params, context) => {
      signal = context.signal;
      return new Promise(() => undefined);
    };
    const { peer, sent } = stage({ request }, 'notifications/cancelled');
    const patience = new AbortController();
    const answer = peer.ask('elicitation/create', {}, patience.signal);
    patience.abort('enough');
    await expect(answer).rejects.toBe('enough');
    expect(sent.at(-1)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 0 },
    });
    peer.receive({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: {} });
    peer.receive({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 'a' } });
    expect(signal?.aborted).toBe(false);
    peer.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
    expect(signal?.aborted).toBe(true);
  });

  it('[ACP-USER-13] finds the answer to its request also when the id comes back as a string', async () => {
    const { peer, sent } = stage();
    const answer = peer.ask('initialize', {});
    peer.receive({ jsonrpc: '2.0', id: String(sent[0]?.['id']), result: { fine: true } });
    expect(await answer).toEqual({ result: { fine: true } });
  });

  it('tells an answer before the message that came behind it', () => {
    const heard: unknown[] = [];
    const { peer } = stage({ notification: (method) => heard.push(method) });
    peer.request('session/prompt', {}, { resolve: (answer) => heard.push(answer), reject: () => undefined });
    peer.receive({ jsonrpc: '2.0', id: 0, result: {} });
    peer.receive({ jsonrpc: '2.0', method: 'session/update', params: {} });
    expect(heard).toEqual([{ result: {} }, 'session/update']);
  });

  it('a text that was refused is answered where it asked, and ends the wait where it answered', async () => {
    const { peer, sent } = stage();
    const waiting = peer.ask('x', {});
    peer.receiveRefused('{"jsonrpc":"2.0","id":0,"result":{"n":12345678901234567890}}', 'No.');
    expect(await waiting).toEqual({ error: { code: -32602, message: 'No.' } });
    peer.receiveRefused('{"jsonrpc":"2.0","id":7,"method":"x","params":{"n":1,"n":2}}', 'No.');
    expect(sent.at(-1)).toMatchObject({ id: 7, error: { code: -32602, message: 'No.' } });
    expect(peer.receiveRefused('{', 'No.')).toBe(false);
    expect(
      peer.receiveRefused('{"jsonrpc":"2.0","method":"session/update","params":{"n":1,"n":2}}', 'No.'),
    ).toBe(false);
    expect(sent).toHaveLength(2);
  });

  it('takes an error beside a null result as the error', async () => {
    const { peer } = stage();
    const answer = peer.ask('x', {});
    peer.receive({ jsonrpc: '2.0', id: 0, result: null, error: { code: -32000, message: 'login' } });
    expect(await answer).toEqual({ error: { code: -32000, message: 'login' } });
  });

  it('answers nobody for an id it never used', () => {
    const { peer, sent } = stage();
    peer.receive({ jsonrpc: '2.0', id: 99, result: {} });
    expect(sent).toEqual([]);
  });

  it('tells the other side when it no longer waits, and everybody who waits when it is closed', async () => {
    const { peer, sent } = stage();
    const patience = new AbortController();
    const first = peer.ask('slow', {}, patience.signal);
    const second = peer.ask('slow', {});
    patience.abort('too long');
    await expect(first).rejects.toBe('too long');
    expect(sent.at(-1)).toMatchObject({ method: '$/cancel_request', params: { requestId: 0 } });
    peer.close('gone');
    await expect(second).rejects.toBe('gone');
    await expect(peer.ask('x', {})).rejects.toBe('gone');
  });

  it('[ACP-EXT-01] refuses batches, messages without a method, unknown methods and an id that is in use', async () => {
    const { peer, sent } = stage({
      request: (method) => (method === 'hang' ? new Promise(() => undefined) : undefined),
    });
    peer.receive([]);
    peer.receive({ jsonrpc: '2.0', id: 7 });
    peer.receive({ jsonrpc: '2.0', id: 1, method: 'unknown' });
    peer.receive({ jsonrpc: '2.0', id: 2, method: 'hang' });
    peer.receive({ jsonrpc: '2.0', id: 2, method: 'hang' });
    await settled();
    expect(sent.map(({ id, error }) => [id, (error as { code: number }).code])).toEqual([
      [null, -32600],
      [7, -32600],
      [1, -32601],
      [2, -32600],
    ]);
  });

  it('refuses more open requests than anybody needs, and takes new ones when some are answered', async () => {
    let answer: (result: object) => void = () => undefined;
    const { peer, sent } = stage({
      request: () =>
        new Promise((resolve) => {
          answer = resolve as never;
        }),
    });
    for (let id = 0; id <= 1_000; id += 1) peer.receive({ jsonrpc: '2.0', id, method: 'hang' });
    expect(sent).toMatchObject([
      { id: 1_000, error: { code: -32603, data: { harn: { code: 'rate_limited' } } } },
    ]);
    answer({});
    await settled();
    peer.receive({ jsonrpc: '2.0', id: 1_001, method: 'hang' });
    expect(sent.map(({ id }) => id)).toEqual([1_000, 999]);
  });

  it('keeps the reason of an unexpected error to itself', async () => {
    const { peer, sent, failed } = stage({
      request: async (method) => {
        throw method === 'known' ? new RpcError(-32002, 'no such session') : new Error('password=hunter2');
      },
    });
    peer.receive({ jsonrpc: '2.0', id: 1, method: 'known' });
    peer.receive({ jsonrpc: '2.0', id: 2, method: 'broken' });
    await settled();
    expect(sent.map(({ error }) => (error as { code: number }).code)).toEqual([-32002, -32603]);
    expect(JSON.stringify(sent)).not.toContain('hunter2');
    expect(failed).toHaveLength(1);
  });

  it('a request that is taken back is aborted, and answered all the same', async () => {
    const { peer, sent } = stage({
      request: (_method, _params, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve({ ended: true }))),
    });
    peer.receive({ jsonrpc: '2.0', id: 'a', method: 'prompt' });
    peer.receive({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 'a' } });
    await settled();
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 'a', result: { ended: true } }]);
  });
});
