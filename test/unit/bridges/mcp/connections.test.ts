import { describe, expect, it } from 'vitest';
import { FIXED_LIMITS } from '../../../../bridges/mcp/client/config.ts';
import type { Connection, ServerPeer } from '../../../../bridges/mcp/client/connection.ts';
import { SessionConnections } from '../../../../bridges/mcp/client/session-connections.ts';

const peer = (name: string): ServerPeer => ({ asked: async () => ({ name }), notified: () => undefined });

/** At most two connections; those that are open, what each server asks with, and the timers that run. */
function stage() {
  const open = new Map<string, ServerPeer>();
  const waiting = new Map<number, { run: () => void; ms: number }>();
  const told = { closed: (_key: string): void => undefined };
  let now = 0;
  const connect = async (asking: ServerPeer, key: string) => {
    open.set(key, asking);
    const close = async () => {
      open.delete(key);
      told.closed(key);
    };
    return { closed: new Promise(() => undefined), close } as unknown as Connection;
  };
  const connections = new SessionConnections(connect, 2, {
    clock: { now: () => now, monotonic: () => now },
    timers: {
      setTimeout: (run, ms) => {
        waiting.set(waiting.size, { run, ms });
        return waiting.size - 1;
      },
      clearTimeout: (id) => void waiting.delete(id as number),
    },
  });
  const ask = (key: string) => open.get(key)?.asked('roots/list', {}, new AbortController().signal);
  const pass = () => {
    now += 1;
  };
  return { connections, open, waiting, told, ask, pass };
}

describe('connections on which a server may ask', () => {
  it('[MCP-UP-15] are one for each actor and Session; the call that uses it is asked, and nobody between two calls', async () => {
    const { connections, open, ask } = stage();
    const [ada, eve] = await Promise.all([
      connections.lease('ada', peer('of Ada')),
      connections.lease('eve', peer('of Eve')),
    ]);
    expect(ada.connection).not.toBe(eve.connection);
    expect([await ask('ada'), await ask('eve')]).toEqual([{ name: 'of Ada' }, { name: 'of Eve' }]);
    await expect(connections.lease('ada', peer('another'))).rejects.toThrow('Another call of this Session');
    ada.release();
    await expect(ask('ada')).rejects.toMatchObject({ code: -32_601 });
    const again = await connections.lease('ada', peer('later'));
    expect(again.connection).toBe(ada.connection);
    expect(await ask('ada')).toEqual({ name: 'later' });
    expect([...open.keys()]).toEqual(['ada', 'eve']);
  });

  it('[MCP-UP-15] the one that is unused for longest makes room; where all are used, the next is refused', async () => {
    const { connections, open, pass } = stage();
    const first = await connections.lease('first', peer('1'));
    const second = await connections.lease('second', peer('2'));
    await expect(connections.lease('third', peer('3'))).rejects.toMatchObject({
      details: { reason: 'max_connections' },
    });
    second.release();
    pass();
    first.release();
    await connections.lease('third', peer('3'));
    expect([...open.keys()]).toEqual(['first', 'third']);
  });

  it('[MCP-UP-15] an unused one is closed after a while, and not while it is used again', async () => {
    const { connections, open, waiting, told } = stage();
    (await connections.lease('ada', peer('1'))).release();
    expect([...waiting.values()].map(({ ms }) => ms)).toEqual([FIXED_LIMITS.connectionIdleMs]);
    const again = await connections.lease('ada', peer('2'));
    expect(waiting.size).toBe(0);
    again.release();
    expect([...open.keys()]).toEqual(['ada']);
    const closed = new Promise<string>((resolve) => {
      told.closed = resolve;
    });
    for (const { run } of waiting.values()) run();
    expect(await closed).toBe('ada');
  });
});
