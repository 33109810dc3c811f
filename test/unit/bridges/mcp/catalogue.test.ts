import { describe, expect, it } from 'vitest';
import { Catalogue } from '../../../../bridges/mcp/client/catalogue.ts';
import { DEFAULT_LIMITS, FIXED_LIMITS } from '../../../../bridges/mcp/client/config.ts';
import type { Connection } from '../../../../bridges/mcp/client/connection.ts';
import { bridgeDeps } from '../../../harness/upstream-stage.ts';

const tool = (description: string) => ({ name: 'ok', description, inputSchema: { type: 'object' } });

const named = (name: string) => ({ name, inputSchema: { type: 'object' } });

/** A catalogue of one tool as it is described now, and what it waits for. */
function stage() {
  const waiting: { run: () => void; ms: number }[] = [];
  const cleared: unknown[] = [];
  let described = 'first';
  let lists = 0;
  const connection = {
    capabilities: { tools: {} },
    server: { name: 'x', version: '1' },
    request: async () => {
      lists += 1;
      return { tools: [tool(described)] };
    },
  } as unknown as Connection;
  const deps = bridgeDeps({
    timers: { setTimeout: (run, ms) => waiting.push({ run, ms }), clearTimeout: (id) => cleared.push(id) },
  });
  const catalogue = new Catalogue('mcp:x', { id: 'x', changed_tools: 'hold' }, DEFAULT_LIMITS, deps);
  return {
    catalogue,
    connection,
    waiting,
    cleared,
    describe: (now: string) => {
      described = now;
    },
    lists: () => lists,
  };
}

describe('the catalogue of a server', () => {
  it('is read again once in a while, however often the list changes: an endless stream of changes does not put it off', async () => {
    const { catalogue, connection, waiting, cleared, lists } = stage();
    const connect = async () => connection;
    for (let change = 0; change < 1_000; change += 1) catalogue.refreshSoon(connect);
    expect(waiting.map(({ ms }) => ms)).toEqual([FIXED_LIMITS.relistMs]);
    expect(cleared).toEqual([]);
    waiting[0]?.run();
    await Promise.resolve();
    await Promise.resolve();
    expect(lists()).toBe(1);
    catalogue.refreshSoon(connect);
    expect(waiting).toHaveLength(2);
  });

  it('holds a definition that somebody else was told before it was listed again, and says so once', async () => {
    const { catalogue, connection, describe: describeNow } = stage();
    await catalogue.refresh(connection);
    expect(catalogue.judged('ok')).not.toHaveProperty('hold');
    let news = 0;
    const count = () => {
      news += 1;
    };
    expect(catalogue.judged('ok', tool('second'), count)).toMatchObject({ hold: 'changed_definition' });
    expect(catalogue.judged('ok', tool('second'), count)).toMatchObject({ hold: 'changed_definition' });
    expect(news).toBe(1);
    expect(catalogue.judged('ok')).toMatchObject({ hold: 'changed_definition' });
    describeNow('second');
    await catalogue.refresh(connection);
    expect(catalogue.judged('ok')).toMatchObject({ hold: 'changed_definition' });
    const changed = catalogue.find('ok');
    if (changed !== undefined) catalogue.accept(changed);
    expect(catalogue.judged('ok')).not.toHaveProperty('hold');
  });

  it('[MCP-UP-1] has the tools of all pages of the list, of which the operator allows some', async () => {
    const pages: Record<string, object> = {
      first: { tools: [named('read'), named('write')], nextCursor: 'second' },
      second: { tools: [named('drop')], nextCursor: 'third' },
      third: { tools: [named('list')] },
    };
    const asked: unknown[] = [];
    const connection = {
      capabilities: { tools: {} },
      server: { name: 'x', version: '1' },
      request: async (_method: string, { cursor = 'first' }: { cursor?: string }) => {
        asked.push(cursor);
        return pages[cursor];
      },
    } as unknown as Connection;
    const listed = async (tools: object) => {
      const catalogue = new Catalogue('mcp:x', { id: 'x', tools }, DEFAULT_LIMITS, bridgeDeps());
      await catalogue.refresh(connection);
      return catalogue.description?.skills.map(({ name }) => name);
    };
    expect(await listed({})).toEqual(['read', 'write', 'drop', 'list']);
    expect(asked).toEqual(['first', 'second', 'third']);
    expect(await listed({ allow: ['list', 'read', 'drop'], deny: ['drop'] })).toEqual(['read', 'list']);
  });
});
