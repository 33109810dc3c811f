import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { CONFIG_FILE } from '../harness/gateway.ts';
import { mountStage, textOf, WAYS } from '../harness/mcp-mount-stage.ts';

interface Sections {
  upstreams: { mcp: { id: string; mount: boolean; tools: { deny: string[] } }[] };
}

describe('a reload of the row of a mounted server', () => {
  const { servers, gateway, connect } = mountStage();

  async function reload(change: (row: Sections['upstreams']['mcp'][number]) => void, id: string) {
    const file = join(gateway().data, CONFIG_FILE);
    const sections = parse(readFileSync(file, 'utf8')) as Sections;
    for (const row of sections.upstreams.mcp) if (row.id === id) change(row);
    writeFileSync(file, stringify(sections));
    await gateway().client.post('/v1/admin/reload');
  }

  it.each(WAYS)(
    'lets a call end that runs, and closes what it denies to clients that are there (%s, %s)',
    async (era, id) => {
      const client = await connect(era, id, {});
      const call = (name: string) => client.callTool({ name, arguments: {} });
      const stayed = new Promise<() => void>((resolve) => {
        const server = servers.get(id);
        if (server !== undefined) server.staying = resolve;
      });
      const running = call('stay');
      const end = await stayed;
      await reload((row) => {
        row.tools.deny = ['closed', 'greet'];
      }, id);
      await expect(call('greet')).rejects.toThrow('Unknown tool: greet');
      end();
      expect(textOf(await running)).toBeDefined();
      expect(textOf(await call('progress'))).toBeDefined();
      await reload((row) => {
        row.tools.deny = ['closed'];
      }, id);
      expect(textOf(await call('greet'))).toBeDefined();
      await reload((row) => {
        row.mount = false;
      }, id);
      await expect(call('greet')).rejects.toThrow();
      await reload((row) => {
        row.mount = true;
      }, id);
    },
  );
});
