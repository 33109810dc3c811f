import { describe, expect, it } from 'vitest';
import type { Gateway } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { ServerConnection } from '#protocol-server.ts';
import { GatewayCalls } from '../../../../bridges/acp/server/calls.ts';
import { Prompts } from '../../../../bridges/acp/server/turns.ts';

/** A gateway that answers a call when the test says so, and one connection that calls it. */
function stage() {
  const begun: { id: string; answer: () => void }[] = [];
  const gateway = {
    call: (id: string) =>
      new Promise((resolve) => begun.push({ id, answer: () => resolve({ body: { kind: 'none' } }) })),
  } as unknown as Gateway;
  const connection = { call: (given: unknown) => given } as unknown as ServerConnection;
  const calls = new GatewayCalls(gateway, connection);
  const ids = () => begun.map(({ id }) => id);
  return { calls, begun, ids };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the calls of one ACP connection', () => {
  it('go on a few at a time and in order, so that a flood of one client leaves room for others', async () => {
    const { calls, begun } = stage();
    const done: number[] = [];
    const all = Array.from({ length: 40 }, (_, n) =>
      calls.json('submitSessionTask', {}).then(() => done.push(n)),
    );
    await settled();
    expect(begun).toHaveLength(16);
    for (let n = 0; n < 40; n += 1) {
      begun[n]?.answer();
      await settled();
      expect(begun.length).toBe(Math.min(40, 17 + n));
    }
    await Promise.all(all);
    expect(done).toEqual(Array.from({ length: 40 }, (_, n) => n));
  });

  it('a place is free again after a refusal', async () => {
    const gateway = { call: () => Promise.reject(new Error('no')) } as unknown as Gateway;
    const calls = new GatewayCalls(gateway, { call: () => ({}) } as unknown as ServerConnection);
    const refused = Array.from({ length: 40 }, () => calls.json('getTask', {}).catch(() => 'refused'));
    expect(new Set(await Promise.all(refused))).toEqual(new Set(['refused']));
  });

  it('are refused with what REST says of it, in data.harn', async () => {
    const refusal = new ProtocolError('invalid_request', 'Send a name.', { param: 'name' });
    const gateway = { call: () => Promise.reject(refusal) } as unknown as Gateway;
    const connection = { call: () => ({}), requestId: 'req_1' } as unknown as ServerConnection;
    const refused = new GatewayCalls(gateway, connection).json('getTask', {});
    const data = { harn: refusal.toBody('req_1').error };
    await expect(refused).rejects.toMatchObject({ code: -32602, message: 'Send a name.', data });
  });

  it('an answer that is no JSON is refused and not taken for an empty one', async () => {
    const body = { kind: 'bytes' };
    const gateway = { call: () => Promise.resolve({ body }) } as unknown as Gateway;
    const calls = new GatewayCalls(gateway, { call: () => ({}) } as unknown as ServerConnection);
    await expect(calls.json('getTask', {})).rejects.toMatchObject({ code: -32603 });
  });

  it('a cancel does not wait behind the prompts, and is told once however often it is sent', async () => {
    const { calls, begun, ids } = stage();
    const prompts = new Prompts('connection', calls);
    const prompt = prompts.begin('session');
    prompt.taskId = 'task';
    for (let n = 0; n < 20; n += 1) void calls.json('submitSessionTask', {});
    for (let n = 0; n < 1_000; n += 1) prompts.cancel('session');
    await settled();
    expect(ids().filter((id) => id === 'cancelTask')).toHaveLength(1);
    for (const { answer } of begun) answer();
  });
});
