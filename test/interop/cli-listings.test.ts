import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_VERSION, VERSION_HEADER } from '#protocol/versions.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import { TestClient } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { rowsOf, runCommand, type Said } from './command-line.ts';

describe('command line: listings', () => {
  let agent: Peer;
  let gateway: TestGateway;
  const directories: string[] = [];
  beforeAll(async () => {
    agent = await startSampleAgent();
    const upstreams = { a2a: [{ id: 'sample', card: agent.cardUrl }] };
    const directory = mkdtempSync(join(tmpdir(), 'harn-cli-'));
    directories.push(directory);
    const file = join(directory, 'secret');
    writeFileSync(file, 'cli-test-connector-secret');
    const connectors = [{ id: 'orders', provider: 'shop', auth: { type: 'hmac-sha256', secret: { file } } }];
    gateway = await startTestGateway({ config: { upstreams, connectors } });
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  });

  /** Runs one command against the gateway. */
  function run(...args: string[]): Promise<Said> {
    const connection = args.includes('--help') ? [] : ['--url', gateway.url, '--key', gateway.client.key];
    return runCommand([...args, ...connection]);
  }

  async function asked(text: string): Promise<PermissionRequest> {
    const task = await gateway.client.submit(text);
    await gateway.client.until(task.id, 'INPUT_REQUIRED', 'AUTH_REQUIRED');
    const { data } = await gateway.client.get<{ data: PermissionRequest[] }>(
      `/v1/tasks/${task.id}/permission-requests`,
    );
    return data[0] as PermissionRequest;
  }

  it('ends an API key by its id or by the name it was made with', async () => {
    await run('api-keys', 'create', '--id', 'ci', '--actor', 'ci-bot', '--scope', 'sessions:read');
    const next = await run('api-keys', 'rotate', 'ci', '--overlap', '0', '--json');
    const { id, key } = JSON.parse(next.out) as { id: string; key: string };
    const statusWith = async () =>
      (await new TestClient(gateway.url, key).call('GET', '/v1/sessions')).status;
    expect(await statusWith()).toBe(200);
    const ended = await run('api-keys', 'revoke', 'ci');
    expect([ended.code, rowsOf(ended)[0]?.[0], await statusWith()]).toEqual([0, id, 401]);
    expect((await run('api-keys', 'revoke', id)).code).toBe(0);
    const gone = await run('api-keys', 'revoke', 'ci');
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('api-keys list')]);
    for (const actor of ['one', 'other']) await run('api-keys', 'create', '--id', 'twin', '--actor', actor);
    expect((await run('api-keys', 'rotate', 'twin')).err).toContain('Name one by its id: apikey_');
  });

  it('lists sessions newest first, as lines for people and as JSON for programs', async () => {
    const ids = [];
    for (let at = 0; at < 3; at += 1) ids.unshift((await gateway.client.session()).id);
    const { code, out } = await run('session', 'list', '--limit', '2');
    expect([
      code,
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ]).toEqual([0, ['ID', ...ids.slice(0, 2)]]);
    const lines = (await run('session', 'list', '--limit', '3', '--json')).out.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(ids);
  });

  it('session list tells a session whose last task failed from one that is fine', async () => {
    const fine = await gateway.client.submit('hello');
    const failed = await gateway.client.submit('fail');
    const empty = await gateway.client.session();
    await gateway.client.until(fine.id, 'COMPLETED');
    const { failure } = await gateway.client.until(failed.id, 'FAILED');
    const { out } = await run('session', 'list', '--limit', '3');
    const [, ...rows] = out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(rows.map(([id, , last]) => [id, last])).toEqual([
      [empty.id, '-'],
      [failed.session_id, 'FAILED'],
      [fine.session_id, 'COMPLETED'],
    ]);
    expect(rows[1]?.at(-1)).toContain(failure?.message);
    expect((await run('session', 'get', failed.session_id)).out).toContain('FAILED');
  });

  it('session list goes without tasks where the key may not see them', async () => {
    const { out } = await run(
      'api-keys',
      'create',
      '--id',
      'eyes',
      '--actor',
      'eyes',
      '--scope',
      'sessions:read',
      '--json',
    );
    const { key } = JSON.parse(out) as { key: string };
    const listed = await runCommand(['session', 'list', '--limit', '1', '--url', gateway.url, '--key', key]);
    expect([listed.code, rowsOf(listed)[0]?.[2]]).toEqual([0, '-']);
  });

  it('task list, get and cancel are commands; their words are texts behind --', async () => {
    const open = await gateway.client.submit('ask');
    await gateway.client.until(open.id, 'INPUT_REQUIRED');
    const [row] = rowsOf(await run('task', 'list', '--limit', '1'));
    expect(row).toEqual([open.id, 'INPUT_REQUIRED', open.created_at, 'a2a:sample', open.session_id, 'ask']);
    expect(JSON.parse((await run('task', 'get', open.id, '--json')).out)).toMatchObject({ id: open.id });
    const canceled = await run('task', 'cancel', open.id);
    expect([canceled.code, rowsOf(canceled)[0]?.[1]]).toEqual([0, 'CANCELED']);
    const only = await run('task', 'list', '--session', open.session_id, '--status', 'CANCELED', '--json');
    expect(JSON.parse(only.out)).toMatchObject({ id: open.id, status: 'CANCELED' });
    for (const word of ['list', 'get', 'cancel', '--json', '-5 degrees']) {
      const said = await runCommand([
        'task',
        '--url',
        gateway.url,
        '--key',
        gateway.client.key,
        '--follow',
        '--',
        word,
      ]);
      expect([said.code, said.out]).toEqual([0, expect.stringContaining(word)]);
    }
    expect((await run('task', 'get', 'task_none')).code).toBe(1);
  });

  it('agents lists the routes, and proposes the nearest name', async () => {
    for (const words of [['agents'], ['agents', 'list'], ['agent', 'list']]) {
      const said = await run(...words);
      expect([said.code, rowsOf(said)[0]?.[0]]).toEqual([0, 'a2a:sample']);
    }
    expect(JSON.parse((await run('agents', 'get', 'sample', '--json')).out)).toMatchObject({
      route: 'a2a:sample',
    });
    const missed = await run('agents', 'get', 'smaple');
    expect([missed.code, missed.err]).toEqual([1, expect.stringContaining('Did you mean sample?')]);
  });

  it('a mistyped route gets the nearest one proposed and the list', async () => {
    const { code, out, err } = await run('task', 'hello', '--route', 'a2a:smaple');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('Did you mean a2a:sample?');
    expect(err).toMatch(/\nRoutes: a2a:sample(, skill:\S+)*\n$/);
  });

  it('artifact list and get lead to the content', async () => {
    const task = await gateway.client.submit('file');
    await gateway.client.until(task.id, 'COMPLETED');
    const id = rowsOf(await run('artifact', 'list', '--task', task.id))[0]?.[0] ?? '';
    const got = await run('artifact', 'get', id);
    const content = await (
      await fetch(`${gateway.url}/v1/artifacts/${id}/content`, {
        headers: { authorization: `Bearer ${gateway.client.key}`, [VERSION_HEADER]: DEFAULT_VERSION },
      })
    ).text();
    expect([got.code, got.out]).toEqual([0, content]);
    const directory = mkdtempSync(join(tmpdir(), 'harn-cli-'));
    directories.push(directory);
    const file = join(directory, 'content');
    expect((await run('artifact', 'get', id, '--out', file)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(content);
    expect(JSON.parse((await run('artifact', 'get', id, '--json')).out)).toMatchObject({
      id,
      task_id: task.id,
    });
    const missing = await run('artifact', 'get', 'artifact_none', '--out', `${file}.none`);
    expect([missing.code, existsSync(`${file}.none`)]).toEqual([1, false]);
  });

  it('status says where the gateway is, that it is ready, and what it holds', async () => {
    const { code, out } = await run('status');
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(`^ready at ${gateway.url}\nversion \\S+, \\d+ sessions, \\d+ tasks\nagents: a2a:sample\n$`),
    );
    expect(JSON.parse((await run('status', '--json')).out)).toMatchObject({
      ready: true,
      routes: ['a2a:sample'],
    });
    const stranger = await runCommand(['status', '--url', gateway.url, '--key', 'harn_nobody']);
    expect([stranger.code, stranger.out]).toEqual([0, expect.stringContaining('No more is known: ')]);
    const gone = await runCommand(['status', '--url', 'http://127.0.0.1:1', '--key', 'k']);
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('No gateway answers')]);
  });

  it('what answers and is no gateway is called so', async () => {
    const other = createServer((_, response) => response.writeHead(404).end('<html>')).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    for (const command of ['status', 'agents']) {
      const { code, err } = await runCommand([command, '--url', url, '--key', 'k']);
      expect([code, err]).toEqual([1, expect.stringContaining('is no gateway')]);
    }
    other.close();
  });

  it('shows a session and closes it', async () => {
    const { id } = await gateway.client.session();
    expect(rowsOf(await run('session', 'get', id))[0]?.slice(0, 2)).toEqual([id, 'IDLE']);
    const closed = await run('session', 'close', id, '--json');
    expect(JSON.parse(closed.out)).toMatchObject({ id, state: 'CLOSED' });
  });

  it('lists what waits and answers it', async () => {
    const request = await asked('ask');
    const listed = await run('permission', 'list', '--task', request.task_id ?? '');
    expect(rowsOf(listed)[0]?.slice(0, 3)).toEqual([request.id, 'pending', 'elicitation']);
    const answered = await run('permission', 'respond', request.id, '--answer', 'blue', '--json');
    expect(JSON.parse(answered.out)).toMatchObject({ status: 'approved', response: { answer: 'blue' } });
    await gateway.client.until(request.task_id ?? '', 'COMPLETED');
    expect((await run('permission', 'list', '--task', request.task_id ?? '')).out).toBe('');
    const all = await run('permission', 'list', '--all', '--task', request.task_id ?? '');
    expect(all.out).toContain('approved');
  });

  it('denies with a reason, and tells why a second answer is refused', async () => {
    const request = await asked('login');
    const { out } = await run('permission', 'respond', request.id, '--deny', '--reason', 'no', '--json');
    expect(JSON.parse(out)).toMatchObject({ status: 'denied', response: { reason: 'no' } });
    const second = await run('permission', 'respond', request.id, '--approve');
    expect([second.code, second.out]).toEqual([1, '']);
    expect(second.err).toMatch(/^error: .*already resolved.*\(conflict\)/);
  });

  it('lists personas and connectors, and shows one', async () => {
    const persona = await gateway.client.post<{ id: string }>('/v1/personas', {
      name: 'Clerk',
      version: '1',
      entry_workflow: 'a2a:sample',
      description: 'Answers.',
      autonomy_tier: 'act_auto',
      receipt_policy: 'optional',
    });
    expect(rowsOf(await run('persona', 'list'))).toEqual([
      [persona.id, '1', 'act_auto', 'a2a:sample', 'Clerk'],
    ]);
    expect(JSON.parse((await run('persona', 'get', persona.id, '--json')).out)).toEqual(persona);
    expect(rowsOf(await run('connector', 'list'))).toEqual([
      ['orders', 'ACTIVE', 'shop', 'workspace_default', 'POST /v1/connectors/orders/deliveries'],
    ]);
    expect(JSON.parse((await run('connector', 'list', '--json')).out)).toMatchObject({ id: 'orders' });
    const absent = await run('connector', 'get', 'none');
    expect([absent.code, absent.out]).toEqual([1, '']);
  });

  it('shows control characters of stored text spelled out, but not to programs', async () => {
    const name = 'a\u001b[2J\u009bb\nrow';
    const { id } = await gateway.client.post<{ id: string }>('/v1/personas', {
      name,
      version: '1',
      entry_workflow: 'a2a:sample',
      description: 'Answers.',
      autonomy_tier: 'act_auto',
      receipt_policy: 'optional',
    });
    const said = await run('persona', 'get', id);
    expect(rowsOf(said)).toEqual([[id, '1', 'act_auto', 'a2a:sample', 'a\\x1b[2J\\x9bb\\nrow']]);
    expect(JSON.parse((await run('persona', 'get', id, '--json')).out)).toMatchObject({ name });
  });

  it.each([
    [['permission', 'respond', 'x', '--approve', '--deny']],
    [['session', 'list', '--limit', '0']],
    [['session', 'get']],
  ])('wrong usage ends with 2: %j', async (args) => {
    expect((await run(...args)).code).toBe(2);
  });

  it('the help shows examples that can be pasted', async () => {
    const { code, out } = await run('permission', '--help');
    expect(code).toBe(0);
    expect(out).toContain('harn-gateway permission respond permission_request_01... --approve');
  });
});
