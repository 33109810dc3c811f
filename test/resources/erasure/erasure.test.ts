import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Erasure } from '#resources/erasure/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { userText } from '../../harness/client.ts';
import { RetentionStage } from '../event/retention-stage.ts';
import { canariesIn, canary } from './canaries.ts';
import { endedErasure } from './ended-erasure.ts';

const RULE = 'GDPR Art. 17';

describe('an erasure', () => {
  let stage: RetentionStage;
  beforeEach(async () => {
    stage = await new RetentionStage(0, {}, { outbound: { allow: ['127.0.0.1'] } }).open();
  });
  afterEach(() => stage.end());

  const erase = (session_id: string): Promise<Erasure> =>
    endedErasure(stage.client, { session_id, rule: RULE, reason: 'asked for' });
  const errorOf = async (method: string, path: string, body?: unknown) => {
    const answer = await stage.client.call(method, path, body === undefined ? {} : { body });
    return { status: answer.status, ...(answer.body['error'] as object) };
  };
  const erased = (erasure: Erasure) => ({
    status: 404,
    code: 'resource_not_found',
    message: expect.stringContaining('was erased'),
    details: { erased: true, erasure_id: erasure.id },
  });
  const memory = (content: string, more: object) =>
    stage.client.post<{ id: string }>('/v1/memories', { content, provenance: {}, ...more });

  /** A session with canaries wherever a caller or an agent can put words. */
  async function talk(): Promise<{ session: Session; task: Task }> {
    const { client } = stage;
    const session = await client.post<Session>(
      '/v1/sessions',
      {
        workspace_id: 'workspace_default',
        summary: canary('summary'),
        metadata: { note: canary('metadata') },
      },
      'key-session',
    );
    const at = `/v1/sessions/${session.id}`;
    await client.post(`${at}/messages`, { message: userText(canary('message')) }, 'key-message');
    const task = await stage.run(canary('input'), session.id);
    await client.post(
      `${at}/tasks`,
      { input: userText(canary('keyed input')), metadata: { route: 'test:puppet' } },
      'key-task',
    );
    const failed = await client.post<Task>(`${at}/tasks`, {
      input: userText('fail'),
      metadata: { route: 'test:puppet', note: canary('task metadata') },
    });
    await client.until(failed.id, 'FAILED');
    const artifact = await client.post<{ id: string }>('/v1/artifacts', {
      kind: 'file',
      mime_type: 'text/plain',
      visibility: 'public',
      session_id: session.id,
      metadata: { note: canary('artifact metadata') },
    });
    await client.call('PUT', `/v1/artifacts/${artifact.id}/content`, {
      body: `${canary('bytes')}${'.'.repeat(70_000)}`,
    });
    await client.post(`/v1/tasks/${task.id}/replay`, { mode: 'exact', reason: canary('replay reason') });
    await client.post(`/v1/tasks/${task.id}/push-configs`, {
      url: `http://127.0.0.1:1/${canary('push url')}`,
      client_id: canary('push-client'),
    });
    const { id: asked } = await client.submit('tool', session.id, { route: 'fake:asking' });
    await client.until(asked, 'AUTH_REQUIRED');
    const requests = await client.get<{ data: { id: string }[] }>(`/v1/tasks/${asked}/permission-requests`);
    await client.post(`/v1/permission-requests/${requests.data[0]?.id}/respond`, {
      approved: true,
      answer: { option_id: 'always' },
      reason: canary('permission reason'),
    });
    await client.until(asked, 'COMPLETED');
    await memory(canary('memory'), {
      scope: 'session',
      owner_id: session.id,
      metadata: { note: canary('memory metadata') },
    });
    await memory(canary('workspace memory'), {
      scope: 'workspace',
      owner_id: 'workspace_default',
      provenance: { task_id: task.id, source: canary('provenance') },
    });
    await client.call('PATCH', at, { body: { summary: canary('second summary') } });
    return { session, task };
  }

  it('leaves nothing of what was said anywhere on the disk, and the proof of it everywhere', async () => {
    const other = await stage.run('in another session');
    const { session, task } = await talk();
    const { id: fork } = await stage.client.post<Session>(`/v1/sessions/${session.id}/fork`, {});
    await stage.run('in the fork', fork);
    const before = await stage.client.events(`/v1/sessions/${session.id}/events`);
    const all = await stage.client.events('/v1/events');
    const { receipt_id } = await stage.client.get<Task>(`/v1/tasks/${task.id}`);
    await stage.restart();
    expect(canariesIn(stage.data)).toEqual(
      expect.arrayContaining(['input', 'message', 'bytes', 'memory', 'keyed input', 'push url', 'metadata']),
    );
    const erasure = await erase(session.id);
    expect(erasure).toMatchObject({
      subject: { object: 'session', id: session.id },
      rule: RULE,
      reason: 'asked for',
      requested_by: 'actor_test',
      state: 'completed',
      forks: [fork],
      removed: { memories: 2, tasks: 5 },
    });
    expect(erasure.receipts.map(({ receipt_id }) => receipt_id)).toContain(receipt_id);
    // The very events are there, in their order, without their words.
    const now = await stage.client.events('/v1/events');
    const skeleton = (events: typeof all) =>
      events.map(({ id, event, sequence, resource }) => ({ id, event, sequence, resource }));
    expect(skeleton(now.slice(0, all.length))).toEqual(skeleton(all));
    const gone = now.filter(({ id }) => before.some((event) => event.id === id));
    expect(gone).toHaveLength(before.length);
    for (const event of gone)
      expect((event as unknown as { payload: object }).payload).toEqual({
        erased: { erasure_id: erasure.id, erased_at: erasure.created_at },
      });
    for (const path of [
      `/v1/sessions/${session.id}`,
      `/v1/sessions/${session.id}/events`,
      `/v1/tasks/${task.id}`,
      `/v1/receipts/${receipt_id}`,
    ])
      expect(await errorOf('GET', path), path).toMatchObject(erased(erasure));
    expect(await errorOf('POST', `/v1/receipts/${receipt_id}/verify`, {})).toMatchObject(erased(erasure));
    expect(await errorOf('POST', `/v1/tasks/${task.id}/replay`, { mode: 'exact' })).toMatchObject(
      erased(erasure),
    );
    expect(await errorOf('POST', `/v1/sessions/${session.id}/replay`, { mode: 'exact' })).toMatchObject(
      erased(erasure),
    );
    expect(await errorOf('POST', '/v1/bundles/export', { session_id: session.id })).toMatchObject(
      erased(erasure),
    );
    // What is left of the turns that the fork shows.
    const turns = await stage.client.get<{ data: { parts: { text: string }[] }[] }>(
      `/v1/sessions/${fork}/messages`,
    );
    expect(turns.data[0]?.parts[0]?.text).toBe(`[erased by ${erasure.id}]`);
    expect(turns.data.at(-1)?.parts[0]?.text).toBe('You said: in the fork');
    expect((await stage.client.call('GET', `/v1/tasks/${other.id}`)).status).toBe(200);
    // What the fork is called began as a copy; it has its own erasure.
    await erase(fork);
    const findings = await stage.checked();
    expect(findings).toEqual([]);
    await stage.gateway.close();
    // A decision stays in the signed chain of trust records, with the words of whoever made it.
    expect(canariesIn(stage.data)).toEqual(['permission reason']);
    await stage.open();
    expect(await stage.client.get(`/v1/erasures/${erasure.id}`)).toEqual(erasure);
  });

  // Found by `torture --only bad-input --size 20000` with the seeds 999229773, 189903616, 372126897, 1529432966, 1380704759, 1361597204.
  it('takes no fork of the session once it is asked for', async () => {
    const { session_id } = await stage.run('hello');
    const fork = () => stage.client.call<Session>('POST', `/v1/sessions/${session_id}/fork`);
    const before = await Promise.all([fork(), fork()]);
    let isOver = false;
    const erasing = erase(session_id).finally(() => {
      isOver = true;
    });
    const meanwhile: Awaited<ReturnType<typeof fork>>[] = [];
    while (!isOver) meanwhile.push(await fork());
    const erasure = await erasing;
    const made = [...before, ...meanwhile].filter(({ status }) => status === 201);
    expect(erasure).toMatchObject({ state: 'completed' });
    expect([...erasure.forks].sort()).toEqual(made.map(({ body }) => body.id).sort());
    expect(meanwhile.at(-1)).toMatchObject({ status: 404, body: { error: { details: { erased: true } } } });
    expect(await stage.checked()).toEqual([]);
  });

  it('is refused with the name of the hold that keeps the session, and changes nothing', async () => {
    const { session_id } = await stage.run('hello');
    const hold = await stage.client.post<{ id: string }>('/v1/holds', {
      name: 'case 17',
      session_ids: [session_id],
      reason: 'auditors',
    });
    expect(await errorOf('POST', '/v1/erasures', { session_id, rule: RULE })).toMatchObject({
      status: 409,
      message: expect.stringContaining('"case 17"'),
      details: { hold: 'case 17', hold_id: hold.id },
    });
    expect(await stage.client.get(`/v1/sessions/${session_id}`)).toMatchObject({ state: 'IDLE' });
    expect((await stage.client.get<{ data: unknown[] }>('/v1/erasures')).data).toEqual([]);
    await stage.client.post(`/v1/holds/${hold.id}/release`, { reason: 'over' });
    expect(await erase(session_id)).toMatchObject({ state: 'completed' });
    expect(
      await errorOf('POST', '/v1/holds', { name: 'n', session_ids: [session_id], reason: 'r' }),
    ).toMatchObject({ status: 404, param: 'session_ids[0]', details: { erased: true } });
  });

  it('ends what runs, and names what is wrong with a request', async () => {
    const open = await stage.client.submit('ask', undefined, { route: 'test:puppet' });
    await stage.client.until(open.id, 'INPUT_REQUIRED');
    const refused = async (body: object) => {
      const { status, param } = (await errorOf('POST', '/v1/erasures', body)) as {
        status: number;
        param?: string;
      };
      return [status, param];
    };
    expect(await refused({ session_id: open.session_id })).toEqual([400, 'rule']);
    expect(await refused({ session_id: 'absent', rule: RULE })).toEqual([404, 'session_id']);
    expect(await refused({ session_id: open.session_id, rule: '' })).toEqual([400, 'rule']);
    const erasure = await erase(open.session_id);
    expect(erasure).toMatchObject({ state: 'completed', removed: { tasks: 1 } });
    expect(await errorOf('GET', `/v1/tasks/${open.id}`)).toMatchObject(erased(erasure));
    expect(await errorOf('POST', '/v1/erasures', { session_id: open.session_id, rule: RULE })).toMatchObject({
      ...erased(erasure),
      param: 'session_id',
    });
    expect(await stage.checked()).toEqual([]);
  });

  it('proves what was there: the leaves of its receipts stay, and later heads go on over them', async () => {
    const first = await stage.run('hello');
    const second = await stage.run('again', first.session_id);
    const kept = await stage.run('kept');
    const erasure = await erase(first.session_id);
    expect(erasure.receipts.map(({ task_id }) => task_id).sort()).toEqual([first.id, second.id].sort());
    const grown = await stage.client.get<{ size: number }>('/v1/receipt-log/head');
    await stage.run('later', kept.session_id);
    const { receipt_id } = await stage.client.get<Task>(`/v1/tasks/${kept.id}`);
    expect(await stage.client.post(`/v1/receipts/${receipt_id}/verify`)).toMatchObject({ valid: true });
    const head = await stage.client.get<{ size: number }>('/v1/receipt-log/head');
    expect(head.size).toBe(grown.size + 1);
    const path = `/v1/receipt-log/consistency?first=${grown.size}&second=${head.size}`;
    expect((await stage.client.call('GET', path)).status).toBe(200);
    for (const { receipt_id, receipt_hash, log_index } of erasure.receipts)
      expect(await stage.client.get(`/v1/receipt-log/inclusion?receipt_id=${receipt_id}`)).toMatchObject({
        receipt_id,
        receipt_hash,
        index: log_index,
      });
    expect(await stage.checked()).toEqual([]);
  });

  it('lets followers go on, and gives a retry no second effect', async () => {
    const { session_id } = await stage.run('hello');
    const at = `/v1/sessions/${session_id}/tasks`;
    const body = { input: userText('keyed'), metadata: { route: 'test:puppet' } };
    const { id } = await stage.client.post<Task>(at, body, 'once');
    await stage.client.until(id, 'COMPLETED');
    const all = await stage.client.events('/v1/events');
    const cursor = all.at(-1)?.id ?? '';
    const erasure = await erase(session_id);
    const after = await stage.client.get<{ data: { event: string }[] }>(
      `/v1/events?after_event_id=${cursor}`,
    );
    expect(after.data.map(({ event }) => event)).toContain('vendor.harn_gateway.erasure_completed');
    const again = await stage.client.call('POST', at, { body, headers: { 'idempotency-key': 'once' } });
    expect({ status: again.status, ...(again.body['error'] as object) }).toMatchObject(erased(erasure));
    const sessions = await stage.client.get<{ data: unknown[] }>('/v1/sessions');
    expect(sessions.data).toEqual([]);
  });

  it('is for good: a bundle of the session is refused, and says why', async () => {
    const { session_id } = await stage.run('hello');
    const bundle = await stage.client.post('/v1/bundles/export', { session_id });
    const { id } = await erase(session_id);
    expect(await errorOf('POST', '/v1/bundles/import', bundle)).toMatchObject({
      status: 409,
      message: expect.stringContaining('was erased'),
      details: { erased: true, erasure_id: id },
    });
  });

  it('takes the words of what had been deleted before', async () => {
    const { id, session_id } = await stage.run('hello');
    const config = await stage.client.post<{ id: string }>(`/v1/tasks/${id}/push-configs`, {
      url: `http://127.0.0.1:1/${canary('deleted url')}`,
    });
    await stage.client.call('DELETE', `/v1/tasks/${id}/push-configs/${config.id}`);
    const { id: deleted } = await memory(canary('deleted memory'), {
      scope: 'workspace',
      owner_id: 'workspace_default',
      provenance: { task_id: id, source: canary('deleted provenance') },
    });
    await stage.client.call('DELETE', `/v1/memories/${deleted}`);
    await erase(session_id);
    expect(await stage.checked()).toEqual([]);
    await stage.gateway.close();
    expect(canariesIn(stage.data)).toEqual([]);
    await stage.open();
  });

  it('goes on after a stop at any moment, and ends', async () => {
    const { session } = await talk();
    for (let n = 0; n < 40; n += 1)
      await stage.client.post(`/v1/sessions/${session.id}/messages`, { message: userText(`more ${n}`) });
    // Stopped in the middle of it, again and again.
    const asked = stage.client.call('POST', '/v1/erasures', { body: { session_id: session.id, rule: RULE } });
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
    expect(await stage.checked()).toEqual([]);
    await stage.gateway.close();
    expect(canariesIn(stage.data)).toEqual(['permission reason']);
    await stage.open();
  });
});
