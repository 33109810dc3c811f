import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { userText } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { runCommand } from '../../interop/command-line.ts';
import { endedErasure } from '../erasure/ended-erasure.ts';
import { RetentionStage } from '../event/retention-stage.ts';
import { askForBackup, BackupStage, readable } from './backup-stage.ts';

const KINDS = 'vendor.harn_gateway.backup_begun';

let stage: BackupStage;
let gateway: TestGateway;
beforeEach(async () => {
  stage = new BackupStage();
  gateway = await stage.start({
    keys: [{ actor: 'admin', scopes: ['*', 'admin'], tenant: 'tenant_default' }],
  });
});
afterEach(() => stage.end());

/** A session with a message, and its id. */
async function said(text: string, { client } = gateway): Promise<string> {
  const { id } = await client.session({ note: text });
  await client.post(`/v1/sessions/${id}/messages`, { message: userText(text) });
  return id;
}

const newestId = ({ log }: Pick<TestGateway, 'log'>) => log.head.eventId;

describe('a backup of a running gateway', () => {
  it('begins with a full one, holds only what is new from then on, and restores to what clients saw', async () => {
    for (let n = 0; n < 20; n += 1) await said(`first ${n}`);
    const file = { content: 'of the first', metadata: {} };
    const files = '/v1/workspaces/workspace_default/files?path=';
    await gateway.client.call('PUT', `${files}a.txt`, { body: file });
    await gateway.client.call('PUT', `${files}gone.txt`, { body: file });
    await gateway.client.call('PUT', `${files}empty.txt`, { body: { ...file, content: '' } });
    const sizes: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      sizes.push(readFileSync(await stage.backedUp(gateway)).length);
      await said(`then ${round}`);
      await gateway.client.call('PUT', `${files}a.txt`, { body: { ...file, content: `of round ${round}` } });
    }
    await gateway.client.call('DELETE', `${files}gone.txt`);
    await stage.backedUp(gateway);
    const through = newestId(gateway);
    const before = await readable(gateway.client, through);
    await said('lost');

    const names = readdirSync(stage.dir);
    expect(names.map((name) => name.replace(/\d+\.backup$/, ''))).toEqual([
      '000001-full-',
      ...[2, 3, 4, 5].map((n) => `00000${n}-increment-`),
    ]);
    expect(Math.max(...sizes.slice(1))).toBeLessThan(sizes[0] ?? 0);
    const restored = await stage.restored(stage.dir, 'restored');
    expect(await readable(restored.client, through)).toBe(before);
    expect(await restored.client.get(`${files}a.txt`)).toMatchObject({ content: 'of round 3' });
    expect(await restored.client.get(`${files}empty.txt`)).toMatchObject({ content: '' });
    expect((await restored.client.call('GET', `${files}gone.txt`)).status).toBe(
      (await gateway.client.call('GET', `${files}gone.txt`)).status,
    );
    const first = await stage.restored(join(stage.dir, names[1] ?? ''), 'second file');
    expect((await first.client.events('/v1/sessions')).length).toBe(21);
  });

  it('does not hold up writes, and is of the moment at which it began', async () => {
    for (let n = 0; n < 60; n += 1) await said(`${n} ${'x'.repeat(20_000)}`);
    const response = await askForBackup(gateway.client);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const parts = [Buffer.from((await reader.read()).value ?? [])];
    const late = await said('late');
    for (let next = await reader.read(); !next.done; next = await reader.read())
      parts.push(Buffer.from(next.value));
    const file = stage.path('one.backup');
    writeFileSync(file, Buffer.concat(parts));
    expect(await runCommand(['log', 'check', '--data', file])).toMatchObject({
      code: 0,
      out: expect.stringContaining(' 0 findings'),
    });
    const restored = await stage.restored(file, 'restored');
    expect((await restored.client.call('GET', `/v1/sessions/${late}`)).status).toBe(404);
    expect((await restored.client.events('/v1/sessions')).length).toBe(60);
  });

  it('can be piped, and increments behind it', async () => {
    await said('one');
    const first = readFileSync(await stage.backedUp(gateway));
    await said('two');
    const second = readFileSync(await stage.backedUp(gateway));
    const piped = stage.path('both');
    writeFileSync(piped, Buffer.concat([first, second]));
    const restored = await stage.restored(piped, 'restored');
    expect((await restored.client.events('/v1/sessions')).length).toBe(2);
    const whole = await stage.backUp(gateway, [], '-');
    expect(whole).toMatchObject({ code: 0, err: '' });
    expect(whole.out.startsWith('HARNBKP1')).toBe(true);
  });

  it('is on record with what it takes along', async () => {
    await stage.backedUp(gateway);
    await stage.backedUp(gateway);
    const begun = (await gateway.client.events('/v1/events')).filter(({ event }) => event === KINDS);
    expect(begun.map(({ payload }) => payload)).toEqual([
      { since_commit: null, include: [], recipient: null },
      { since_commit: expect.any(Number), include: [], recipient: null },
    ]);
    expect(begun.map((event) => event['actor'])).toEqual(['actor_test', 'actor_test']);
  });

  it('is for operators, and says what is wrong with a request', async () => {
    const admin = gateway.clients['admin'];
    const { client } = gateway;
    expect(admin).toBeDefined();
    const limited = await startTestGateway({ keys: [{ actor: 'some', scopes: ['admin', 'events:read'] }] });
    const refused = await limited.clients['some']?.call('POST', '/v1/admin/backup');
    expect(refused).toMatchObject({
      status: 403,
      body: { error: { details: { required_scope: 'operator' } } },
    });
    await limited.close();
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
    const since = { commit: 1, hash: '0'.repeat(64) };
    const faults: [body: object, status: number, param: string][] = [
      [{ sinse: 1 }, 400, 'sinse'],
      [{ since: { commit: 0, hash: since.hash } }, 400, 'since.commit'],
      [{ include: ['everything'] }, 400, 'include[0]'],
      [{ include: ['keys'] }, 400, 'recipient'],
      [{ include: ['keys'], recipient: { jwk: { kty: 'oct', k: 'AA' } } }, 400, 'recipient.jwk'],
      [{ include: ['keys'], recipient: { jwk } }, 400, 'recipient.jwk'],
      [{ include: ['keys'], recipient: { jwk: { ...jwk, crv: 'X25519', d: jwk.x } } }, 400, 'recipient.jwk'],
      [{ since }, 409, 'since'],
      [{ since: { ...since, commit: 10 ** 9 } }, 409, 'since'],
    ];
    const events = newestId(gateway);
    for (const [body, status, param] of faults) {
      const answer = await client.call<{ error: { param: string } }>('POST', '/v1/admin/backup', { body });
      expect([body, answer.status, answer.body.error.param]).toEqual([body, status, param]);
    }
    expect(newestId(gateway)).toBe(events);
  });

  it('goes into no folder with backups of another gateway, and waits for another one that is written', async () => {
    await stage.backedUp(gateway);
    const other = await stage.start();
    const before = readdirSync(stage.dir);
    const said = await stage.backUp(other);
    expect(said).toMatchObject({ code: 1, err: expect.stringMatching(/holds backups of another gateway/) });
    expect(readdirSync(stage.dir)).toEqual(before);
    writeFileSync(join(stage.dir, 'unfinished.partial'), 'of a backup that was killed');
    const both = await Promise.all([stage.backUp(gateway), stage.backUp(gateway)]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(readdirSync(stage.dir)).not.toContain('unfinished.partial');
  });
});

describe('a backup of a log with retention', () => {
  let kept: RetentionStage;
  beforeEach(async () => {
    kept = await new RetentionStage().open();
  });
  afterEach(() => kept.end());

  it('holds what removed events had folded to, and what went since; a full one comes where commits are gone', async () => {
    const old = await kept.run('hello');
    await kept.close({ id: old.session_id });
    for (let n = 0; n < 12; n += 1) await kept.run(`more ${n}`, (await kept.client.session()).id);
    await stage.backedUp(kept);
    await kept.sweepAfter(31);
    await stage.backedUp(kept);
    const marks = await kept.kinds(`/v1/sessions/${old.session_id}/events`);
    expect(marks).toEqual(['vendor.harn_gateway.history_removed']);
    await kept.run('newest');
    const third = await stage.backedUp(kept);
    await kept.checkpoint();
    await kept.sweepAfter(1);
    await kept.checkpoint();
    await kept.sweepAfter(1);
    const fourth = await stage.backUp(kept);
    expect(fourth.code).toBe(0);
    const through = newestId(kept.gateway);
    const before = await readable(kept.client, through);
    // A restore checks everything and folds it again.
    const restored = await stage.restored(stage.dir, 'restored');
    expect(await readable(restored.client, through)).toBe(before);
    await stage.restored(third, 'third');
  });

  it('holds what is left of an erased session that had the newest receipt', async () => {
    const { session_id } = await kept.run('forget me');
    await endedErasure(kept.client, { session_id, rule: 'a law' });
    const made = await stage.backedUp(kept);
    expect(await runCommand(['log', 'check', '--data', made])).toMatchObject({ code: 0, err: '' });
    const before = await kept.client.events('/v1/events');
    const restored = await stage.restored(made, 'restored');
    const after = await restored.client.events('/v1/events');
    expect(after.filter(({ id }) => id <= (before.at(-1)?.id ?? ''))).toEqual(before);
    expect((await restored.client.call('GET', `/v1/sessions/${session_id}`)).status).toBe(404);
  });
});
