import { beforeAll, describe, expect, it } from 'vitest';
import { eventFindings } from '../../conformance/event-findings.ts';
import { stageOf } from '../../conformance/stage.ts';
import type { TestEvent } from '../../harness/client.ts';

interface Range {
  data: TestEvent[];
  page: { has_more: boolean; next_cursor: string | null };
}

describe('event ranges', () => {
  const stage = stageOf({
    config: { workspaces: [{ id: 'workspace_b' }] },
    keys: [{ actor: 'other', workspaces: ['workspace_b'] }],
  });
  let session = '';
  let task = '';
  beforeAll(async () => {
    session = (await stage.client.session()).id;
    const first = await stage.client.submit('hello', session);
    await stage.client.until(first.id, 'COMPLETED');
    task = (await stage.client.submit('stream 5', session)).id;
    await stage.client.until(task, 'COMPLETED');
    await stage.as('other').post('/v1/sessions', { workspace_id: 'workspace_b' });
  });
  const paths = () => [`/v1/tasks/${task}/events`, `/v1/sessions/${session}/events`, '/v1/events'];
  const range = (path: string, query: string) => stage.client.get<Range>(`${path}?${query}`);

  it('[CORE-EVT-02] [C8] [S6-03] an event has its fields and the whole envelope', async () => {
    for (const event of (await range('/v1/events', 'limit=200')).data) {
      expect(event).toMatchObject({ object: 'event', metadata: {}, workspace_id: 'workspace_default' });
      expect(event.id).toMatch(/^\d{20}$/);
      expect(event.sequence).toBeGreaterThan(0);
      expect(event.resource.id).toMatch(/./);
      expect(event['updated_at']).toBe(event['created_at']);
      expect(event['created_at']).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    }
  });

  it('[C7] pages by next_cursor give the whole range, whatever their size', async () => {
    for (const path of paths()) {
      const whole = (await range(path, 'limit=200')).data;
      for (const limit of [1, 2, 7]) {
        const found: TestEvent[] = [];
        let page: Range = await range(path, `limit=${limit}`);
        for (;;) {
          expect(page.data.length).toBeLessThanOrEqual(limit);
          expect(page.page.has_more).toBe(page.page.next_cursor !== null);
          found.push(...page.data);
          if (page.page.next_cursor === null) break;
          page = await range(path, `limit=${limit}&after_event_id=${page.page.next_cursor}`);
        }
        expect(found).toEqual(whole);
      }
    }
  });

  it('[C7] cursor and after are the same as after_event_id', async () => {
    for (const path of paths()) {
      const [, second] = (await range(path, 'limit=3')).data;
      const texts = await Promise.all(
        ['after_event_id', 'cursor', 'after'].map(
          async (name) => (await stage.client.call('GET', `${path}?limit=2&${name}=${second?.id}`)).text,
        ),
      );
      expect(new Set(texts).size).toBe(1);
    }
  });

  it('[C7] reading a settled range again gives the same bytes, and each event alone the same event', async () => {
    for (const path of paths()) {
      const first = await stage.client.call('GET', `${path}?limit=200`);
      expect((await stage.client.call('GET', `${path}?limit=200`)).text).toBe(first.text);
    }
    for (const event of (await range(paths()[0] ?? '', 'limit=200')).data) {
      expect(await stage.client.get(`/v1/events/${event.id}`)).toEqual(event);
    }
  });

  it.each([
    [String(Number.MAX_SAFE_INTEGER), 410],
    ['9007199254740992', 400],
    ['9999999999999999', 400],
  ])(
    'no event has the number %s, by whatever way it is asked for (bad-input 18055588)',
    async (number, refused) => {
      for (const id of [`0000${number}`, `9999${number}`]) {
        expect([id, (await stage.client.call('GET', `/v1/events/${id}`)).status]).toEqual([id, 404]);
        for (const path of ['/v1/events', `/v1/sessions/${session}/events`]) {
          const { status } = await stage.client.call('GET', `${path}?after_event_id=${id}`);
          expect([id, path, status]).toEqual([id, path, refused]);
        }
      }
    },
  );

  it('[C7] after the newest event there is nothing, and no cursor', async () => {
    const newest = (await range('/v1/events', 'limit=200')).data.at(-1);
    const page = await range('/v1/events', `after_event_id=${newest?.id}`);
    expect(page).toMatchObject({ data: [], page: { has_more: false, next_cursor: null } });
  });

  it('[C7] the id before the first event reads from the start', async () => {
    const zero = await range(`/v1/sessions/${session}/events`, `limit=1&after_event_id=${'0'.repeat(20)}`);
    expect(zero.data[0]?.event).toBe('session.created');
  });

  it('the range of everything can be narrowed to a workspace, a session and a task', async () => {
    const of = async (query: string) => (await range('/v1/events', `limit=200&${query}`)).data;
    const inTask = (await range(`/v1/tasks/${task}/events`, 'limit=200')).data;
    const inSession = (await range(`/v1/sessions/${session}/events`, 'limit=200')).data;
    expect(await of(`task_id=${task}`)).toEqual(inTask);
    expect(await of(`session_id=${session}`)).toEqual(inSession);
    expect(await of(`session_id=${session}&task_id=${task}`)).toEqual(inTask);
    expect((await of('workspace_id=workspace_default')).length).toBeGreaterThan(inSession.length);
    const elsewhere = await stage.client.session();
    expect(await of(`session_id=${elsewhere.id}&task_id=${task}`)).toEqual([]);
  });

  it('[CORE-AUTH-03] the range of everything holds what the caller may see, and no more', async () => {
    const own = await stage.as('other').events('/v1/events');
    expect(new Set(own.map((event) => event['workspace_id']))).toEqual(new Set(['workspace_b']));
    const foreign = await stage.as('other').call('GET', '/v1/events?workspace_id=workspace_default');
    expect(foreign.status).toBe(404);
  });

  it('[C19] a cursor of another stream is 410, a malformed one 400', async () => {
    const elsewhere = await stage.client.session();
    const [foreign] = await stage.client.events(`/v1/sessions/${elsewhere.id}/events`);
    const gone = await stage.client.call(
      'GET',
      `/v1/sessions/${session}/events?after_event_id=${foreign?.id}`,
    );
    expect(gone.status).toBe(410);
    expect(gone.body).toMatchObject({ error: { code: 'cursor_expired', type: 'not_found_error' } });
    for (const cursor of ['1', 'abc', '-1', '', '0'.repeat(21)]) {
      const answer = await stage.client.call('GET', `/v1/sessions/${session}/events?cursor=${cursor}`);
      expect([cursor, answer.status]).toEqual([cursor, 400]);
    }
  });

  it('[CORE-EVT-01] [S6-01] events of each resource are numbered without gap and linked backwards', async () => {
    expect(eventFindings((await stage.client.events('/v1/events')) as never)).toEqual([]);
  });

  it('[CORE-EVT-03] kinds beyond the taxonomy say whose they are', async () => {
    const kinds = new Set((await stage.client.events('/v1/events')).map(({ event }) => event));
    for (const kind of kinds)
      expect(kind).toMatch(
        /^((user|agent|task|session|artifact|span|receipt)\.\w+|vendor\.harn_gateway\.\w+)$/,
      );
  });
});

describe('the check of events', () => {
  it('[S6-02] finds a gap, a wrong link, an unknown kind and a payload outside its schema', () => {
    const event = (number: number, change: object) => ({
      object: 'event',
      id: String(number).padStart(20, '0'),
      actor: null,
      workspace_id: null,
      session_id: 's',
      task_id: null,
      trace_id: null,
      span_id: null,
      metadata: {},
      event: 'session.closed',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      resource: { object: 'session', id: 's' },
      sequence: number,
      previous_event_id: number === 1 ? null : String(number - 1).padStart(20, '0'),
      payload: { reason: 'x' },
      ...change,
    });
    const faults = (change: object) => eventFindings([event(1, {}), event(2, change)] as never);
    expect(faults({})).toEqual([]);
    expect(faults({ sequence: 3 })).toEqual([expect.stringContaining('leaves a gap')]);
    expect(faults({ previous_event_id: null })).toEqual([expect.stringContaining('links elsewhere')]);
    expect(faults({ event: 'session.exploded' })).toEqual([expect.stringContaining('not in the table')]);
    expect(faults({ payload: {} })).toContainEqual(expect.stringContaining('reason'));
    expect(faults({ payload: { reason: 'x', extra: 1 } })).toEqual([
      expect.stringContaining('does not name extra'),
    ]);
  });
});
