import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { VERSION_HEADER } from '#protocol/versions.ts';
import type { TestClient } from '../../harness/client.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../../harness/gateway.ts';
import { runCommand, type Said } from '../../interop/command-line.ts';

/** A gateway, a folder for its backups, and places to restore them to. */
export class BackupStage {
  readonly place = mkdtempSync(join(tmpdir(), 'harn-backup-'));
  readonly dir = join(this.place, 'backups');
  readonly #open: TestGateway[] = [];

  async start(options: TestGatewayOptions = {}): Promise<TestGateway> {
    const gateway = await startTestGateway(options);
    this.#open.push(gateway);
    return gateway;
  }

  path(name: string): string {
    return join(this.place, name);
  }

  /** `backup` of a gateway, into the folder of backups unless another one is named. */
  backUp({ client }: { client: TestClient }, flags: readonly string[] = [], to = this.dir): Promise<Said> {
    return runCommand(['backup', to, '--url', client.url, '--key', client.key, ...flags]);
  }

  /** Of a backup that is made; the path of its file. */
  async backedUp(gateway: { client: TestClient }, flags: readonly string[] = []): Promise<string> {
    const said = await this.backUp(gateway, [...flags, '--json']);
    expect(said).toMatchObject({ code: 0, err: '' });
    return (JSON.parse(said.out) as { file: string }).file;
  }

  restore(from: string, name: string, flags: readonly string[] = []): Promise<Said> {
    const accepted = ['--accept-truncation', 'a test'];
    return runCommand(['restore', from, '--data', this.path(name), ...accepted, ...flags]);
  }

  async restored(from: string, name: string, flags: readonly string[] = []): Promise<TestGateway> {
    const said = await this.restore(from, name, flags);
    expect({ ...said, out: said.code === 0 ? '' : said.out }).toEqual({ code: 0, err: '', out: '' });
    return this.start({ data: this.path(name) });
  }

  /** Refused in these words, and nothing was made. */
  async refuses(from: string, words: RegExp, flags: readonly string[] = []): Promise<void> {
    const before = readdirSync(this.place).sort();
    const { code, out, err } = await this.restore(from, 'refused', flags);
    expect({ code, err: err.replaceAll(this.place, '') }).toEqual({
      code: 1,
      err: expect.stringMatching(words),
    });
    expect(out).toBe('');
    expect(readdirSync(this.place).sort()).toEqual(before);
    expect(existsSync(this.path('refused'))).toBe(false);
  }

  async end(): Promise<void> {
    for (const gateway of this.#open) await gateway.close();
    rmSync(this.place, { recursive: true, force: true });
  }
}

/** The answer to a request for a backup, whose body is still to be read. */
export function askForBackup({ url, key, version }: TestClient, body: object = {}): Promise<Response> {
  return fetch(`${url}/v1/admin/backup`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      [VERSION_HEADER]: version,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
}

/** Everything a client can read of its sessions, tasks and events up to an event, as it is sent. */
export async function readable(client: TestClient, through: string): Promise<string> {
  const events = (await client.events('/v1/events')).filter(({ id }) => id <= through);
  const sessions = [...new Set(events.map((event) => event['session_id']))].filter(Boolean);
  const texts = [JSON.stringify(events)];
  const paths = [
    '/v1/tasks?limit=200',
    ...sessions.map((id) => `/v1/sessions/${id}/messages`),
    ...events.flatMap(({ event, resource }) =>
      event === 'receipt.issued' ? [`/v1/receipts/${resource.id}`] : [],
    ),
  ];
  for (const path of paths) texts.push(JSON.stringify(await client.get(path)));
  return createHash('sha256').update(texts.join('\n')).digest('hex');
}

/** All bytes of the files of a folder. */
export function bytesBelow(dir: string): string {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}
