import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Move, Turn } from '#protocol-client.ts';
import { aborted, bind, PuppetClient, say, textOf } from '../../faults/puppet-client.ts';
import type { TestGateway, TestGatewayOptions } from '../../harness/gateway.ts';
import { runCommand } from '../../interop/command-line.ts';
import { BackupStage, bytesBelow } from './backup-stage.ts';

const ACCEPTED = 'vendor.harn_gateway.truncation_accepted';
const SECRET = 'tr0ub4dor-of-the-shop-4711';

async function* play(turn: Turn, signal: AbortSignal): AsyncGenerator<Move[]> {
  yield [bind(turn)];
  if (textOf(turn) === 'hang') await aborted(signal);
  yield [say('Done.')];
  yield [{ type: 'status', to: 'COMPLETED' }];
}

let stage: BackupStage;
let gateway: TestGateway;
const options = (): TestGatewayOptions => ({
  extraClients: [new PuppetClient(play)],
  keys: [
    { actor: 'admin', scopes: ['admin', 'events:read'] },
    { actor: 'reader', scopes: ['events:read'] },
  ],
  config: { vaults: [{ id: 'shop', provider: 'file', dir: stage.path('shop') }] },
});
beforeEach(async () => {
  stage = new BackupStage();
  mkdirSync(stage.path('shop'));
  writeFileSync(join(stage.path('shop'), 'db-login'), SECRET);
  gateway = await stage.start(options());
});
afterEach(() => stage.end());

/** A task with a receipt; the receipt's id. */
async function proved({ client } = gateway): Promise<string> {
  const { id } = await client.submit('hello', undefined, { route: 'test:puppet' });
  await client.until(id, 'COMPLETED');
  const issued = (await client.events(`/v1/tasks/${id}/events`)).find(
    ({ event }) => event === 'receipt.issued',
  );
  return issued?.resource.id ?? '';
}

/** Ids of the events behind one, as the log has them. */
async function idsBehind({ log }: Pick<TestGateway, 'log'>, after: string): Promise<string[]> {
  const events = await log.range({ kind: 'all' }, after, 1_000);
  return events.map((bytes) => (JSON.parse(bytes.toString()) as { id: string }).id);
}

const jwksOf = async ({ client }: TestGateway) =>
  client.get<{ keys: { kid: string; not_after?: string }[] }>('/.well-known/jwks.json');

describe('keys and vaults in a backup', () => {
  it('are in it only when they are asked for, and then nobody else reads them', async () => {
    const receipt = await proved();
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(stage.path('public.pem'), publicKey.export({ format: 'pem', type: 'spki' }));
    writeFileSync(stage.path('private.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const bare = await stage.backUp(gateway, ['--with-keys']);
    expect(bare).toMatchObject({ code: 2, err: expect.stringContaining('encrypted only') });
    const wrong = ['--with-keys', '--recipient', stage.path('private.pem')];
    expect(await stage.backUp(gateway, wrong)).toMatchObject({
      code: 2,
      err: expect.stringContaining('holds a private key; give its public half'),
    });
    await stage.backedUp(gateway, ['--with-keys', '--with-vaults', '--recipient', stage.path('public.pem')]);
    await proved();
    // The newest keys of the folder count, also where the last backup has none.
    await stage.backedUp(gateway);
    const { keys } = await jwksOf(gateway);
    expect(bytesBelow(stage.dir)).not.toContain(SECRET);
    expect(bytesBelow(stage.dir)).not.toContain('PRIVATE KEY');

    const said = await stage.restore(stage.dir, 'whole', ['--identity', stage.path('private.pem')]);
    expect(said).toMatchObject({ code: 0, out: expect.stringContaining('vaults/shop/db-login') });
    expect(readFileSync(join(stage.path('whole'), 'vaults', 'shop', 'db-login'), 'utf8')).toBe(SECRET);
    const inputKey = (data: string) => readFileSync(join(data, 'keys', 'input.key'));
    expect(inputKey(stage.path('whole'))).toEqual(inputKey(gateway.data));
    const whole = await stage.start({ ...options(), data: stage.path('whole') });
    expect((await jwksOf(whole)).keys).toEqual(keys);
    await proved(whole);

    const without = await stage.restored(stage.dir, 'without');
    const now = await jwksOf(without);
    expect(now.keys.map(({ kid, not_after }) => [kid, not_after === undefined])).toEqual([
      [keys[0]?.kid, false],
      [expect.not.stringMatching(keys[0]?.kid ?? ''), true],
    ]);
    expect(readdirSync(join(without.data, 'keys'))).not.toContain(`${keys[0]?.kid}.pem`);
    for (const { client } of [whole, without])
      expect(await client.post(`/v1/receipts/${receipt}/verify`, {})).toMatchObject({ valid: true });
  });

  it('go by passphrase too, which the gateway never sees', async () => {
    writeFileSync(stage.path('pass'), 'correct horse battery staple\n');
    await stage.backedUp(gateway, ['--with-keys', '--passphrase-file', stage.path('pass')]);
    const restored = await stage.restored(stage.dir, 'restored', ['--passphrase-file', stage.path('pass')]);
    expect((await jwksOf(restored)).keys).toEqual((await jwksOf(gateway)).keys);
    expect(gateway.logText()).not.toContain('correct horse');
  });
});

describe('an input that waits to be sent, and was kept encrypted', () => {
  it('is sent where the keys were restored, and its task fails where they are lost', async () => {
    writeFileSync(stage.path('pass'), 'correct horse battery staple');
    const flags = ['--passphrase-file', stage.path('pass')];
    const { client } = gateway;
    const hanging = await client.submit('hang', undefined, { route: 'test:puppet' });
    await client.until(hanging.id, 'WORKING');
    const text = `use ghp_${'a1B2'.repeat(9)} for it`;
    const waiting = await client.submit(text, hanging.session_id, { route: 'test:puppet' });
    expect(waiting.status).toBe('SUBMITTED');
    await stage.backedUp(gateway, ['--with-keys', ...flags]);
    for (const [name, given, status] of [
      ['with', flags, 'COMPLETED'],
      ['without', [], 'FAILED'],
    ] as const) {
      expect(await stage.restore(stage.dir, name, given)).toMatchObject({ code: 0, err: '' });
      const restored = await stage.start({ ...options(), data: stage.path(name) });
      const ended = await restored.client.until(waiting.id, 'COMPLETED', 'FAILED');
      expect([name, ended.status]).toEqual([name, status]);
    }
  });
});

describe('a log that was restored', () => {
  it('never gives an event id again, of no life of it, however often it is restored', async () => {
    await gateway.client.session();
    await stage.backedUp(gateway);
    const through = gateway.log.head.eventId;
    for (let n = 0; n < 5; n += 1) await gateway.client.session();
    const lives = [await idsBehind(gateway, through)];
    const cursors: string[] = [lives[0]?.at(-1) ?? ''];
    for (const name of ['first', 'second', 'third']) {
      const life = await stage.restored(stage.dir, name);
      for (let n = 0; n < 5; n += 1) await life.client.session();
      lives.push(await idsBehind(life, through));
      for (const cursor of cursors)
        expect((await life.client.call('GET', `/v1/events?after_event_id=${cursor}`)).status).toBe(410);
      cursors.push(life.log.head.eventId);
      await life.close();
    }
    const all = lives.flat();
    expect(lives.every((ids) => ids.length >= 5)).toBe(true);
    expect(new Set(all).size).toBe(all.length);
  });

  it('says why it holds less: to who checks it, to operators, to admins, and to nobody else', async () => {
    await stage.backedUp(gateway);
    for (let n = 0; n < 3; n += 1) await gateway.client.session();
    await expect.poll(() => gateway.log.checkpointed).toBe(gateway.log.head.commit);
    const checkpoint = stage.path('checkpoint.json');
    copyFileSync(join(gateway.data, 'checkpoint.json'), checkpoint);
    const { commit, event_id } = JSON.parse(readFileSync(checkpoint, 'utf8')) as {
      commit: number;
      event_id: string;
    };

    const said = await stage.restore(stage.dir, 'restored', ['--checkpoint', checkpoint, '--json']);
    const report = JSON.parse(said.out) as { commit: number; lost_commits: number };
    expect(report).toMatchObject({ restored: true, lost_commits: commit - report.commit, has_keys: false });
    const checked = await runCommand(['log', 'check', '--data', stage.path('restored')]);
    expect(checked).toMatchObject({
      code: 0,
      out: expect.stringMatching(/note: .* was restored .* because: a test\n/),
    });
    const restored = await stage.start({ ...options(), data: stage.path('restored') });
    const seenBy = async (name: string) =>
      (await (restored.clients[name] ?? restored.client).events('/v1/events')).filter(
        ({ event }) => event === ACCEPTED,
      );
    const [accepted] = await seenBy('actor_test');
    expect(accepted?.payload).toMatchObject({
      reason: 'a test',
      backup: { commit: report.commit, newest_known: { commit, event_id } },
    });
    expect(await seenBy('admin')).toEqual([accepted]);
    expect(await seenBy('reader')).toEqual([]);

    // It goes on where the backup ended; the gateway that wrote on is another history now.
    expect(await stage.backUp(restored)).toMatchObject({
      code: 0,
      out: expect.stringContaining(': increment behind'),
    });
    expect(await stage.backUp(gateway)).toMatchObject({
      code: 0,
      out: expect.stringContaining(': full up to commit'),
      err: expect.stringContaining('this one was restored since'),
    });
  });

  it('takes no checkpoint of another log for its own', async () => {
    await stage.backedUp(gateway);
    const other = await stage.start();
    await expect.poll(() => other.log.checkpointed).toBeGreaterThan(0);
    await stage.refuses(stage.dir, /checkpoint.json has unknown_key, so that it says nothing of this one/, [
      '--checkpoint',
      join(other.data, 'checkpoint.json'),
    ]);
  });

  it('takes a reason where it is accepted by hand', async () => {
    await gateway.client.session();
    const { data } = gateway;
    await gateway.log.close();
    const accept = ['log', 'accept-restore', '--data', data, '--reason', 'copied by hand'];
    expect(await runCommand(accept)).toMatchObject({ code: 0 });
    const checked = await runCommand(['log', 'check', '--data', data]);
    expect(checked.out).toContain('because: copied by hand');
  });
});
