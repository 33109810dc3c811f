import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PermissionRequest } from '../../src/protocol/resources/permission-request.ts';
import { TestClient } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { runCommand, type Said } from './command-line.ts';

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
    const { code, out } = await run('api-keys', 'revoke', 'ci');
    expect([code, out.split(' ')[0], await statusWith()]).toEqual([0, id, 401]);
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
    ]).toEqual([0, ids.slice(0, 2)]);
    const lines = (await run('session', 'list', '--limit', '3', '--json')).out.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(ids);
  });

  it('shows a session and closes it', async () => {
    const { id } = await gateway.client.session();
    expect((await run('session', 'get', id)).out).toMatch(new RegExp(`^${id}  IDLE`));
    const closed = await run('session', 'close', id, '--json');
    expect(JSON.parse(closed.out)).toMatchObject({ id, state: 'CLOSED' });
  });

  it('lists what waits and answers it', async () => {
    const request = await asked('ask');
    const listed = await run('permission', 'list', '--task', request.task_id ?? '');
    expect(listed.out).toMatch(new RegExp(`^${request.id}  pending   elicitation`));
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
    expect((await run('persona', 'list')).out).toBe(`${persona.id}  1  act_auto  a2a:sample  Clerk\n`);
    expect(JSON.parse((await run('persona', 'get', persona.id, '--json')).out)).toEqual(persona);
    const { out } = await run('connector', 'list');
    expect(out).toBe('orders  ACTIVE  shop  workspace_default  POST /v1/connectors/orders/deliveries\n');
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
    const { out } = await run('persona', 'get', id);
    expect(out).toBe(`${id}  1  act_auto  a2a:sample  a\\x1b[2J\\x9bb\\nrow\n`);
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
