import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '#resources/session/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { userText } from '../../harness/client.ts';
import { EventStreamClient } from '../../harness/event-stream.ts';
import type { Peer } from '../../harness/peers/peer.ts';
import { startSampleAgent } from '../../harness/peers/sample-agent.ts';
import { WsTestClient } from '../../harness/ws-client.ts';
import { RetentionStage } from './retention-stage.ts';

const MARK = 'vendor.harn_gateway.history_removed';

describe('retention', () => {
  let stage: RetentionStage;
  beforeEach(async () => {
    stage = await new RetentionStage().open();
  });
  afterEach(() => stage.end());

  const eventsOf = ({ id }: Pick<Task, 'id'>) => `/v1/tasks/${id}/events`;
  const sessionEvents = (id: string) => `/v1/sessions/${id}/events`;
  const framesOf = (task: Task) =>
    stage.gateway.log.indexKeys({ gt: `f/${task.id}/`, lt: `f/${task.id}0`, limit: 100 });

  /** A closed session with one run behind the window. */
  async function forgotten(): Promise<{ task: Task; ids: string[] }> {
    const task = await stage.run('hello');
    await stage.close({ id: task.session_id });
    const ids = (await stage.client.events(sessionEvents(task.session_id))).map(({ id }) => id);
    await stage.sweepAfter(31);
    return { task, ids };
  }

  it('removes events and replay material of an ended run, and leaves a mark in each stream', async () => {
    const task = await stage.run('hello');
    expect(await framesOf(task)).not.toEqual([]);
    await stage.close({ id: task.session_id });
    const before = await stage.client.events(sessionEvents(task.session_id));
    await stage.sweepAfter(29);
    expect(await stage.client.events(sessionEvents(task.session_id))).toEqual(before);
    await stage.sweepAfter(2);
    const [mark, ...more] = await stage.client.events(sessionEvents(task.session_id));
    expect(more).toEqual([]);
    expect(mark).toMatchObject({ event: MARK, id: before.at(-1)?.id, sequence: before.at(-1)?.sequence });
    expect(mark?.payload).toMatchObject({
      event: 'session.closed',
      streams: [{ id: task.session_id, first_event_id: before[0]?.id, events: before.length }],
    });
    expect(await stage.kinds(eventsOf(task))).toEqual([MARK]);
    expect(await framesOf(task)).toEqual([]);
    expect((await stage.client.call('GET', `/v1/events/${before[0]?.id}`)).status).toBe(404);
    expect(await stage.checked()).toEqual([]);
  });

  it('keeps every resource readable as it was', async () => {
    const task = await stage.run('hello');
    await stage.close({ id: task.session_id });
    const paths = [
      `/v1/tasks/${task.id}`,
      `/v1/sessions/${task.session_id}`,
      `/v1/sessions/${task.session_id}/messages`,
      `/v1/outcomes?task_id=${task.id}`,
      `/v1/artifacts?task_id=${task.id}`,
    ];
    const read = () => Promise.all(paths.map(async (path) => (await stage.client.call('GET', path)).text));
    const before = await read();
    await stage.sweepAfter(31);
    expect(await read()).toEqual(before);
    const { data } = await stage.client.get<{ data: { id: string }[] }>(paths[4] ?? '');
    const content = await stage.client.call('GET', `/v1/artifacts/${data[0]?.id}/content`);
    expect(content.text).toBe('artifact of hello');
    await stage.restart();
    expect(await read()).toEqual(before);
  });

  it('checks lists that kept events had put a key into once more', async () => {
    const { id, session_id } = await stage.run('hello');
    const path = `/v1/sessions/${session_id}`;
    const { data } = await stage.client.get<{ data: { id: string }[] }>(`/v1/artifacts?task_id=${id}`);
    const parts = [{ type: 'artifact_ref', artifact_id: data[0]?.id, visibility: 'public' }];
    const refer = () => stage.client.post(`${path}/messages`, { message: { role: 'user', parts } });
    const expire = async (year: number) => {
      const body = { metadata: { expires_at: `${year}-01-01T00:00:00.000Z` } };
      expect((await stage.client.call('PATCH', path, { body })).status).toBe(200);
    };
    await refer();
    await expire(2098);
    stage.pass(20);
    await refer();
    await expire(2099);
    await expire(2098);
    await stage.run('newest', session_id);
    await stage.sweepAfter(15);
    expect((await stage.kinds(`${path}/events`)).slice(0, 2)).toEqual([MARK, 'user.message']);
    expect(await stage.checked()).toEqual([]);
  });

  it('answers a cursor behind it with cursor_expired on REST, also after a restart', async () => {
    const { task, ids } = await forgotten();
    const check = async () => {
      for (const path of [eventsOf(task), sessionEvents(task.session_id), '/v1/events']) {
        const answer = await stage.client.call('GET', `${path}?after_event_id=${ids[0]}`);
        expect(answer.status).toBe(410);
        expect(answer.body).toMatchObject({ error: { code: 'cursor_expired', param: 'after_event_id' } });
      }
      const next = await stage.client.call(
        'GET',
        `${sessionEvents(task.session_id)}?after_event_id=${ids.at(-1)}`,
      );
      expect([next.status, next.body['data']]).toEqual([200, []]);
    };
    await check();
    await stage.restart();
    await check();
  });

  it('tells an expired cursor as one error frame on SSE, and begins with the mark without a cursor', async () => {
    const { task, ids } = await forgotten();
    for (const path of [`/v1/tasks/${task.id}/stream`, `${sessionEvents(task.session_id)}/stream`]) {
      const expired = await EventStreamClient.open(stage.client, path, ids[0]);
      await expired.ended;
      expect(expired.status).toBe(200);
      expect(expired.blocks.filter(({ data }) => data !== undefined)).toMatchObject([
        { event: 'error', data: expect.stringContaining('"cursor_expired"') },
      ]);
      const fresh = await EventStreamClient.open(stage.client, path);
      await fresh.ended;
      expect(fresh.events.map(({ event }) => event)).toEqual([MARK]);
      expect(fresh.text).toMatch(/^id: \d{20}\nevent: vendor\.harn_gateway\.history_removed\ndata: /);
    }
  });

  it('tells an expired cursor on WebSocket in an error frame, closing 4410 the socket of one stream', async () => {
    const { task, ids } = await forgotten();
    const { url, key } = stage.client;
    const path = `/v1/tasks/${task.id}/stream`;
    const single = await WsTestClient.open(url, path, { key, headers: { 'Last-Event-ID': ids[0] ?? '' } });
    expect(await single.closed).toMatchObject({ code: 4410 });
    expect(single.frames).toMatchObject([{ type: 'error', error: { code: 'cursor_expired' } }]);
    const many = await WsTestClient.open(url, '/v1/ws', { key });
    const subscribe = { type: 'subscribe', stream: 'session', session_id: task.session_id };
    expect(await many.ask({ id: '1', ...subscribe, cursor: ids[0] })).toMatchObject({
      type: 'error',
      error: { code: 'cursor_expired' },
    });
    await many.ask({ id: '2', ...subscribe });
    expect((await many.until(({ type }) => type === 'event')).event?.event).toBe(MARK);
    many.socket.close();
  });

  it('keeps the newest run and event of an open session, and whatever still runs', async () => {
    const { id } = await stage.client.session();
    const old = await stage.run('one', id);
    const newest = await stage.run('two', id);
    const waiting = await stage.client.submit('ask', undefined, { route: 'test:puppet' });
    await stage.client.until(waiting.id, 'INPUT_REQUIRED');
    await stage.sweepAfter(400);
    expect(await stage.kinds(eventsOf(old))).toEqual([MARK]);
    expect(await stage.kinds(eventsOf(newest))).toContain('task.completed');
    expect((await stage.kinds(sessionEvents(id)))[0]).toBe(MARK);
    expect(await stage.kinds(eventsOf(waiting))).toContain('task.submitted');
    await stage.run('three', id);
    await stage.client.answer(waiting.id, 'go on');
    await stage.client.until(waiting.id, 'COMPLETED');
    const events = await stage.client.events(sessionEvents(id));
    for (const [at, event] of events.entries()) expect(event.id > (events[at - 1]?.id ?? '')).toBe(true);
    expect(await stage.checked()).toEqual([]);
  });

  it('keeps whole for longer what failed, was canceled or needed an approval, and what came after it', async () => {
    const failed = await stage.run('fail', undefined, 'FAILED');
    const after = await stage.run('fine', failed.session_id);
    const approved = await stage.client.submit('tool', undefined, { route: 'fake:asking' });
    await stage.client.until(approved.id, 'AUTH_REQUIRED');
    const { data } = await stage.client.get<{ data: { id: string }[] }>(
      `/v1/tasks/${approved.id}/permission-requests`,
    );
    await stage.client.post(`/v1/permission-requests/${data[0]?.id}/respond`, { approved: true });
    await stage.client.until(approved.id, 'COMPLETED');
    const canceled = await stage.client.submit('ask', undefined, { route: 'test:puppet' });
    await stage.client.until(canceled.id, 'INPUT_REQUIRED');
    await stage.client.post(`/v1/tasks/${canceled.id}/cancel`);
    const runs = [failed, after, approved, canceled];
    for (const { session_id } of runs) await stage.close({ id: session_id }).catch(() => undefined);
    const before = await Promise.all(runs.map((task) => stage.client.events(eventsOf(task))));
    await stage.sweepAfter(179);
    expect(await Promise.all(runs.map((task) => stage.client.events(eventsOf(task))))).toEqual(before);
    for (const task of runs) expect(await framesOf(task)).not.toEqual([]);
    await stage.sweepAfter(2);
    for (const task of runs) expect(await stage.kinds(eventsOf(task))).toEqual([MARK]);
    expect(await stage.checked()).toEqual([]);
  });

  it('has a window of its own for each workspace, also in reads over many sessions', async () => {
    const keeper = stage.gateway.clients['keeper'];
    const kept = await keeper?.post<Session>('/v1/sessions', { workspace_id: 'workspace_kept' });
    const [first] = (await keeper?.events(sessionEvents(kept?.id ?? ''))) ?? [];
    const { ids } = await forgotten();
    const range = (query: string) => keeper?.call('GET', `/v1/events?${query}`);
    expect((await range(`workspace_id=workspace_kept&after_event_id=${first?.id}`))?.status).toBe(200);
    expect((await range(`workspace_id=workspace_default&after_event_id=${first?.id}`))?.status).toBe(410);
    expect((await range(`after_event_id=${first?.id}`))?.status).toBe(410);
    expect((await range('workspace_id=workspace_kept'))?.text).toContain(kept?.id);
    expect((await range('limit=1'))?.body['data']).toMatchObject([{ event: MARK, id: ids.at(-1) }]);
  });

  it('removes the history of a fork before that of the session it was made from', async () => {
    const { id } = await stage.client.session();
    for (const text of ['one', 'two'])
      await stage.client.post(`/v1/sessions/${id}/messages`, { message: userText(text) });
    const fork = await stage.client.post<Session>(`/v1/sessions/${id}/fork`, {});
    const again = await stage.client.post<Session>(`/v1/sessions/${fork.id}/fork`, {});
    await stage.client.post(`/v1/sessions/${id}/truncate`, { keep_first: 1 });
    await stage.close({ id });
    await stage.sweepAfter(31);
    expect(await stage.kinds(sessionEvents(id))).toContain('session.thread_forked');
    await stage.close(again);
    await stage.close(fork);
    expect(await stage.checked()).toEqual([]);
    for (let sweep = 0; sweep < 3; sweep += 1) await stage.sweepAfter(31);
    for (const session of [id, fork.id, again.id])
      expect(await stage.kinds(sessionEvents(session))).toEqual([MARK]);
    expect(await stage.checked()).toEqual([]);
    const { data } = await stage.client.get<{ data: unknown[] }>(`/v1/sessions/${again.id}/messages`);
    expect(data).toHaveLength(2);
  });

  it('goes on after a shutdown in the middle of a sweep', async () => {
    const { id } = await stage.client.session();
    const tasks: Task[] = [];
    for (let at = 0; at < 40; at += 1) tasks.push(await stage.run(`task ${at}`, id));
    await stage.close({ id });
    stage.pass(31);
    const sweeping = stage.gateway.tidy();
    await stage.restart();
    await sweeping;
    expect(await stage.checked()).toEqual([]);
    await stage.gateway.tidy();
    expect(await stage.kinds(sessionEvents(id))).toEqual([MARK]);
    for (const task of tasks) expect(await framesOf(task)).toEqual([]);
    expect(await stage.checked()).toEqual([]);
  });
});

/** What goes: events, the rows that lead to them, and frames. */
const REMOVED = ['e/', 'es/', 'et/', 'f/'];
/** What stands for it: marks, what the removed events had folded to, commit records, and the summary of those that went. */
const STANDING = ['o/', 'p/', 'c/', 'cs/'];
/** Rows that no client reads: they grow where they say that they are the base. */
const INTERNAL = ['x/', 'l/'];
const TASKS = 40;

interface Sessions {
  text(at: number): string;
  /** How many the tasks are in. */
  sessions: number;
  /** Default: they are closed. */
  goesOn?: true;
  /** The second sweep comes at once. Default: after the checkpoint of the first one. */
  sweptTwice?: true;
}

/**
 * Bytes are keys and values as they are stored. Not counted is what stays readable: resources (`r/`, to which the words move that
 * only an event had said), receipts with their leaves, and contents.
 */
describe('retention leaves at most a tenth of what it removes, beside what stays readable,', () => {
  let agent: Peer;
  beforeAll(async () => {
    agent = await startSampleAgent();
  });
  afterAll(() => agent.close());

  const hello = () => 'hello';
  /** No two alike, and the same ones in every run; nothing that a compression makes smaller. */
  const kilobytes = (at: number) =>
    createHash('shake256', { outputLength: 2_500 }).update(String(at)).digest('base64');
  it.each<[string, Sessions]>([
    ['tasks of one word in one session', { text: hello, sessions: 1 }],
    ['tasks of one word, each in a session of its own', { text: hello, sessions: TASKS }],
    ['tasks of one word in a session that goes on', { text: hello, sessions: 1, goesOn: true }],
    ['tasks of one word, swept twice before a checkpoint', { text: hello, sessions: 1, sweptTwice: true }],
    ['tasks that say some kilobytes', { text: kilobytes, sessions: 1 }],
  ])('of %s', async (_, { text, sessions, goesOn, sweptTwice }: Sessions) => {
    const upstreams = { a2a: [{ id: 'sample', card: agent.cardUrl }] };
    const stage = await new RetentionStage(0, undefined, { upstreams }).open();
    try {
      for (let session = 0; session < sessions; session += 1) {
        const { id } = await stage.client.session();
        for (let at = 0; at < TASKS / sessions; at += 1) {
          const task = await stage.client.submit(text(at), id, { route: 'a2a:sample' });
          await stage.client.until(task.id, 'COMPLETED');
        }
        if (!goesOn) await stage.close({ id });
      }
      const [removed, internal] = [await stage.bytesUnder(...REMOVED), await stage.bytesUnder(...INTERNAL)];
      // The commits of the removal itself are summarised when the next checkpoint is behind them.
      if (sweptTwice) await stage.sweepAfter(31);
      for (const days of sweptTwice ? [1, 1] : [31, 1]) {
        await stage.sweepAfter(days);
        await stage.checkpoint();
      }
      // A session that goes on keeps its newest run.
      expect(await stage.bytesUnder(...REMOVED)).toBeLessThan(removed * (goesOn ? 1.5 / TASKS : 0.01));
      const grown = (await stage.bytesUnder(...INTERNAL)) - internal;
      expect(grown + (await stage.bytesUnder(...STANDING))).toBeLessThan(removed * 0.1);
      expect(await stage.checked()).toEqual([]);
    } finally {
      await stage.end();
    }
  });
});
