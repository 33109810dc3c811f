import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { BlockWriter, readBlocks } from '#store/block-stream.ts';
import { userText } from '../../harness/client.ts';
import type { TestGateway } from '../../harness/gateway.ts';
import { runCommand } from '../../interop/command-line.ts';
import { BackupStage } from './backup-stage.ts';

const PASSPHRASE = 'correct horse battery staple';

/** One folder with a full backup and two increments, for all. */
const stage = new BackupStage();
const files: string[] = [];
let gateway: TestGateway;
let jwks: string;

beforeAll(async () => {
  gateway = await stage.start();
  writeFileSync(stage.path('passphrase'), `${PASSPHRASE}\n`);
  for (let n = 0; n < 3; n += 1) {
    const { id } = await gateway.client.session();
    await gateway.client.post(`/v1/sessions/${id}/messages`, { message: userText(`message ${n}`) });
    files.push(await stage.backedUp(gateway, ['--with-keys', '--passphrase-file', stage.path('passphrase')]));
  }
  jwks = (await gateway.client.call('GET', '/.well-known/jwks.json')).text;
  writeFileSync(stage.path('jwks.json'), jwks);
});
afterAll(() => stage.end());

/** A folder with copies of the backups, which a test may spoil. */
function spoiled(name: string, spoil: (dir: string, names: string[]) => void): string {
  const dir = stage.path(name);
  mkdirSync(dir);
  const names = readdirSync(stage.dir).filter((file) => file.endsWith('.backup'));
  for (const file of names) writeFileSync(join(dir, file), readFileSync(join(stage.dir, file)));
  spoil(dir, names);
  return dir;
}

async function* bytesOf(file: string): AsyncGenerator<Uint8Array> {
  yield readFileSync(file);
}

/** The same backup with a block changed, and everything hashed again. */
async function remade(file: string, change: (type: string, bytes: Buffer) => Buffer): Promise<Buffer> {
  const writer = new BlockWriter();
  const parts = [writer.begin()];
  for await (const { type, bytes } of readBlocks(bytesOf(file)))
    parts.push(writer.write({ type, bytes: change(type, bytes) }));
  return Buffer.concat(parts);
}

const json = (bytes: Buffer) => JSON.parse(bytes.toString()) as JsonObject;
const bytesFor = (value: object) => Buffer.from(JSON.stringify(value));

describe('a restore', () => {
  it('wants a reason', async () => {
    const data = stage.path('without');
    for (const flags of [[], ['--accept-truncation', ' ']]) {
      const { code, err } = await runCommand(['restore', stage.dir, '--data', data, ...flags]);
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringContaining('Say why with --accept-truncation'),
      });
    }
    expect(readdirSync(stage.place)).not.toContain('without');
  });

  it('refuses what is no backup, and nothing at all', async () => {
    writeFileSync(stage.path('text'), 'x'.repeat(100));
    writeFileSync(stage.path('empty'), '');
    await stage.refuses(stage.path('text'), /no backup of this program/);
    await stage.refuses(stage.path('empty'), /no backup of this program/);
    await stage.refuses(stage.path('absent'), /does not exist/);
    const dir = spoiled('no-backups', (at, names) => {
      for (const name of names) rmSync(join(at, name));
    });
    await stage.refuses(dir, /holds no backup/);
    for (const name of ['text', 'empty', 'no-backups']) rmSync(stage.path(name), { recursive: true });
  });

  it('refuses a place that is not empty, and overwrites nothing', async () => {
    const data = stage.path('taken');
    mkdirSync(data);
    writeFileSync(join(data, 'mine'), 'x');
    const { code, err } = await stage.restore(stage.dir, 'taken');
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/taken is not empty: .* Move it away/),
    });
    expect(readdirSync(data)).toEqual(['mine']);
    rmSync(data, { recursive: true });
  });

  it('refuses a backup with a flipped byte, wherever it is', async () => {
    const [file = ''] = files;
    const whole = readFileSync(file);
    const copy = stage.path('flipped');
    const step = Math.max(1, Math.floor(whole.length / 40));
    for (let at = 0; at < whole.length; at += step) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(copy, bytes);
      await stage.refuses(copy, /is damaged at byte|is cut off|no backup of this program/);
    }
    rmSync(copy);
  });

  it('refuses a backup that is cut off, wherever', async () => {
    const [file = ''] = files;
    const whole = readFileSync(file);
    const copy = stage.path('cut');
    for (const size of [9, 100, Math.floor(whole.length / 2), whole.length - 40, whole.length - 1]) {
      writeFileSync(copy, whole);
      truncateSync(copy, size);
      await stage.refuses(copy, /is cut off: it ends at byte \d+, before its end. Copy it again/);
    }
    writeFileSync(copy, Buffer.concat([whole, Buffer.from('more')]));
    await stage.refuses(copy, /no backup of this program|cut off/);
    rmSync(copy);
  });

  it('refuses increments with a gap, without their beginning, or of another gateway', async () => {
    const gap = spoiled('gap', (dir, names) => rmSync(join(dir, names[1] ?? '')));
    await stage.refuses(gap, /ends with commit \d+: one is missing. Bring it back, or name the last file/);
    const headless = spoiled('headless', (dir, names) => rmSync(join(dir, names[0] ?? '')));
    await stage.refuses(headless, /is an increment: it goes on behind commit \d+/);
    const other = await stage.start();
    const elsewhere = stage.path('elsewhere');
    await stage.backUp(other, [], elsewhere);
    await stage.backUp(other, [], elsewhere);
    const mixed = spoiled('mixed', (dir, names) => {
      const [, theirs = ''] = readdirSync(elsewhere).sort();
      writeFileSync(join(dir, names[1] ?? ''), readFileSync(join(elsewhere, theirs)));
    });
    await stage.refuses(mixed, /is of another gateway \(log log_\w+, not log_\w+\)/);
    for (const dir of [gap, headless, mixed, elsewhere]) rmSync(dir, { recursive: true });
  });

  it('refuses another passphrase or key, in words that say so', async () => {
    writeFileSync(stage.path('wrong'), 'another passphrase');
    writeFileSync(stage.path('short'), 'short');
    const { privateKey } = generateKeyPairSync('x25519');
    writeFileSync(stage.path('key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const words =
      /does not open the secrets of this backup: .* was encrypted to another one. Give the right one/;
    await stage.refuses(stage.dir, words, ['--passphrase-file', stage.path('wrong')]);
    await stage.refuses(stage.dir, words, ['--identity', stage.path('key.pem')]);
    const short = await stage.restore(stage.dir, 'refused', ['--passphrase-file', stage.path('short')]);
    expect(short).toMatchObject({ code: 2, err: expect.stringContaining('12 characters or more') });
    const none = await stage.restore(stage.dir, 'refused', ['--identity', stage.path('jwks.json')]);
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('holds no key that can be read') });
  });

  it('refuses a backup that somebody made anew, without the key of the gateway', async () => {
    const [file = ''] = files;
    const copy = stage.path('forged');
    const tampered = await remade(file, (type, bytes) =>
      type === 'H' ? bytesFor({ ...json(bytes), created_at: '2020-01-01T00:00:00.000Z' }) : bytes,
    );
    writeFileSync(copy, tampered);
    await stage.refuses(copy, /does not carry a signature of its gateway \(\w+\)/);
    rmSync(copy);
  });

  it('believes only the keys that were kept elsewhere, where they are named', async () => {
    const other = await stage.start();
    writeFileSync(stage.path('other.json'), (await other.client.call('GET', '/.well-known/jwks.json')).text);
    await stage.refuses(stage.dir, /signature of its gateway \(unknown_key\)/, [
      '--jwks',
      stage.path('other.json'),
    ]);
    const { code } = await stage.restore(stage.dir, 'believed', ['--jwks', stage.path('jwks.json')]);
    expect(code).toBe(0);
    rmSync(stage.path('believed'), { recursive: true });
  });

  it('refuses a backup of another stored form, and names the way', async () => {
    const [file = ''] = files;
    const copy = stage.path('older');
    const bytes = await remade(file, (type, block) =>
      type === 'H' ? bytesFor({ ...json(block), schema: 5 }) : block,
    );
    writeFileSync(copy, bytes);
    await stage.refuses(copy, /has the form 5; this version has 6. Restore it with that version/);
    rmSync(copy);
  });

  it('writes nowhere else, whatever a backup names', async () => {
    const [file = ''] = files;
    const blocks = [];
    for await (const block of readBlocks(bytesOf(file))) blocks.push(block);
    const writer = new BlockWriter();
    const parts = [writer.begin()];
    for (const { type, bytes } of blocks) {
      if (type === 'E')
        parts.push(writer.write({ type: 'F', bytes: bytesFor({ path: 'workspaces/../../out', size: 0 }) }));
      parts.push(writer.write({ type, bytes }));
    }
    const copy = stage.path('leading-out');
    writeFileSync(copy, Buffer.concat(parts));
    await stage.refuses(copy, /names a file that is none of a gateway: "workspaces\/..\/..\/out"/);
    rmSync(copy);
  });
});
