import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TreeHead } from '#resources/receipt/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { RetentionStage } from '../event/retention-stage.ts';

describe('retention.sessions_days', () => {
  let stage: RetentionStage;
  beforeEach(async () => {
    stage = await new RetentionStage(0, { events_days: 30, interesting_days: 180, sessions_days: 90 }).open();
  });
  afterEach(() => stage.end());

  const keys = async (): Promise<string[]> => {
    const found: string[] = [];
    for (let after = ''; ; ) {
      const page = await stage.gateway.log.indexKeys({ gt: after, limit: 1_000 });
      found.push(...page);
      const last = page.at(-1);
      if (last === undefined) return found;
      after = last;
    }
  };
  /** Keys that name something of the session, in whatever way. */
  const naming = async (...ids: string[]) =>
    (await keys()).filter((key) => ids.some((id) => key.includes(id)));

  async function closed(...texts: string[]): Promise<Task[]> {
    const tasks: Task[] = [];
    for (const text of texts) tasks.push(await stage.run(text, tasks[0]?.session_id));
    await stage.close({ id: tasks[0]?.session_id ?? '' });
    return tasks;
  }

  it('removes a closed session whole: nothing of it is left but its tombstone and the leaves of its receipts', async () => {
    await stage.run('in another session');
    await stage.sweepAfter(31);
    const before = await keys();
    const tasks = await closed('hello', 'again');
    const session = tasks[0]?.session_id ?? '';
    await stage.sweepAfter(89);
    expect((await stage.client.call('GET', `/v1/sessions/${session}`)).status).toBe(200);
    await stage.sweepAfter(2);
    const rows = (await keys()).filter((key) => !before.includes(key));
    // Commits have a summary, answers of requests a window of their own, and what sessions count together stays counted.
    const left = rows.filter((key) => !/^(c|cs|i|it)\/|^p\/x\/receipt-log\//.test(key));
    expect(left.map((key) => key.split('/')[0]).sort()).toEqual(['tl', 'tl', 'ts']);
    expect(await naming(session, ...tasks.map(({ id }) => id))).toEqual([`ts/${session}`]);
    expect(await stage.checked()).toEqual([]);
  });

  it('answers for all that went as for what never was, and lists none of it', async () => {
    const [task] = await closed('hello');
    const session = task?.session_id ?? '';
    const { receipt_id, outcome_id } = await stage.client.get<Task>(`/v1/tasks/${task?.id}`);
    const listed = async (path: string) =>
      (await stage.client.get<{ data: { id: string }[] }>(path)).data.map(({ id }) => id);
    const [artifact] = await listed(`/v1/artifacts?task_id=${task?.id}`);
    const [event] = await stage.client.events(`/v1/sessions/${session}/events`);
    const paths = [
      `/v1/sessions/${session}`,
      `/v1/sessions/${session}/messages`,
      `/v1/sessions/${session}/events`,
      `/v1/tasks/${task?.id}`,
      `/v1/tasks/${task?.id}/events`,
      `/v1/tasks/${task?.id}/receipts`,
      `/v1/receipts/${receipt_id}`,
      `/v1/outcomes/${outcome_id}`,
      `/v1/artifacts/${artifact}`,
      `/v1/artifacts/${artifact}/content`,
      `/v1/events/${event?.id}`,
    ];
    const statuses = () =>
      Promise.all(paths.map(async (path) => (await stage.client.call('GET', path)).status));
    expect(await statuses()).toEqual(paths.map(() => 200));
    await stage.sweepAfter(91);
    expect(await statuses()).toEqual(paths.map(() => 404));
    const absent = await stage.client.call('GET', '/v1/tasks/task_01M7CNAS1V2AXTP4PA8WSYRS79');
    const gone = await stage.client.call('GET', `/v1/tasks/${task?.id}`);
    expect({ ...(gone.body['error'] as object), request_id: '' }).toEqual({
      ...(absent.body['error'] as object),
      request_id: '',
    });
    for (const path of ['/v1/sessions', '/v1/tasks', '/v1/artifacts', '/v1/outcomes'])
      expect(await listed(path), path).toEqual([]);
    await stage.restart();
    expect(await statuses()).toEqual(paths.map(() => 404));
  });

  it('leaves the receipt log provable: every leaf stays, and the head goes on over them', async () => {
    const before = await stage.client.get<TreeHead>('/v1/receipt-log/head');
    await closed('hello', 'again');
    const kept = await stage.run('kept');
    const grown = await stage.client.get<TreeHead>('/v1/receipt-log/head');
    await stage.sweepAfter(91);
    await stage.run('later', kept.session_id);
    const head = await stage.client.get<TreeHead>('/v1/receipt-log/head');
    expect(head.size).toBe(before.size + 4);
    const path = `/v1/receipt-log/consistency?first=${grown.size}&second=${head.size}`;
    expect((await stage.client.call('GET', path)).status).toBe(200);
    const { receipt_id } = await stage.client.get<Task>(`/v1/tasks/${kept.id}`);
    expect(await stage.client.post(`/v1/receipts/${receipt_id}/verify`)).toMatchObject({
      valid: true,
      details: { ok: true },
    });
    expect(await stage.checked()).toEqual([]);
  });

  it('leaves what a fork has copied to it, until the fork goes too', async () => {
    const [task] = await closed('hello');
    const session = task?.session_id ?? '';
    const { id: fork } = await stage.client.post<Session>(`/v1/sessions/${session}/fork`, {});
    for (const text of ['in the fork', 'newest in the fork']) await stage.run(text, fork);
    const messages = async () => (await stage.client.call('GET', `/v1/sessions/${fork}/messages`)).text;
    const before = await messages();
    expect(before).toContain('You said: hello');
    for (let sweep = 0; sweep < 3; sweep += 1) await stage.sweepAfter(31);
    expect((await stage.client.call('GET', `/v1/sessions/${session}`)).status).toBe(404);
    expect(await messages()).toBe(before);
    expect(await stage.checked()).toEqual([]);
    await stage.close({ id: fork });
    await stage.sweepAfter(91);
    expect(await naming(session, fork)).toEqual([`ts/${session}`, `ts/${fork}`].sort());
    expect((await keys()).filter((key) => key.startsWith('r/message/'))).toEqual([]);
    expect(await stage.checked()).toEqual([]);
  });

  it('leaves memories, answers for good and the contents that others refer to', async () => {
    const bytes = 'the same bytes';
    const upload = async (session?: string) => {
      const artifact = { kind: 'file', mime_type: 'text/plain', visibility: 'public' };
      const place = session === undefined ? {} : { session_id: session };
      const { id } = await stage.client.post<{ id: string }>('/v1/artifacts', { ...artifact, ...place });
      await stage.client.call('PUT', `/v1/artifacts/${id}/content`, { body: bytes });
      return id;
    };
    const [task] = await closed('hello');
    const session = await stage.client.session();
    const [own, kept] = [await upload(session.id), await upload()];
    const memory = await stage.client.post<{ id: string }>('/v1/memories', {
      scope: 'session',
      owner_id: session.id,
      content: 'kept across sessions',
      provenance: { actor: 'a' },
    });
    await stage.close(session);
    await stage.sweepAfter(91);
    for (const gone of [task?.session_id, session.id])
      expect((await stage.client.call('GET', `/v1/sessions/${gone}`)).status).toBe(404);
    expect((await stage.client.call('GET', `/v1/artifacts/${own}/content`)).status).toBe(404);
    expect((await stage.client.call('GET', `/v1/artifacts/${kept}/content`)).text).toBe(bytes);
    expect(await stage.client.get(`/v1/memories/${memory.id}`)).toMatchObject({ id: memory.id });
    expect(await stage.checked()).toEqual([]);
  });

  it('keeps a session with a run of interest as long as that run, and an open one for ever', async () => {
    const [good] = await closed('hello');
    const failed = await stage.run('fail', undefined, 'FAILED');
    await stage.close({ id: failed.session_id });
    const open = await stage.run('open');
    const statusOf = async (task: Task | undefined) =>
      (await stage.client.call('GET', `/v1/sessions/${task?.session_id}`)).status;
    await stage.sweepAfter(91);
    expect([await statusOf(good), await statusOf(failed), await statusOf(open)]).toEqual([404, 200, 200]);
    await stage.sweepAfter(90);
    expect([await statusOf(failed), await statusOf(open)]).toEqual([404, 200]);
    expect(await stage.checked()).toEqual([]);
  });

  it('never gives ids of it to anything else: its bundle is refused', async () => {
    const [task] = await closed('hello');
    const session = task?.session_id ?? '';
    const bundle = await stage.client.post('/v1/bundles/export', { session_id: session });
    await stage.sweepAfter(91);
    const answer = await stage.client.call('POST', '/v1/bundles/import', { body: bundle });
    expect({ status: answer.status, error: answer.body['error'] }).toMatchObject({
      status: 409,
      error: {
        code: 'conflict',
        message: expect.stringContaining('retention removed it'),
        details: { session_id: session },
      },
    });
    expect(await stage.checked()).toEqual([]);
  });

  it('goes on after a shutdown in the middle of it', async () => {
    const texts = Array.from({ length: 60 }, (_, at) => `task ${at}`);
    const tasks = await closed(...texts);
    stage.pass(91);
    const sweeping = stage.gateway.tidy();
    await stage.restart();
    await sweeping;
    expect(await stage.checked()).toEqual([]);
    await stage.gateway.tidy();
    expect(await naming(tasks[0]?.session_id ?? '', ...tasks.map(({ id }) => id))).toEqual([
      `ts/${tasks[0]?.session_id}`,
    ]);
    const tombstone = JSON.parse(String(stage.gateway.log.record(`ts/${tasks[0]?.session_id}`)));
    expect(tombstone).toMatchObject({ tasks: 60, workspace_id: 'workspace_default' });
    expect(tombstone.receipts).toEqual(Array.from({ length: 60 }, (_, at) => at));
    expect(await stage.checked()).toEqual([]);
  });

  it('leaves a workspace alone that says so', async () => {
    const keeper = stage.gateway.clients['keeper'];
    const kept = await keeper?.post<Session>('/v1/sessions', { workspace_id: 'workspace_kept' });
    await keeper?.post(`/v1/sessions/${kept?.id}/close`);
    await stage.sweepAfter(400);
    expect((await keeper?.call('GET', `/v1/sessions/${kept?.id}`))?.status).toBe(200);
  });
});

it('retention.sessions_days is off by default', async () => {
  const stage = await new RetentionStage().open();
  const { session_id } = await stage.run('hello');
  await stage.close({ id: session_id });
  await stage.sweepAfter(4_000);
  expect((await stage.client.call('GET', `/v1/sessions/${session_id}`)).status).toBe(200);
  await stage.end();
});

it('retention.sessions_days takes the events along where they are kept for ever', async () => {
  const stage = await new RetentionStage(0, { sessions_days: 90 }).open();
  const tasks = [await stage.run('hello'), await stage.run('in another session')];
  await stage.close({ id: tasks[0]?.session_id ?? '' });
  await stage.sweepAfter(91);
  const statuses = tasks.map(({ id }) => stage.client.call('GET', `/v1/tasks/${id}/events`));
  expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([404, 200]);
  expect(await stage.kinds(`/v1/tasks/${tasks[1]?.id}/events`)).toContain('task.completed');
  expect(await stage.checked()).toEqual([]);
  await stage.end();
});
