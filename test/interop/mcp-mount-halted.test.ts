import { describe, expect, it } from 'vitest';
import type { Halt } from '#resources/halt/schema.ts';
import { mountStage, textOf, WAYS } from '../harness/mcp-mount-stage.ts';

describe('a mounted server that is halted', () => {
  const { servers, gateway, connect } = mountStage();
  const halt = (id: string, tool?: string) =>
    gateway().client.post<Halt>('/v1/admin/halts', {
      route: `mcp:${id}`,
      ...(tool !== undefined && { tool }),
      reason: 'It deletes too much.',
    });
  const release = ({ id }: Halt) => gateway().client.post(`/v1/admin/halts/${id}/release`);
  const REASON = /An operator has halted this .*: It deletes too much\./;

  it.each(WAYS)(
    'ends calls of a client with or without session (%s) on %s, and refuses others',
    async (era, id) => {
      const client = await connect(era, id, {});
      const call = (name: string) => client.callTool({ name, arguments: {} });
      const stays = () => {
        const server = servers.get(id);
        if (server === undefined) throw new Error('no such server');
        const told = {
          stays: new Promise<void>((resolve) => {
            server.staying = () => resolve();
          }),
          left: new Promise<void>((resolve) => {
            server.left = resolve;
          }),
        };
        return { ...told, ended: call('stay').then(() => 'answered', String) };
      };

      const one = stays();
      await one.stays;
      const ofTool = await halt(id, 'stay');
      expect(await one.ended).toMatch(REASON);
      await one.left;
      await expect(call('stay')).rejects.toThrow(REASON);
      expect(textOf(await call('greet'))).toBeDefined();
      // A server of the revision without sessions says for how long its list may be kept.
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).not.toContain('stay');
      await release(ofTool);

      const other = stays();
      await other.stays;
      const ofAll = await halt(id);
      expect(await other.ended).not.toBe('answered');
      await expect(call('greet')).rejects.toThrow();
      await expect(connect(era, id, {})).rejects.toThrow();
      await release(ofAll);
      const next = await connect(era, id, {});
      expect(textOf(await next.callTool({ name: 'greet', arguments: {} }))).toBeDefined();
    },
  );
});
