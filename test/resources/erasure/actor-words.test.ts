import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Branch } from '#resources/branch/schema.ts';
import type { Erasure } from '#resources/erasure/schema.ts';
import { erasureKeys } from '#resources/erasure/state.ts';
import type { Session } from '#resources/session/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { openLevelStore } from '#store/level-store.ts';
import { AcpClient } from '../../harness/acp-client.ts';
import { type TestClient, userText } from '../../harness/client.ts';
import { RetentionStage } from '../event/retention-stage.ts';
import { canariesIn, canary, TOKEN } from './canaries.ts';
import { endedErasure } from './ended-erasure.ts';

const ADA = 'ada';
const route = { metadata: { route: 'test:puppet' } };

describe('what an actor said in a shared Session besides turns', () => {
  let stage: RetentionStage;
  let session: Session;
  let at: string;
  beforeEach(async () => {
    stage = await new RetentionStage(0, {}, {}, [{ actor: ADA }]).open();
    session = await stage.client.session();
    at = `/v1/sessions/${session.id}`;
    await ran(stage.client, 'words of somebody else');
  });
  afterEach(() => stage.end());

  const ada = (): TestClient => stage.gateway.clients[ADA] as TestClient;
  const erase = (): Promise<Erasure> => endedErasure(stage.client, { actor: ADA, rule: 'GDPR Art. 17' });
  const ran = async (client: TestClient, text: string, id = session.id): Promise<Task> => {
    const task = await client.post<Task>(`/v1/sessions/${id}/tasks`, { input: userText(text), ...route });
    return client.until(task.id, 'COMPLETED');
  };

  /** Erases the actor; what was there before is on no disk and in no answer then, and the log folds to what is there. */
  async function erasedCleanly(paths: readonly string[] = []): Promise<Erasure> {
    await stage.restart();
    expect(canariesIn(stage.data).length).toBeGreaterThan(0);
    const erasure = await erase();
    expect(erasure).toMatchObject({ state: 'completed' });
    for (const path of [at, `${at}/transcript`, `${at}/messages`, ...paths]) {
      const shown = JSON.stringify(await stage.client.get(path));
      const at = shown.indexOf(TOKEN);
      expect(at === -1 ? '' : shown.slice(at - 200, at + 60), path).toBe('');
    }
    const telling = (await stage.client.events('/v1/events')).filter((event) =>
      JSON.stringify(event).includes(TOKEN),
    );
    expect(telling).toEqual([]);
    expect(await stage.checked()).toEqual([]);
    await stage.gateway.close();
    expect(canariesIn(stage.data)).toEqual([]);
    await stage.open();
    return erasure;
  }

  it('goes from its live clients; those of others stay as they are', async () => {
    const theirs = { client_id: 'desk', mode: 'controller', metadata: { name: 'of somebody else' } };
    await stage.client.post(`${at}/attach`, theirs);
    await ada().post(`${at}/attach`, { client_id: 'phone', metadata: { name: canary('client') } });
    await ada().post(`${at}/heartbeat`, { client_id: 'phone', metadata: { name: canary('heartbeat') } });
    await ada().post(`${at}/takeover`, { client_id: 'phone' });
    await stage.client.post(`${at}/takeover`, { client_id: 'desk', metadata: theirs.metadata });
    const shown = () => stage.client.get<{ data: { client_id: string }[] }>(`${at}/live-clients`);
    const [before] = (await shown()).data;
    await erasedCleanly([`${at}/live-clients`]);
    expect((await shown()).data).toEqual([
      before,
      expect.objectContaining({ client_id: 'phone', metadata: {} }),
    ]);
    expect(before).toMatchObject({ client_id: 'desk', metadata: { name: 'of somebody else' } });
    // It goes on there.
    await ada().post(`${at}/detach`, { client_id: 'phone' });
    expect(await stage.checked()).toEqual([]);
  });

  it('goes from what compactions made of it, whoever made them', async () => {
    await ada().post(`${at}/messages`, { message: userText(canary('archived')) });
    await ran(ada(), canary('archived run'));
    // An extract of what everybody said.
    await stage.client.post(`${at}/compact`, { keep_last: 0 });
    await ran(stage.client, 'more words of somebody else');
    await ada().post(`${at}/compact`, {
      keep_last: 0,
      summary: canary('archive'),
      reason: canary('compaction reason'),
    });
    await ran(stage.client, 'the last words');
    const erasure = await erasedCleanly();
    expect(await stage.client.get<Session>(at)).toMatchObject({ summary: `[erased by ${erasure.id}]` });
    const transcript = JSON.stringify(await stage.client.get(`${at}/transcript`));
    expect(transcript).toContain('the last words');
    expect(transcript).toContain(erasure.id);
    // A later compaction begins behind what was archived.
    await stage.client.post(`${at}/compact`, { keep_last: 0, summary: 'anew' });
    expect(await stage.client.get<Session>(at)).toMatchObject({ summary: 'anew' });
    expect(await stage.checked()).toEqual([]);
  });

  it('goes from branches; that they were made, merged and abandoned stays', async () => {
    const make = (client: TestClient, note: string) =>
      client.post<Branch>(`${at}/branches`, { kind: 'session', base_ref: 'main', metadata: { note } });
    const kept = await make(stage.client, 'of somebody else');
    const merged = await make(ada(), canary('branch'));
    const abandoned = await make(ada(), canary('other branch'));
    await ada().post(`/v1/branches/${merged.id}/merge`, { metadata: { note: canary('merge') } });
    await ada().post(`/v1/branches/${abandoned.id}/abandon`, { reason: canary('abandoned') });
    const left = await make(stage.client, 'left by somebody else');
    await ada().post(`/v1/branches/${left.id}/abandon`, { reason: canary('abandoned of another') });
    await ada().post(`/v1/branches/${kept.id}/merge`, { metadata: { more: canary('merge of another') } });
    const paths = [kept, merged, abandoned, left].map(({ id }) => `/v1/branches/${id}`);
    const { id } = await erasedCleanly(paths);
    const reason = `[erased by ${id}]`;
    const [keptPath = '', mergedPath = '', abandonedPath = '', leftPath = ''] = paths;
    expect((await stage.client.get<Branch>(mergedPath)).metadata).toEqual({});
    expect((await stage.client.get<Branch>(abandonedPath)).metadata).toEqual({ abandoned: true, reason });
    expect((await stage.client.get<Branch>(keptPath)).metadata).toEqual({ note: 'of somebody else' });
    expect((await stage.client.get<Branch>(leftPath)).metadata).toEqual({
      note: 'left by somebody else',
      abandoned: true,
      reason,
    });
  });

  it('goes from what agents said of the Session in its runs, not from what they said in those of others', async () => {
    await ran(stage.client, 'name it kept');
    await ran(ada(), `name it ${canary('title')}`);
    await erasedCleanly();
    const told = (await stage.client.events(`${at}/events`)).filter(
      ({ event }) => event === 'vendor.harn_gateway.agent_update',
    );
    expect(told.map(({ payload }) => (payload['update'] as { body?: object } | undefined)?.body)).toEqual([
      { title: 'name it kept' },
      { title: 'name it kept' },
      {},
      {},
    ]);
    await ran(stage.client, 'name it anew');
    expect((await stage.client.get<Session>(at)).metadata).toMatchObject({
      acp: { session_info_update: { title: 'name it anew' } },
    });
    expect(await stage.checked()).toEqual([]);
  });

  it('is passed over by an editor that loads the Session over ACP', async () => {
    await ran(ada(), `name it ${canary('title')}`);
    await ran(stage.client, 'after it');
    const erasure = await erasedCleanly();
    const editor = await AcpClient.overSocket(stage.gateway.url, stage.client.key);
    try {
      await editor.agent.request('session/load', { sessionId: session.id, cwd: '/', mcpServers: [] });
      const said = JSON.stringify(editor.updates);
      expect(said).toContain('after it');
      expect(said).toContain(`[erased by ${erasure.id}]`);
      // What says nothing any more is no update that was too large.
      expect(said).not.toContain('too large');
      expect(said).not.toContain('agent_thought_chunk');
    } finally {
      await editor.close();
    }
  });

  it('goes from forks: their copy of its metadata, summary and archive, and what they were given', async () => {
    await ada().call('PATCH', at, {
      body: { summary: canary('summary'), metadata: { note: canary('metadata') } },
    });
    const early = await stage.client.post<Session>(`${at}/fork`, { metadata: { theirs: 'kept' } });
    await ada().post(`${at}/messages`, { message: userText(canary('copied')) });
    await ada().post(`${at}/compact`, { keep_last: 0, summary: canary('archive') });
    const late = await stage.client.post<Session>(`${at}/fork`, {});
    const hers = await ada().post<Session>(`${at}/fork`, { metadata: { note: canary('fork metadata') } });
    const ofFork = await stage.client.post<Session>(`/v1/sessions/${late.id}/fork`, {});
    for (const { id } of [early, late, hers, ofFork]) await ran(stage.client, 'in the fork', id);
    const forks = [early, late, hers, ofFork].map(({ id }) => `/v1/sessions/${id}`);
    await erasedCleanly([...forks, ...forks.map((path) => `${path}/transcript`)]);
    expect((await stage.client.get<Session>(`/v1/sessions/${early.id}`)).metadata).toMatchObject({
      theirs: 'kept',
    });
    for (const path of forks)
      expect(JSON.stringify(await stage.client.get(`${path}/messages`)), path).toContain('in the fork');
  });

  /** Lets the erasure wait as soon as it has begun with one of these. */
  function stopAtFirst(sessions: readonly Session[]) {
    const { log } = stage.gateway;
    const transact = log.transact.bind(log);
    const begun = gate();
    const goOn = gate();
    const spy = vi.spyOn(log, 'transact').mockImplementation(async (...args) => {
      const written = await transact(...args);
      if (sessions.some(({ id }) => log.state(erasureKeys.erasedIn(id)) !== undefined)) {
        spy.mockRestore();
        begun.open();
        await goOn.opened;
      }
      return written;
    });
    return { isBegun: begun.opened, goOn: goOn.open };
  }

  it('stays where a hold is placed while the erasure is under way, as a whole or not at all', async () => {
    const others: Session[] = [];
    for (let n = 0; n < 8; n += 1) {
      const one = await stage.client.session();
      others.push(one);
      await ran(stage.client, 'of somebody else', one.id);
      for (let m = 0; m < 10; m += 1)
        await ada().post(`/v1/sessions/${one.id}/messages`, { message: userText(`hers ${n}.${m}`) });
    }
    const { isBegun, goOn } = stopAtFirst(others);
    const erasing = erase();
    await isBegun;
    const placed = await Promise.all(
      others.map(({ id }) =>
        stage.client.call<{ id: string }>('POST', '/v1/holds', {
          body: { name: 'case 18', session_ids: [id], reason: 'auditors' },
        }),
      ),
    );
    const refused = { error: { code: 'conflict', details: { erasure_id: expect.any(String) } } };
    for (const { status, body } of placed) {
      expect([201, 409]).toContain(status);
      if (status === 409) expect(body).toMatchObject(refused);
    }
    expect(placed.map(({ status }) => status)).toContain(409);
    goOn();
    const erasure = await erasing;
    const held = new Set(erasure.of_actor?.held.map(({ session_id }) => session_id));
    // A hold that was placed keeps.
    for (const [n, { status }] of placed.entries())
      if (status === 201 && !held.has(others[n]?.id ?? ''))
        expect(erasure.of_actor?.shared).not.toContain(others[n]?.id);
    for (const [n, { id }] of others.entries()) {
      const texts = JSON.stringify(await stage.client.get(`/v1/sessions/${id}/messages?limit=200`));
      const left = Array.from({ length: 10 }, (_, m) => texts.includes(`hers ${n}.${m}`));
      // Either the hold kept all of it, and the record says so, or all of it went before the hold.
      expect(left, id).toEqual(left.map(() => held.has(id)));
      expect(
        JSON.stringify(await stage.client.events(`/v1/sessions/${id}/events`)).includes(`hers ${n}.`),
      ).toBe(held.has(id));
    }
    expect(await stage.checked()).toEqual([]);
  });
});

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe('a purge of the store', () => {
  it('keeps for who is reading what was there, and takes it off the disk with the next one', async () => {
    const path = mkdtempSync(join(tmpdir(), 'harn-purge-'));
    try {
      const store = await openLevelStore({ path: join(path, 'store') });
      const keys = Array.from({ length: 3_000 }, (_, n) => `k/${String(n).padStart(6, '0')}`);
      await store.write(keys.map((key) => ({ type: 'put', key, value: canary('read meanwhile') })));
      const reading = store.entries({ gte: 'k/', lt: 'k0' })[Symbol.asyncIterator]();
      const first = await reading.next();
      await store.write(keys.map((key) => ({ type: 'del', key })));
      await store.purge();
      expect(store.get(keys[0] ?? '')).toBeUndefined();
      expect(canariesIn(path)).toEqual(['read meanwhile']);
      // Who was reading sees all of it, as it was.
      let count = first.done === true ? 0 : first.value.length;
      for (let page = await reading.next(); page.done !== true; page = await reading.next())
        count += page.value.length;
      expect(count).toBe(keys.length);
      await store.purge();
      await store.close();
      expect(canariesIn(path)).toEqual([]);
    } finally {
      rmSync(path, { recursive: true, force: true });
    }
  });
});
