import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { allEvents } from '../../conformance/event-findings.ts';
import { stageOf } from '../../conformance/stage.ts';
import { userText } from '../../harness/client.ts';
import { startTestGateway } from '../../harness/gateway.ts';
import { startSampleAgent } from '../../harness/peers/sample-agent.ts';
import { OTHER_TENANT } from '../../harness/tenants.ts';

interface Persona {
  id: string;
  [member: string]: unknown;
}

const definition = {
  name: 'Clerk',
  version: '2026.1',
  entry_workflow: 'a2a:second',
  description: 'Answers.',
  autonomy_tier: 'act_auto',
  receipt_policy: 'optional',
};

describe('personas', () => {
  const stage = stageOf({
    agents: { second: startSampleAgent },
    config: OTHER_TENANT.config,
    keys: [OTHER_TENANT.key],
  });
  const create = (body: object = {}) =>
    stage.client.post<Persona>('/v1/personas', { ...definition, ...body });

  it('[EXT-PER-01] are created with what is left out empty, and read back', async () => {
    const persona = await create({ module_ref: 'harn://acme/clerk@1', tools: ['search'] });
    expect(persona).toMatchObject({
      ...definition,
      object: 'persona',
      tools: ['search'],
      handoffs: [],
      quota_id: null,
      metadata: { module_ref: 'harn://acme/clerk@1' },
    });
    expect(await stage.client.get(`/v1/personas/${persona.id}`)).toEqual(persona);
  });

  it('[EXT-PER-01] report every member that is missing or wrong', async () => {
    const answer = await stage.client.call('POST', '/v1/personas', {
      body: { name: 'x', autonomy_tier: 'boss' },
    });
    expect(answer.status).toBe(400);
    const { error } = answer.body as { error: { details: { faults: { param: string }[] } } };
    expect(error.details.faults.map(({ param }) => param)).toEqual([
      'version',
      'entry_workflow',
      'description',
      'autonomy_tier',
      'receipt_policy',
    ]);
  });

  it('have a next revision with each update, and keep their version', async () => {
    const { id } = await create({ metadata: { team: 'a' } });
    const updated = await stage.client.call<Persona>('PATCH', `/v1/personas/${id}`, {
      body: { description: 'Answers well.', metadata: { desk: 3 } },
    });
    expect(updated.body).toMatchObject({
      version: '2026.1',
      description: 'Answers well.',
      metadata: { team: 'a', desk: 3 },
    });
    await stage.client.call('PATCH', `/v1/personas/${id}`, { body: {} });
    const events = (await allEvents(stage.gateway.log)).filter(({ resource }) => resource.id === id);
    expect(events.map(({ event, payload }) => [event, payload['revision']])).toEqual([
      ['vendor.harn_gateway.persona_created', 1],
      ['vendor.harn_gateway.persona_updated', 2],
    ]);
  });

  it('are listed page by page and hidden from other tenants', async () => {
    const made = [(await create()).id, (await create()).id];
    const { data, page } = await stage.client.get<{ data: Persona[]; page: { next_cursor: string } }>(
      '/v1/personas?limit=1',
    );
    const rest = await stage.client.get<{ data: Persona[] }>(
      `/v1/personas?limit=1&cursor=${page.next_cursor}`,
    );
    expect([...data, ...rest.data].map(({ id }) => id)).toEqual(made.reverse());
    const stranger = stage.as('stranger');
    expect((await stranger.get<{ data: Persona[] }>('/v1/personas')).data).toEqual([]);
    for (const method of ['GET', 'PATCH']) {
      const body = method === 'PATCH' ? { body: {} } : {};
      expect((await stranger.call(method, `/v1/personas/${made[0]}`, body)).status).toBe(404);
    }
  });

  it('[S7-01] choose the route of their tasks, below the task and above the session', async () => {
    const { id: persona_id } = await create();
    const session = await stage.client.post<{ id: string }>('/v1/sessions', {
      workspace_id: 'workspace_default',
      metadata: { route: 'a2a:sample' },
    });
    const submit = (body: object) =>
      stage.client.post<Record<string, unknown>>('/v1/tasks', {
        session_id: session.id,
        input: userText('hi'),
        ...body,
      });
    expect(await submit({})).toMatchObject({ assigned_agent_id: 'a2a:sample', persona_id: null });
    expect(await submit({ persona_id })).toMatchObject({ assigned_agent_id: 'a2a:second', persona_id });
    const metadata = { route: 'a2a:sample' };
    expect(await submit({ persona_id, metadata })).toMatchObject({ assigned_agent_id: 'a2a:sample' });
    const { id: other } = await create({ entry_workflow: 'intake.harn' });
    expect(await submit({ persona_id: other })).toMatchObject({ assigned_agent_id: 'a2a:sample' });
  });

  it('are inherited by the tasks of a session', async () => {
    const { id: persona_id } = await create();
    const session = await stage.client.post<{ id: string }>('/v1/sessions', {
      workspace_id: 'workspace_default',
      persona_id,
    });
    expect(session).toMatchObject({ persona_id });
    const task = await stage.client.submit('hi', session.id);
    expect(task).toMatchObject({ persona_id, assigned_agent_id: 'a2a:second' });
  });

  it('own memories', async () => {
    const { id: owner_id } = await create();
    const body = { scope: 'persona', owner_id, content: 'likes tea', provenance: {} };
    const memory = await stage.client.post<{ id: string }>('/v1/memories', body);
    expect(memory).toMatchObject({ scope: 'persona', owner_id, workspace_id: null });
    const session = await stage.client.post<{ id: string }>('/v1/sessions', {
      workspace_id: 'workspace_default',
      memory_ids: [memory.id],
    });
    const [created] = await stage.client.events(`/v1/sessions/${session.id}/events`);
    expect(created?.payload['memory_ids']).toEqual([memory.id]);
  });

  it.each([
    ['persona_id', '/v1/sessions', { workspace_id: 'workspace_default', persona_id: 'persona_none' }],
    ['memory_ids[0]', '/v1/sessions', { workspace_id: 'workspace_default', memory_ids: ['memory_none'] }],
  ])('a session that names an absent %s is refused', async (param, path, body) => {
    const answer = await stage.client.call('POST', path, { body });
    expect(answer.body).toMatchObject({ error: { code: 'resource_not_found', param } });
  });
});

describe('configured personas', () => {
  const data = mkdtempSync(join(tmpdir(), 'harn-personas-'));
  afterAll(() => rmSync(data, { recursive: true, force: true }));

  function write(description: string): void {
    mkdirSync(join(data, 'personas'), { recursive: true });
    const text = JSON.stringify({ id: 'clerk', ...definition, description });
    writeFileSync(join(data, 'personas', 'clerk.yaml'), text);
  }

  async function started<T>(
    look: (read: () => Promise<Persona>, update: (to: string) => Promise<unknown>) => T,
  ) {
    const gateway = await startTestGateway({ data });
    try {
      return await look(
        () => gateway.client.get<Persona>('/v1/personas/clerk'),
        (description) => gateway.client.call('PATCH', '/v1/personas/clerk', { body: { description } }),
      );
    } finally {
      await gateway.close();
    }
  }

  it('follow their file, and keep what callers changed until the file changes', async () => {
    write('From the file.');
    await started(async (read, update) => {
      expect(await read()).toMatchObject({ description: 'From the file.' });
      await update('From a caller.');
    });
    await started(async (read) => expect(await read()).toMatchObject({ description: 'From a caller.' }));
    write('From the file again.');
    await started(async (read) =>
      expect(await read()).toMatchObject({ description: 'From the file again.' }),
    );
  });
});
