import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { endExpired } from '#core/expiry.ts';
import type { DecisionTools } from '#core/facts.ts';
import { expiry } from '#resources/memory/commands.ts';
import { contentKey } from '#store/keys.ts';
import { allEvents } from '../../conformance/event-findings.ts';
import { stageOf } from '../../conformance/stage.ts';
import { OTHER_TENANT } from '../../harness/tenants.ts';

describe('memories', () => {
  const stage = stageOf({
    config: OTHER_TENANT.config,
    keys: [OTHER_TENANT.key, { actor: 'reader', scopes: ['memories:read', 'events:read', 'sessions:read'] }],
  });

  interface Memory {
    id: string;
    content: unknown;
    [member: string]: unknown;
  }

  const provenance = { actor: 'actor_test' };
  const create = (body: object) => stage.client.post<Memory>('/v1/memories', { provenance, ...body });
  /** Of the Workspace. */
  const storedAs = (content: string) => {
    const sha256 = createHash('sha256').update(JSON.stringify(content)).digest('hex');
    return stage.gateway.log.record(contentKey('workspace_default', sha256, 0));
  };
  const ofWorkspace = { scope: 'workspace', owner_id: 'workspace_default' };

  it('keeps text, objects and other JSON of a workspace', async () => {
    const text = await create({ ...ofWorkspace, content: 'The customer likes tea.' });
    expect(text).toMatchObject({
      object: 'memory',
      ...ofWorkspace,
      workspace_id: 'workspace_default',
      content: 'The customer likes tea.',
      provenance,
      expires_at: null,
    });
    const object = await create({ ...ofWorkspace, content: { likes: ['tea'] } });
    expect((await stage.client.get<Memory>(`/v1/memories/${object.id}`)).content).toEqual({ likes: ['tea'] });
    const list = await create({ ...ofWorkspace, content: [1, 2] });
    expect(list.content).toEqual({ value: [1, 2] });
  });

  it('keeps what is said of it, and has no member that was not sent', async () => {
    const said = { confidence: 0.25, embedding_ref: 'vec:1', redaction_policy: { paths: ['/a'] } };
    const { id } = await create({ ...ofWorkspace, content: 'x', ...said });
    expect(await stage.client.get<Memory>(`/v1/memories/${id}`)).toMatchObject(said);
    const plain = await create({ ...ofWorkspace, content: 'x' });
    expect(Object.keys(plain).filter((name) => name in said)).toEqual([]);
    const body = { ...ofWorkspace, provenance, content: 'x', confidence: 2 };
    const refused = await stage.client.call('POST', '/v1/memories', { body });
    expect([refused.status, refused.body['error']]).toMatchObject([400, { param: 'confidence' }]);
  });

  it('[EXT-MEM-01] belongs to a persona, a session, a workspace or the tenant, and only to one the caller may see', async () => {
    const session = await stage.client.session();
    const ofSession = await create({ scope: 'session', owner_id: session.id, content: 's' });
    expect(ofSession['workspace_id']).toBe('workspace_default');
    const ofTenant = await create({ scope: 'tenant', owner_id: 'tenant_default', content: 't' });
    expect(ofTenant['workspace_id']).toBeNull();
    const { id } = await stage.client.post<{ id: string }>('/v1/personas', {
      name: 'Clerk',
      version: '1',
      entry_workflow: 'intake',
      description: '',
      autonomy_tier: 'act_auto',
      receipt_policy: 'optional',
    });
    const ofPersona = await create({ scope: 'persona', owner_id: id, content: 'p' });
    expect(ofPersona).toMatchObject({ scope: 'persona', owner_id: id, workspace_id: null, provenance });
    const strangers = [
      { scope: 'session', owner_id: 'session_none' },
      { scope: 'workspace', owner_id: OTHER_TENANT.workspace },
      { scope: 'tenant', owner_id: OTHER_TENANT.tenant },
      { scope: 'persona', owner_id: 'persona_none' },
    ];
    for (const owner of strangers) {
      const answer = await stage.client.call('POST', '/v1/memories', {
        body: { ...owner, content: 'x', provenance },
      });
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({ error: { code: 'resource_not_found', param: 'owner_id' } });
    }
  });

  it('is listed by session and workspace, newest first and page by page', async () => {
    const session = await stage.client.session();
    const made: string[] = [];
    for (const content of ['one', 'two', 'three']) {
      made.unshift((await create({ scope: 'session', owner_id: session.id, content })).id);
    }
    const path = `/v1/memories?session_id=${session.id}&limit=2`;
    const first = await stage.client.get<{ data: Memory[]; page: { next_cursor: string } }>(path);
    const rest = await stage.client.get<{ data: Memory[] }>(`${path}&cursor=${first.page.next_cursor}`);
    expect([...first.data, ...rest.data].map(({ id }) => id)).toEqual(made);
    const tenants = await create({ scope: 'tenant', owner_id: 'tenant_default', content: 'for all' });
    const all = await stage.client.get<{ data: Memory[] }>('/v1/memories?limit=200');
    expect(all.data.map(({ id }) => id)).toEqual(expect.arrayContaining([...made, tenants.id]));
    const inWorkspace = await stage.client.get<{ data: Memory[] }>(
      '/v1/memories?workspace_id=workspace_default&limit=200',
    );
    expect(inWorkspace.data.map(({ id }) => id)).not.toContain(tenants.id);
  });

  it('looks absent to another tenant, whatever it belongs to', async () => {
    for (const owner of [ofWorkspace, { scope: 'tenant', owner_id: 'tenant_default' }]) {
      const { id } = await create({ ...owner, content: 'ours' });
      const stranger = stage.as(OTHER_TENANT.key.actor);
      for (const method of ['GET', 'DELETE']) {
        const answer = await stranger.call(method, `/v1/memories/${id}`);
        expect(answer.status).toBe(404);
      }
      const { data } = await stranger.get<{ data: Memory[] }>('/v1/memories');
      expect(data).toEqual([]);
      const events = await stranger.events('/v1/events');
      expect(events.filter(({ resource }) => resource.id === id)).toEqual([]);
      const own = await stage.client.events('/v1/events');
      expect(own.filter(({ resource }) => resource.id === id)).toHaveLength(1);
    }
  });

  it('[C18] is deleted with 204 and no body: the content is gone from the store, the events stay', async () => {
    const canary = 'canary-3f9b';
    const { id } = await create({ ...ofWorkspace, content: `remember ${canary}` });
    expect(storedAs(`remember ${canary}`)).toBeDefined();
    const answer = await stage.client.call('DELETE', `/v1/memories/${id}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await stage.client.call('GET', `/v1/memories/${id}`)).status).toBe(404);
    expect((await stage.client.call('DELETE', `/v1/memories/${id}`)).status).toBe(404);
    const events = (await allEvents(stage.gateway.log)).filter(({ resource }) => resource.id === id);
    expect(events.map(({ event }) => event)).toEqual([
      'vendor.harn_gateway.memory_created',
      'vendor.harn_gateway.memory_deleted',
    ]);
    expect(JSON.stringify(events)).not.toContain(canary);
    expect(storedAs(`remember ${canary}`)).toBeUndefined();
  });

  it('[C18] [C21] a retried create answers with the Memory while it is there, and brings none back', async () => {
    const canary = 'canary-7d20';
    const send = (key: string, more: object = {}) =>
      stage.client.call<Memory>('POST', '/v1/memories', {
        body: { ...ofWorkspace, provenance, content: `note ${canary}`, ...more },
        headers: { 'idempotency-key': key },
      });
    const first = await send('note-1');
    const again = await send('note-1');
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await send('note-1', { content: 'another' })).status).toBe(409);
    await stage.client.call('DELETE', `/v1/memories/${first.body.id}`);
    const expired = { metadata: { expires_at: '2020-01-01T00:00:00Z' } };
    expect((await send('note-2', expired)).status).toBe(201);
    for (const gone of [await send('note-1'), await send('note-1'), await send('note-2', expired)]) {
      expect([gone.status, gone.body]).toMatchObject([404, { error: { code: 'resource_not_found' } }]);
      expect(gone.text).not.toContain(canary);
    }
  });

  it('answers a retried delete with the first answer', async () => {
    const { id } = await create({ ...ofWorkspace, content: 'once' });
    const headers = { 'idempotency-key': 'forget-1' };
    for (const replayed of [null, 'true']) {
      const answer = await stage.client.call('DELETE', `/v1/memories/${id}`, { headers });
      expect([answer.status, answer.text, answer.headers.get('idempotency-replayed')]).toEqual([
        204,
        '',
        replayed,
      ]);
    }
  });

  it('[EXT-MEM-03] is absent once metadata.expires_at has passed', async () => {
    const past = await create({
      ...ofWorkspace,
      content: 'stale',
      metadata: { expires_at: '2020-01-01T00:00:00Z' },
    });
    expect(past['expires_at']).toBe('2020-01-01T00:00:00.000Z');
    expect((await stage.client.call('GET', `/v1/memories/${past.id}`)).status).toBe(404);
    const { data } = await stage.client.get<{ data: Memory[] }>('/v1/memories?limit=200');
    expect(data.map(({ id }) => id)).not.toContain(past.id);
    const answer = await stage.client.call('POST', '/v1/memories', {
      body: { ...ofWorkspace, content: 'x', provenance, metadata: { expires_at: 'tomorrow' } },
    });
    expect(answer.body).toMatchObject({ error: { param: 'metadata.expires_at' } });
  });

  it('is erased by housekeeping after it expired', async () => {
    const { id } = await create({
      ...ofWorkspace,
      content: 'soon forgotten',
      metadata: { expires_at: '2020-01-01T00:00:00Z' },
    });
    expect(storedAs('soon forgotten')).toBeDefined();
    const clock = { now: () => Date.parse('2030-01-01T00:00:00Z'), monotonic: () => 0 };
    expect(await endExpired(expiry, stage.gateway.log, {} as DecisionTools, clock)).toBeGreaterThan(0);
    expect(storedAs('soon forgotten')).toBeUndefined();
    const events = (await allEvents(stage.gateway.log)).filter(({ resource }) => resource.id === id);
    expect(events.at(-1)).toMatchObject({ payload: { memory_id: id, reason: 'expired' } });
  });

  it('[EXT-MEM-02] is never part of a transcript', async () => {
    const session = await stage.client.session();
    await create({ scope: 'session', owner_id: session.id, content: 'not a turn' });
    const { data } = await stage.client.get<{ data: unknown[] }>(`/v1/sessions/${session.id}/messages`);
    expect(data).toEqual([]);
  });

  it('[C27] keeps large content in an artifact and takes it along when it goes', async () => {
    const memory = await create({ ...ofWorkspace, content: 'x'.repeat(200_000) });
    const ref = memory.content as { type: string; artifact_id: string };
    expect(ref.type).toBe('artifact_ref');
    const path = `/v1/artifacts/${ref.artifact_id}`;
    expect((await stage.client.call('GET', `${path}/content`)).text).toHaveLength(200_000);
    await stage.client.call('DELETE', `/v1/memories/${memory.id}`);
    expect((await stage.client.call('GET', `${path}/content`)).status).toBe(404);
    expect(await stage.client.get(path)).toMatchObject({ metadata: { redacted: true } });
  });

  it('hides internal content from readers without internal:read, and secrets from everybody', async () => {
    const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD';
    const { id, content } = await create({
      ...ofWorkspace,
      content: `key ${secret}`,
      visibility: 'internal',
    });
    expect(content).not.toContain(secret);
    const seen = await stage.as('reader').get<Memory>(`/v1/memories/${id}`);
    expect(seen.content).toEqual({ redacted: true, visibility: 'internal' });
    expect((await stage.as('reader').call('DELETE', `/v1/memories/${id}`)).status).toBe(403);
  });

  it('[EXT-MEM-01] names the task it comes from only where the caller may see it', async () => {
    const { id } = await stage.client.submit('hi');
    const kept = await create({ ...ofWorkspace, content: 'x', provenance: { task_id: id } });
    expect(kept['provenance']).toEqual({ task_id: id });
    const answer = await stage.client.call('POST', '/v1/memories', {
      body: { ...ofWorkspace, content: 'x', provenance: { task_id: 'task_none' } },
    });
    expect(answer.body).toMatchObject({
      error: { code: 'resource_not_found', param: 'provenance.task_id' },
    });
  });

  it('refuses a reference to an artifact that is not there', async () => {
    const ref = { type: 'artifact_ref', artifact_id: 'artifact_none', visibility: 'public' };
    const answer = await stage.client.call('POST', '/v1/memories', {
      body: { ...ofWorkspace, content: ref, provenance },
    });
    expect(answer.body).toMatchObject({
      error: { code: 'resource_not_found', param: 'content.artifact_id' },
    });
  });
});
