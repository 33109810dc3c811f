import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditLine } from '#resources/audit/schema.ts';
import type { Erasure } from '#resources/erasure/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { type TestClient, userText } from '../../harness/client.ts';
import { RetentionStage } from '../event/retention-stage.ts';
import { canariesIn, canary } from './canaries.ts';
import { endedErasure } from './ended-erasure.ts';

const RULE = 'GDPR Art. 17';
const ADA = 'ada';
const route = { metadata: { route: 'test:puppet' } };

describe('the erasure of an actor', () => {
  let stage: RetentionStage;
  beforeEach(async () => {
    const config = {
      outbound: { allow: ['127.0.0.1'] },
      tenants: [{ id: 'elsewhere' }],
      workspaces: [{ id: 'workspace_far', tenant: 'elsewhere' }],
    };
    stage = await new RetentionStage(0, {}, config, [
      { actor: ADA },
      { name: 'far', actor: ADA, tenant: 'elsewhere', workspaces: ['workspace_far'] },
    ]).open();
  });
  afterEach(() => stage.end());

  const ada = (): TestClient => stage.gateway.clients[ADA] as TestClient;
  const erase = (more: object = {}): Promise<Erasure> =>
    endedErasure(stage.client, { actor: ADA, rule: RULE, reason: 'asked for', ...more });
  const errorOf = async (method: string, path: string, body?: unknown) => {
    const answer = await stage.client.call(method, path, body === undefined ? {} : { body });
    return { status: answer.status, ...(answer.body['error'] as object) };
  };
  const erased = (erasure: Erasure, status = 404) => ({
    status,
    message: expect.stringContaining('erased'),
    details: expect.objectContaining({ erased: true, erasure_id: erasure.id }),
  });
  const ran = async (client: TestClient, text: string, session: string, key?: string): Promise<Task> => {
    const { id } = await client.post<Task>(
      `/v1/sessions/${session}/tasks`,
      { input: userText(text), ...route },
      key,
    );
    return client.until(id, 'COMPLETED');
  };

  /** A Session in which two work, with canaries of one of them wherever a caller or an agent can put words. */
  async function shared(): Promise<{ session: Session; hers: Task; others: Task; later: Task }> {
    const session = await ada().post<Session>(
      '/v1/sessions',
      {
        workspace_id: 'workspace_default',
        metadata: { note: canary('metadata'), route: 'test:puppet' },
      },
      'key-session',
    );
    const at = `/v1/sessions/${session.id}`;
    await ada().call('PATCH', at, { body: { summary: canary('summary') } });
    await ada().post(`${at}/messages`, { message: userText(canary('message')) }, 'key-message');
    const hers = await ran(ada(), canary('input'), session.id, 'key-task');
    const others = await ran(stage.client, 'words of somebody else', session.id);
    await stage.client.post(`${at}/messages`, { message: userText('a note of somebody else') });
    await ada().post(`/v1/tasks/${hers.id}/replay`, { mode: 'exact', reason: canary('replay reason') });
    await stage.client.call('PATCH', at, { body: { metadata: { theirs: 'kept' } } });
    const artifact = await ada().post<{ id: string }>('/v1/artifacts', {
      kind: 'file',
      mime_type: 'text/plain',
      visibility: 'public',
      session_id: session.id,
      metadata: { note: canary('artifact metadata') },
    });
    await ada().call('PUT', `/v1/artifacts/${artifact.id}/content`, {
      body: `${canary('bytes')}${'.'.repeat(70_000)}`,
    });
    const loose = await ada().post<{ id: string }>('/v1/artifacts', {
      kind: 'file',
      mime_type: 'text/plain',
      visibility: 'public',
      workspace_id: 'workspace_default',
      metadata: { note: canary('loose artifact metadata') },
    });
    await ada().call('PUT', `/v1/artifacts/${loose.id}/content`, { body: canary('loose bytes') });
    for (const task of [hers, others])
      await ada().post(`/v1/tasks/${task.id}/push-configs`, {
        url: `http://127.0.0.1:1/${canary('push url')}`,
        client_id: canary('push-client'),
      });
    for (const more of [
      { scope: 'session', owner_id: session.id },
      { scope: 'workspace', owner_id: 'workspace_default' },
    ])
      await ada().post('/v1/memories', {
        content: canary('memory'),
        provenance: { source: canary('provenance') },
        metadata: { note: canary('memory metadata') },
        ...more,
      });
    const { id: forgotten } = await ada().post<{ id: string }>('/v1/memories', {
      content: canary('forgotten memory'),
      provenance: { source: canary('forgotten provenance') },
      scope: 'workspace',
      owner_id: 'workspace_default',
    });
    await ada().call('DELETE', `/v1/memories/${forgotten}`);
    const later = await ran(stage.client, 'later words', session.id);
    return { session, hers, others, later };
  }

  it('finds the forks that are made while it runs, and folds each before what it copied goes', async () => {
    const { id } = await ada().post<Session>('/v1/sessions', { workspace_id: 'workspace_default' });
    for (let turn = 0; turn < 4; turn += 1) await ran(ada(), 'her own', id);
    let isOver = false;
    const erasing = erase().finally(() => {
      isOver = true;
    });
    const forking = Array.from({ length: 4 }, async () => {
      for (let left = 15; left > 0 && !isOver; left -= 1)
        await stage.client.call('POST', `/v1/sessions/${id}/fork`);
    });
    await Promise.all([erasing, ...forking]);
    const { state, of_actor } = await erasing;
    expect(state).toBe('completed');
    // A fork that came first made it a Session in which somebody else has done something.
    expect([of_actor?.sessions, of_actor?.shared].flat()).toContain(id);
    expect(await stage.checked()).toEqual([]);
  });

  it('takes what the actor said out of a shared Session, and leaves what others said and every proof', async () => {
    const { session, hers, others, later } = await shared();
    const at = `/v1/sessions/${session.id}`;
    const whole = await ada().post<Session>('/v1/sessions', { workspace_id: 'workspace_default' });
    const alone = await ran(ada(), canary('alone'), whole.id);
    const { id: fork } = await stage.client.post<Session>(`${at}/fork`, {});
    await ran(stage.client, 'in the fork', fork);
    const before = await stage.client.events(`${at}/events`);
    await stage.restart();
    expect(canariesIn(stage.data)).toEqual(
      expect.arrayContaining([
        'input',
        'message',
        'bytes',
        'memory',
        'metadata',
        'summary',
        'alone',
        'push url',
      ]),
    );
    const erasure = await erase();
    expect(erasure).toMatchObject({
      subject: { object: 'actor', id: ADA },
      rule: RULE,
      requested_by: 'actor_test',
      state: 'completed',
      of_actor: { sessions: [whole.id], held: [] },
    });
    expect(erasure.of_actor?.shared).toEqual(expect.arrayContaining([session.id, fork]));
    expect(erasure.of_actor?.unreplayable).toEqual(expect.arrayContaining([others.id, later.id]));
    // The very events are there; of the actor's nothing is said any more.
    const now = await stage.client.events(`${at}/events`);
    const skeleton = (events: typeof before) =>
      events.map(({ id, event, sequence, resource }) => ({ id, event, sequence, resource }));
    expect(skeleton(now.slice(0, before.length))).toEqual(skeleton(before));
    expect(JSON.stringify(now)).toContain('words of somebody else');
    const gone = [
      `/v1/tasks/${hers.id}`,
      `/v1/tasks/${alone.id}`,
      `/v1/receipts/${hers.receipt_id}`,
      `/v1/sessions/${whole.id}`,
    ];
    for (const path of gone) expect(await errorOf('GET', path), path).toMatchObject(erased(erasure));
    const shown = await stage.client.get<Session>(at);
    expect(shown).toMatchObject({
      summary: `[erased by ${erasure.id}]`,
      metadata: { theirs: 'kept', route: 'test:puppet' },
    });
    expect(shown.metadata).not.toHaveProperty('note');
    const turns = await stage.client.get<{ data: { parts: { text: string }[] }[] }>(`${at}/messages`);
    const texts = turns.data.map(({ parts }) => parts[0]?.text);
    expect(texts.filter((text) => text === `[erased by ${erasure.id}]`)).toHaveLength(3);
    expect(texts).toEqual(
      expect.arrayContaining([
        'words of somebody else',
        'You said: words of somebody else',
        'a note of somebody else',
        'later words',
      ]),
    );
    const transcript = JSON.stringify(await stage.client.get(`${at}/transcript`));
    expect(transcript).toContain('words of somebody else');
    expect(transcript).toContain(`[erased by ${erasure.id}]`);
    // What is kept is sound; what is not says why.
    expect(await stage.client.get<Task>(`/v1/tasks/${others.id}`)).toMatchObject({ status: 'COMPLETED' });
    const verdict = await stage.client.post(`/v1/receipts/${later.receipt_id}/verify`, {});
    expect(verdict).toMatchObject({ valid: true, details: { erased: 1 } });
    expect(await errorOf('POST', `/v1/receipts/${hers.receipt_id}/verify`, {})).toMatchObject(
      erased(erasure),
    );
    expect(await errorOf('POST', `/v1/tasks/${others.id}/replay`, { mode: 'exact' })).toMatchObject(
      erased(erasure, 409),
    );
    expect(await errorOf('POST', `${at}/replay`, { mode: 'exact' })).toMatchObject(erased(erasure, 409));
    expect(await errorOf('POST', '/v1/bundles/export', { session_id: session.id })).toMatchObject(
      erased(erasure, 409),
    );
    const inclusion = `/v1/receipt-log/inclusion?receipt_id=${hers.receipt_id}`;
    expect(await stage.client.get(inclusion)).toMatchObject({ receipt_id: hers.receipt_id });
    // It goes on there, as a Session does.
    const more = await ran(stage.client, 'after it all', session.id);
    expect(await stage.client.post(`/v1/receipts/${more.receipt_id}/verify`, {})).toMatchObject({
      valid: true,
    });
    expect(await stage.client.post(`/v1/tasks/${more.id}/replay`, { mode: 'exact' })).toMatchObject({
      object: 'task',
    });
    expect(await stage.checked()).toEqual([]);
    await stage.gateway.close();
    expect(canariesIn(stage.data)).toEqual([]);
    await stage.open();
    expect(await stage.client.get(`/v1/erasures/${erasure.id}`)).toEqual(erasure);
  });

  it('tells a retry of the actor that it was erased, and does nothing twice', async () => {
    const { session } = await shared();
    const erasure = await erase();
    const path = `/v1/sessions/${session.id}/tasks`;
    const body = { input: userText(canary('input')), ...route };
    const again = await ada().call('POST', path, { body, headers: { 'idempotency-key': 'key-task' } });
    expect({ status: again.status, ...(again.body['error'] as object) }).toMatchObject(erased(erasure));
    const lines = await stage.client.get<{ data: AuditLine[] }>('/v1/audit');
    const told = lines.data.filter(({ kind }) => kind.includes('erasure'));
    expect(told.map(({ what, rule }) => [what, rule])).toEqual([
      [`the erasure of the actor ${ADA}`, RULE],
      ['an erasure', null],
    ]);
  });

  it('leaves alone what a hold keeps, says so, and takes the rest', async () => {
    const kept = await ran(ada(), 'kept words', (await ada().session()).id);
    const gone = await ran(ada(), canary('gone'), (await ada().session()).id);
    const hold = await stage.client.post<{ id: string }>('/v1/holds', {
      name: 'case 17',
      session_ids: [kept.session_id],
      reason: 'auditors',
    });
    const first = await erase();
    expect(first).toMatchObject({
      state: 'completed',
      of_actor: {
        sessions: [gone.session_id],
        held: [{ session_id: kept.session_id, hold_id: hold.id }],
      },
    });
    expect(await stage.client.get(`/v1/tasks/${kept.id}`)).toMatchObject({ status: 'COMPLETED' });
    expect(JSON.stringify(await stage.client.events(`/v1/sessions/${kept.session_id}/events`))).toContain(
      'kept words',
    );
    await stage.client.post(`/v1/holds/${hold.id}/release`, { reason: 'over' });
    const second = await erase();
    expect(second.of_actor).toMatchObject({ sessions: [kept.session_id], held: [] });
    expect(await errorOf('GET', `/v1/tasks/${kept.id}`)).toMatchObject(erased(second));
    expect(await stage.checked()).toEqual([]);
  });

  it('ends what the actor has open, and leaves the open work of others and other tenants', async () => {
    const { id: session } = await stage.client.session();
    const theirs = await stage.client.submit('ask', session, { route: 'test:puppet' });
    await stage.client.until(theirs.id, 'INPUT_REQUIRED');
    const { id: other } = await stage.client.session();
    await ran(stage.client, 'somebody was here', other);
    const hers = await ada().submit('ask', other, { route: 'test:puppet' });
    await stage.client.until(hers.id, 'INPUT_REQUIRED');
    const far = stage.gateway.clients['far'] as TestClient;
    const away = await far.post<Session>('/v1/sessions', {
      workspace_id: 'workspace_far',
      metadata: { note: 'of the same name' },
    });
    await far.post(`/v1/sessions/${away.id}/messages`, { message: userText('of another tenant') });
    const erasure = await erase();
    expect(erasure).toMatchObject({ state: 'completed', of_actor: { sessions: [], shared: [other] } });
    expect(await errorOf('GET', `/v1/tasks/${hers.id}`)).toMatchObject(erased(erasure));
    expect(await stage.client.get(`/v1/tasks/${theirs.id}`)).toMatchObject({ status: 'INPUT_REQUIRED' });
    expect(await stage.client.get(`/v1/sessions/${other}`)).toMatchObject({ state: 'IDLE' });
    expect(await far.get(`/v1/sessions/${away.id}`)).toMatchObject({
      metadata: { note: 'of the same name' },
    });
    expect(JSON.stringify(await far.get(`/v1/sessions/${away.id}/messages`))).toContain('of another tenant');
    expect(await stage.checked()).toEqual([]);
  });

  it('names what is wrong with a request, and erases nothing', async () => {
    const { id: session_id } = await stage.client.session();
    const refused = async (body: object) => {
      const { status, param } = (await errorOf('POST', '/v1/erasures', body)) as {
        status: number;
        param?: string;
      };
      return [status, param];
    };
    expect(await refused({ rule: RULE })).toEqual([400, 'session_id']);
    expect(await refused({ rule: RULE, actor: ADA, session_id })).toEqual([400, 'session_id']);
    expect(await refused({ rule: RULE, actor: '' })).toEqual([400, 'actor']);
    expect(await refused({ rule: RULE, actor: 17 })).toEqual([400, 'actor']);
    expect(await refused({ actor: ADA })).toEqual([400, 'rule']);
    expect(await refused({ rule: RULE, session_id, workspace_id: 'workspace_default' })).toEqual([
      400,
      'workspace_id',
    ]);
    expect(await refused({ rule: RULE, actor: ADA, workspace_id: 'workspace_far' })).toEqual([
      404,
      'workspace_id',
    ]);
    expect((await stage.client.get<{ data: unknown[] }>('/v1/erasures')).data).toEqual([]);
    const nobody = await erase({ actor: 'nobody of this name' });
    expect(nobody).toMatchObject({ state: 'completed', of_actor: { sessions: [], shared: [] } });
  });

  it('lets retention go on where runs were erased', async () => {
    await stage.end();
    const windows = { events_days: 30, interesting_days: 30 };
    stage = await new RetentionStage(0, windows, {}, [{ actor: ADA }]).open();
    const { id: session } = await stage.client.session();
    await ran(ada(), 'first words', session);
    const others = await ran(stage.client, 'second words', session);
    // The newest run of an open Session stays.
    await ran(stage.client, 'newest words', session);
    await erase();
    await stage.sweepAfter(31);
    const last = await ran(stage.client, 'third words', session);
    const left = await stage.client.events(`/v1/sessions/${session}/events`);
    expect(left[0]?.event).toBe('vendor.harn_gateway.history_removed');
    expect(JSON.stringify(left)).not.toContain('second words');
    expect(await stage.client.get(`/v1/tasks/${others.id}`)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.client.post(`/v1/receipts/${last.receipt_id}/verify`, {})).toMatchObject({
      valid: true,
    });
    expect(await stage.checked()).toEqual([]);
  });

  it('goes on after a stop at any moment, and ends', async () => {
    const { session, others } = await shared();
    for (let n = 0; n < 40; n += 1)
      await ada().post(`/v1/sessions/${session.id}/messages`, { message: userText(canary(`more ${n}`)) });
    const asked = stage.client.call('POST', '/v1/erasures', { body: { actor: ADA, rule: RULE } });
    await expect
      .poll(async () => (await stage.client.get<{ data: unknown[] }>('/v1/erasures')).data.length)
      .toBe(1);
    for (let n = 0; n < 3; n += 1) {
      await stage.restart();
      await asked.catch(() => undefined);
      // What was under way is refused by the closed store.
      stage.gateway.tidy().catch(() => undefined);
    }
    await expect
      .poll(async () => (await stage.client.get<{ data: Erasure[] }>('/v1/erasures')).data[0]?.state, {
        timeout: 10_000,
      })
      .toBe('completed');
    expect(await stage.client.get(`/v1/tasks/${others.id}`)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.checked()).toEqual([]);
    await stage.gateway.close();
    expect(canariesIn(stage.data)).toEqual([]);
    await stage.open();
  });
});
