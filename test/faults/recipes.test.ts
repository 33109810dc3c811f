import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { apiKeyHash } from '#auth/api-keys.ts';
import { listenOnLoopback } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { placeRecordedLog, readThings, recordedLogs, thingsOf } from '../harness/recorded-log.ts';
import { killChildren, PACKAGE_ROOT, PROGRAM } from './child-processes.ts';
import { canMount } from './full-disk.ts';
import { GatewayPlace, type GatewayProcess, KEY } from './gateway-process.ts';

const PAGE = readFileSync(join(PACKAGE_ROOT, 'src', 'operation', 'README.md'), 'utf8');

/** The blocks of commands below each heading of the page. */
function recipes(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const section of PAGE.split(/^#{1,3} /m).slice(1)) {
    const heading = section.slice(0, section.indexOf('\n'));
    const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);
    if (blocks.length > 0) found.set(heading, blocks);
  }
  return found;
}
const RECIPES = recipes();
const used = new Set<string>();

interface Said {
  code: number;
  out: string;
}

/**
 * A machine as the page describes it: `harn-gateway` is the built program, and `systemctl` starts, stops and reloads the gateway of
 * this test. The places that the page names are those of the test.
 */
class Machine {
  readonly place: GatewayPlace;
  gateway: GatewayProcess | undefined;
  readonly #port: number;
  readonly #bin = mkdtempSync(join(tmpdir(), 'harn-recipes-'));
  #control: Server | undefined;

  private constructor(place: GatewayPlace, port: number) {
    this.place = place;
    this.#port = port;
  }

  static async make(sections: Record<string, object> = {}, data?: string): Promise<Machine> {
    const server = createSocket().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    server.close();
    await once(server, 'close');
    if (address === null || typeof address === 'string') throw new Error('no port');
    // The same one after each start, as the page has it.
    const place = new GatewayPlace({ server: { port: address.port }, ...sections }, data);
    const machine = new Machine(place, address.port);
    await machine.#putPrograms();
    return machine;
  }

  get data(): string {
    return this.place.data;
  }

  get client() {
    if (this.gateway === undefined) throw new Error('not started');
    return this.gateway.client;
  }

  async start(): Promise<void> {
    this.gateway = await this.place.start();
  }

  async stop(): Promise<void> {
    await this.gateway?.stop();
    this.gateway = undefined;
  }

  /** Runs a block of the page as it stands, to its end or its first failure. */
  run(heading: string, block: number, env: Record<string, string> = {}): Promise<Said> {
    used.add(`${heading} ${block}`);
    const text = RECIPES.get(heading)?.[block];
    if (text === undefined) throw new Error(`${heading} has no block ${block}`);
    return this.type(text, env);
  }

  /** Runs commands of the page, which name its places. */
  type(text: string, env: Record<string, string> = {}): Promise<Said> {
    const here = text
      .replaceAll('/var/lib/harn-gateway', this.data)
      .replaceAll('/var/backups/harn-gateway', join(this.place.folder, 'backup'))
      .replaceAll('/etc/harn-gateway/gateway.yaml', this.place.config);
    const all = {
      PATH: `${this.#bin}:${process.env['PATH']}`,
      HOME: this.place.folder,
      XDG_STATE_HOME: this.place.state,
      HARN_GATEWAY_URL: `http://127.0.0.1:${this.#port}`,
      HARN_GATEWAY_KEY: KEY,
      ...env,
    };
    return new Promise((resolve) => {
      execFile('bash', ['-ec', `exec 2>&1\n${here}`], { env: all, cwd: this.place.folder }, (error, out) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, out });
      });
    });
  }

  async remove(): Promise<void> {
    await this.stop();
    this.#control?.close();
    this.place.remove();
    rmSync(`${this.data}.damaged`, { recursive: true, force: true });
    rmSync(this.#bin, { recursive: true, force: true });
  }

  async #putPrograms(): Promise<void> {
    this.#control = createServer((request, response) => {
      void this.#told(request.url ?? '').then(
        () => response.end(),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
    const url = await listenOnLoopback(this.#control);
    const program = (name: string, text: string) => {
      const file = join(this.#bin, name);
      writeFileSync(file, `#!/bin/sh\n${text}\n`);
      chmodSync(file, 0o755);
    };
    program('npx', 'exec "$@"');
    program('harn-gateway', `exec "${process.execPath}" "${PROGRAM}" "$@"`);
    program(
      'systemctl',
      `[ "$2" = harn-gateway ] && exec "${process.execPath}" -e 'fetch(process.argv[1]).then(async (answer) => { if (!answer.ok) { console.error(await answer.text()); process.exit(1); } })' "${url}/$1"`,
    );
  }

  async #told(path: string): Promise<void> {
    if (path === '/reload') this.gateway?.child.process.kill('SIGHUP');
    if (path === '/stop' || path === '/restart') await this.stop();
    if (path === '/start' || path === '/restart') await this.start();
  }
}

let machine: Machine | undefined;
afterEach(async () => {
  await machine?.remove();
  machine = undefined;
  killChildren();
});

async function made(sections: Record<string, object> = {}, data?: string): Promise<Machine> {
  machine = await Machine.make(sections, data);
  return machine;
}

const idOf = (prefix: string, text: string) =>
  new RegExp(`\\b${prefix}_[0-9A-Z]{26}\\b`).exec(text)?.[0] ?? '';

describe('It does not start', () => {
  it('names every fault of the configuration, and what the machine lacks', async () => {
    const here = await made();
    await here.start();
    const fine = await here.run('It does not start', 0);
    expect(fine.out).toContain('disk');
    await here.stop();
    const sections = parse(readFileSync(here.place.config, 'utf8')) as Record<string, object>;
    writeFileSync(
      here.place.config,
      stringify({ ...sections, nonsense: 1, routing: { default: 'a2a:none' } }),
    );
    const faulty = await here.run('It does not start', 0);
    expect(faulty.code).toBe(2);
    expect(faulty.out).toMatch(/nonsense/);
  }, 120_000);
});

describe.runIf(canMount)('a disk that fails', () => {
  const disk = mkdtempSync(join(tmpdir(), 'harn-disk-'));
  const mount = (...options: string[]) => {
    const { status, stderr } = spawnSync(
      'mount',
      ['-o', options.join(), ...(options.includes('remount') ? [disk] : ['-t', 'tmpfs', 'harn-test', disk])],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(stderr);
  };
  beforeEach(() => mount('size=40m', 'mode=0700'));
  afterEach(async () => {
    await machine?.remove();
    machine = undefined;
    spawnSync('umount', ['-l', disk]);
  });
  afterAll(() => rmSync(disk, { recursive: true, force: true }));

  const write = ({ client }: Machine) =>
    client.call('POST', '/v1/sessions', {
      body: { workspace_id: 'workspace_default', metadata: { filler: 'x'.repeat(4_000) } },
    });
  async function untilRefused(here: Machine): Promise<void> {
    await expect.poll(async () => (await write(here)).status, { timeout: 20_000, interval: 1 }).toBe(503);
  }

  it('The disk is full: says how much is missing, and goes on by itself once there is room', async () => {
    const here = await made({}, join(disk, 'data'));
    await here.start();
    const before = (await write(here)).body['id'];
    const ballast = join(disk, 'ballast');
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - 1_500_000));
    await untilRefused(here);
    const told = await here.run('The disk is full', 0);
    expect(told.out).toMatch(/The disk is full: [\d.]+ MiB are free and [\d.]+ MiB are needed/);
    expect((await here.client.call('GET', `/v1/sessions/${before}`)).status).toBe(200);
    rmSync(ballast);
    await expect.poll(async () => (await here.client.call('GET', '/ready')).status).toBe(200);
    expect(await here.run('The disk is full', 0)).toMatchObject({
      code: 0,
      out: expect.stringContaining('ready at'),
    });
  }, 120_000);

  it('The store is fenced: reopens once the disk writes again, and a restart finds all', async () => {
    const here = await made({}, join(disk, 'data'));
    await here.start();
    const before = (await write(here)).body['id'];
    // A write that fails is what fences it.
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - 1_500_000));
    await untilRefused(here);
    expect((await here.client.call('GET', '/ready')).text).toContain('fenced');
    rmSync(join(disk, 'ballast'));
    // `status` ends with 1 while the gateway takes no work, and the block there.
    await expect.poll(async () => (await here.client.call('GET', '/ready')).status).toBe(200);
    const { code, out } = await here.run('The store is fenced', 0);
    expect([code, out]).toEqual([0, expect.stringContaining(' 0 findings')]);
    expect((await here.client.call('GET', `/v1/sessions/${before}`)).status).toBe(200);
  }, 120_000);
});

describe('A block is damaged', () => {
  /** Flips a bit in the middle of each table, long ago, as a disk does. */
  function damage(data: string): void {
    const tables = readdirSync(join(data, 'store')).filter((name) => name.endsWith('.ldb'));
    expect(tables.length).toBeGreaterThan(0);
    for (const name of tables) {
      const file = join(data, 'store', name);
      const bytes = readFileSync(file);
      const at = Math.floor(bytes.length / 4);
      bytes[at] = (bytes[at] ?? 0) ^ 0x10;
      writeFileSync(file, bytes);
      utimesSync(file, 1_000_000_000, 1_000_000_000);
    }
  }

  it('is named by the check, and a backup brings all back that it has, and no id twice', async () => {
    const here = await made();
    const ids: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      await here.start();
      for (let n = 0; n < 30; n += 1) ids.push((await here.client.session()).id);
      await here.stop();
    }
    await here.start();
    const backup = await here.type('harn-gateway backup /var/backups/harn-gateway');
    expect(backup.code, backup.out).toBe(0);
    await here.client.session();
    const newest = (await here.client.events('/v1/events')).at(-1)?.id ?? '';
    await here.gateway?.kill();
    damage(here.data);
    await here.start();
    const found = await here.run('A block is damaged', 0);
    expect([found.code, found.out]).toEqual([1, expect.stringContaining('damage')]);
    const restored = await here.run('A block is damaged', 1);
    expect([restored.code, restored.out]).toEqual([0, expect.stringContaining(' 0 findings')]);
    for (const id of ids) expect((await here.client.call('GET', `/v1/sessions/${id}`)).status).toBe(200);
    await here.client.session();
    const after = (await here.client.events('/v1/events')).at(-1)?.id ?? '';
    expect(after > newest).toBe(true);
  }, 120_000);
});

describe('Backup and restore', () => {
  it('of a running gateway, checked and restored elsewhere', async () => {
    const here = await made();
    await here.start();
    await here.client.session();
    const said = await here.run('Backup and restore', 0);
    expect([said.code, said.out]).toEqual([0, expect.stringContaining(' 0 findings')]);
    expect(readdirSync(join(here.place.folder, 'restored'))).toContain('store');
    expect((await here.client.call('GET', '/ready')).status).toBe(200);
  }, 120_000);
});

describe('A key is lost', () => {
  let here: Machine;
  beforeEach(async () => {
    here = await made();
    await here.start();
  });

  it('of a caller: it is revoked, and another one works', async () => {
    const made = await here.client.post<{ api_key: string; id: string }>('/v1/admin/api-keys', {
      name: 'ci',
      actor: 'ci-bot',
      scopes: ['tasks:read'],
      workspaces: ['workspace_default'],
    });
    const { id } = made;
    const key = /\bharn_[\w-]+/.exec(JSON.stringify(made))?.[0] ?? '';
    const first = await here.run('A key is lost', 0, { ID: id });
    expect([first.code, first.out]).toEqual([0, expect.stringContaining('ci-2')]);
    const asks = (by: string) =>
      here.client.call('GET', '/v1/tasks?workspace_id=workspace_default', {
        headers: { authorization: `Bearer ${by}` },
      });
    expect((await asks(key)).status).toBe(401);
    const fresh = /\bharn_[\w-]+/.exec(first.out)?.[0] ?? '';
    expect((await asks(fresh)).status).toBe(200);
  }, 120_000);

  it('of the operator: a row made on the machine is let in by the signal', async () => {
    used.add('A key is lost 1');
    const [make = '', reload = ''] = RECIPES.get('A key is lost')?.[1]?.trim().split('\n') ?? [];
    expect(reload).toBe('systemctl reload harn-gateway');
    const { code, out } = await here.type(make, { HARN_GATEWAY_KEY: '' });
    expect(code).toBe(0);
    const fresh = /\bharn_[\w-]+/.exec(out)?.[0] ?? '';
    const row: unknown = JSON.parse(out.slice(out.indexOf('{')));
    const sections = parse(readFileSync(here.place.config, 'utf8')) as { auth: { api_keys: unknown[] } };
    sections.auth.api_keys.push(row);
    writeFileSync(here.place.config, stringify(sections));
    expect((await here.type(reload)).code).toBe(0);
    const status = async () =>
      (
        await here.client.call('GET', '/v1/admin/signing-keys', {
          headers: { authorization: `Bearer ${fresh}` },
        })
      ).status;
    await expect.poll(status).toBe(200);
  }, 120_000);

  it('the signing key has leaked: another one signs', async () => {
    const { data } = await here.client.get<{ data: { id: string }[] }>('/v1/admin/signing-keys');
    const said = await here.run('A key is lost', 2, { KEY_ID: data[0]?.id ?? '' });
    expect([said.code, said.out]).toEqual([0, expect.stringMatching(/revoked.*current/s)]);
  }, 120_000);

  it('the signing key is gone: another one signs, and what the lost one signed verifies', async () => {
    const { id } = (await here.client.get<{ data: { id: string }[] }>('/v1/admin/signing-keys')).data[0] ?? {
      id: '',
    };
    await here.stop();
    rmSync(join(here.data, 'keys', `${id}.pem`));
    await expect(here.start()).rejects.toThrow('keys rotate --offline');
    const { uid } = statSync(here.data);
    const said = await here.run('A key is lost', 3);
    expect([said.code, said.out]).toEqual([0, expect.stringMatching(/retired.*current/s)]);
    expect(statSync(join(here.data, 'keys', 'registry.json')).uid).toBe(uid);
    await here.stop();
    const { code, stdout } = await here.place.check();
    expect([code, stdout]).toEqual([0, expect.stringContaining(' 0 findings')]);
  }, 120_000);
});

describe('An agent runs away', () => {
  it('is halted: what runs ends, what comes is refused, until it is released', async () => {
    const agent = await startSampleAgent();
    const here = await made({ upstreams: { a2a: [{ id: 'shop', card: agent.cardUrl }] } });
    try {
      await here.start();
      const task = await here.client.submit('slow 30');
      await here.client.until(task.id, 'WORKING');
      const halted = await here.run('An agent runs away', 0);
      expect([halted.code, halted.out]).toEqual([
        0,
        expect.stringMatching(/REASON {2,}TASKS ENDED\n.*It orders in a loop\. {2,}1\n/),
      ]);
      expect(['CANCELED', 'FAILED']).toContain(
        (await here.client.get<{ status: string }>(`/v1/tasks/${task.id}`)).status,
      );
      const refused = await here.client.call('POST', '/v1/tasks', {
        body: {
          session: { workspace_id: 'workspace_default' },
          input: { role: 'user', parts: [{ type: 'text', text: 'hello', visibility: 'public' }] },
        },
      });
      expect([refused.status >= 400 && refused.status < 500, refused.text]).toEqual([
        true,
        expect.stringContaining('It orders in a loop.'),
      ]);
      const released = await here.run('An agent runs away', 1, { HALT: idOf('halt', halted.out) });
      expect(released.code, released.out).toBe(0);
      await here.client.until((await here.client.submit('hello')).id, 'COMPLETED');
    } finally {
      await agent.close();
    }
  }, 120_000);
});

describe.each(recordedLogs())('Upgrade and migration, from data of %s', (name) => {
  let here: Machine;
  beforeAll(() => expect(recordedLogs().length).toBeGreaterThan(0));

  it('brings the log to the form of this version, with all that it has', async () => {
    // Whose sessions they are.
    here = await made({ auth: { api_keys: [{ id: 'k0', hash: apiKeyHash(KEY), actor: 'actor_test' }] } });
    mkdirSync(here.data, { recursive: true });
    await placeRecordedLog(here.data, name);
    const said = await here.run('Upgrade and migration', 0);
    expect([said.code, said.out]).toEqual([0, expect.stringContaining(' 0 findings')]);
    expect(said.out).toMatch(/There is nothing to do|The log was brought from schema/);
    expect(await readThings(here.client)).toMatchObject(thingsOf(name));
  }, 120_000);
});

describe('the page', () => {
  it('has no block of commands that nothing runs', () => {
    const blocks = [...recipes()].flatMap(([heading, texts]) => texts.map((_, at) => `${heading} ${at}`));
    const skipped = canMount ? [] : ['The disk is full 0', 'The store is fenced 0'];
    expect([...used, ...skipped].toSorted()).toEqual(blocks.toSorted());
  });
});
