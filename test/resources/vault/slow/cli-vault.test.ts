import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../../../interop/command-line.ts';

const SECRET = 'hunter2-hunter2';
const directory = mkdtempSync(join(tmpdir(), 'harn-vault-'));
const file = join(directory, 'shop.vault');

afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs `harn-gateway ...` with a key in its environment and something on its standard input. */
async function run(args: readonly string[], { key, input = '' }: { key?: string; input?: string } = {}) {
  vi.stubEnv('HARN_VAULT_KEY', key);
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([input]) as typeof process.stdin);
  return runCommand(args);
}

const vault = (args: readonly string[], options?: { key?: string; input?: string }) =>
  run(['vault', ...args], options);

describe('harn-gateway vault', () => {
  it('makes a key and a vault, takes secrets from standard input, and shows names only', async () => {
    const key = (await vault(['key'])).out.trim();
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    expect(await vault(['create', file], { key })).toMatchObject({ code: 0 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const put = await vault(['put', file, 'db-login'], { key, input: `${SECRET}\n` });
    expect(put).toMatchObject({ code: 0, out: '', err: '' });
    await vault(['put', file, 'api-token'], { key, input: 'another-secret' });
    expect(await vault(['list', file], { key })).toMatchObject({ code: 0, out: 'api-token\ndb-login\n' });
    await vault(['remove', file, 'api-token'], { key });
    expect((await vault(['list', file, '--json'], { key })).out).toBe('{"names":["db-login"]}\n');
    expect(readFileSync(file, 'utf8')).not.toContain(SECRET);

    const config = join(directory, 'gateway.yaml');
    const row = { id: 'shop', provider: 'encrypted_file', file, key: { env: 'HARN_VAULT_KEY' } };
    const auth = { type: 'bearer', value: { vault: 'shop/db-login' } };
    const upstreams = { a2a: [{ id: 'shop', card: 'https://shop.example.com/', auth }] };
    writeFileSync(config, JSON.stringify({ vaults: [row], upstreams }));
    const check = (given: string) => run(['check', '--config', config], { key: given });
    expect(await check(key)).toMatchObject({ code: 0 });
    const wrong = await check(Buffer.alloc(32, 7).toString('hex'));
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain(
      'upstreams.a2a[0].auth.value: the secret db-login cannot be read: the vault shop was encrypted with another key',
    );
    expect(wrong.err).not.toContain(SECRET);
  });

  it('says what is wrong and how it ended: 2 for wrong usage, 1 for a failure', async () => {
    const key = Buffer.alloc(32, 1).toString('base64');
    const other = join(directory, 'other.vault');
    await vault(['create', other], { key });
    const rows: [args: string[], options: { key?: string; input?: string }, code: number, says: string][] = [
      [['list', other], {}, 2, 'HARN_VAULT_KEY is not set'],
      [['list', other], { key: 'short' }, 2, 'HARN_VAULT_KEY needs a key of 32 bytes'],
      [['list', other], { key: Buffer.alloc(32, 2).toString('base64') }, 1, 'was encrypted with another key'],
      [['list', join(directory, 'none')], { key }, 1, 'does not exist; make it with "vault create"'],
      [['create', other], { key }, 1, 'exists already'],
      [['put', other, '../up'], { key, input: SECRET }, 1, 'takes names of'],
      [['put', other, 'pin'], { key, input: '1234' }, 1, 'fewer than 8 characters'],
      [['put', other, 'pem'], { key, input: 'several\nlines\n' }, 1, 'several lines'],
      [['remove', other, 'gone'], { key }, 1, 'has no secret of this name'],
    ];
    for (const [args, options, code, says] of rows) {
      const output = await vault(args, options);
      expect([args, output.code, output.err]).toEqual([args, code, expect.stringContaining(says)]);
      expect(output.err).not.toContain(SECRET);
    }
    writeFileSync(other, `${readFileSync(other, 'utf8').slice(0, -5)}\n`);
    expect(await vault(['list', other], { key })).toMatchObject({
      code: 1,
      err: expect.stringContaining('is damaged; restore it from a copy'),
    });
  });
});
