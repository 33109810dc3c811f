import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { OPERATIONS, type OperationRow } from '#resources/operations.ts';
import type { Tool } from '#resources/runtime/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { userText } from '../../harness/client.ts';
import { OTHER_TENANT } from '../../harness/tenants.ts';

describe('runtime, capabilities and tools', () => {
  const stage = stageOf({ config: OTHER_TENANT.config, keys: [OTHER_TENANT.key] });
  const rows: [string, OperationRow][] = Object.entries(OPERATIONS);

  it('the runtime counts what the caller may see', async () => {
    const before = await stage.client.get<Record<string, number>>('/v1/runtime');
    expect(before).toMatchObject({
      object: 'runtime',
      protocol_version: 'agents-protocol-2026-04-25',
      adapter: 'harn-gateway',
    });
    await stage.client.submit('hi');
    expect(await stage.client.get('/v1/runtime')).toMatchObject({
      session_count: Number(before['session_count']) + 1,
      task_count: Number(before['task_count']) + 1,
    });
    expect(await stage.as('stranger').get('/v1/runtime')).toMatchObject({ session_count: 0, task_count: 0 });
  });

  it('capabilities are the operations that are served, vendor routes by method and path', async () => {
    const { capabilities } = await stage.client.get<{ capabilities: { id: string }[] }>('/v1/capabilities');
    const ids = capabilities.map(({ id }) => id);
    expect(ids).toContain('vendor.route:PUT /v1/artifacts/{artifact_id}/content');
    const operations = rows.map(([id, { level, method, path }]) =>
      level === 'vendor' ? `vendor.route:${method} ${path}` : `operation:${id}`,
    );
    expect(ids.filter((id) => !id.startsWith('transport:'))).toEqual(operations);
  });

  it('the card names the collections that are served', async () => {
    const card = await stage.client.get<{ capabilities: string[] }>('/v1/agent-card');
    expect(card.capabilities).toEqual(
      expect.arrayContaining(['sessions', 'memories', 'personas', 'connectors']),
    );
    const read = new Set(rows.map(([, { scope }]) => scope).filter((scope) => scope.endsWith(':read')));
    expect([...read]).toEqual(card.capabilities.map((name) => `${name}:read`));
  });

  it('tools are the commands and queries, with schemas that judge their arguments', async () => {
    const { data } = await stage.client.get<{ data: Tool[] }>('/v1/tools?limit=200');
    const expected = rows
      .filter(([, { kind, scope }]) => (kind === 'command' || kind === 'query') && scope !== 'signature')
      .map(([id]) => id);
    expect(data.map(({ id }) => id)).toEqual(expected.sort());
    const tool = await stage.client.get<Tool>('/v1/tools/submitSessionTask');
    expect(tool.description).toContain('POST /v1/sessions/{session_id}/tasks');
    const validate = new Ajv2020({ strict: false }).compile(tool.input_schema);
    const input = userText('hi');
    expect(validate({ path: { session_id: 's' }, body: { input } })).toBe(true);
    expect(validate({ path: {}, body: { input } })).toBe(false);
    expect(validate({ path: { session_id: 's' } })).toBe(false);
    expect((await stage.client.call('GET', '/v1/tools/none')).status).toBe(404);
  });
});
