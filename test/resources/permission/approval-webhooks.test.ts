import { createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { DeadLetter } from '#resources/push/schema.ts';
import { AskingClient } from '../../harness/asking-client.ts';
import type { TestClient } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { type Received, type Receiver, startReceiver } from '../../harness/receiver.ts';

const SECRET = 'secret-of-the-approval-webhook-42';

describe('the approval webhooks of a workspace', () => {
  let receiver: Receiver;
  let gateway: TestGateway;
  let root: string;
  let data: string;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'harn-hooks-'));
    data = mkdtempSync(join(root, 'data-'));
    writeFileSync(join(root, 'secret'), `${SECRET}\n`);
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await gateway.close();
    await receiver.close();
    rmSync(root, { recursive: true });
  });

  async function start(webhook: object = {}, outbound: object = {}) {
    const hook = { id: 'chat', url: receiver.url, secret: { file: join(root, 'secret') }, ...webhook };
    gateway = await startTestGateway({
      data,
      config: {
        workspaces: [{ id: 'workspace_quiet' }],
        policy: { approvals: [{ webhooks: [hook] }] },
        outbound: { allow: ['127.0.0.1'], ...outbound },
      },
      keys: [{ actor: 'quiet', workspaces: ['workspace_quiet'] }],
      extraClients: [new AskingClient()],
    });
    return gateway.client;
  }
  async function asked(word = 'tool', client = gateway.client, session?: { id: string }) {
    const task = await client.submit(word, session?.id, { route: 'fake:asking' });
    await client.until(task.id, word === 'form' ? 'INPUT_REQUIRED' : 'AUTH_REQUIRED');
    const path = `/v1/tasks/${task.id}/permission-requests`;
    const [request] = (await client.get<{ data: PermissionRequest[] }>(path)).data;
    const respond = (body: object) => client.post(`/v1/permission-requests/${request?.id}/respond`, body);
    return { task, request, respond };
  }
  const kinds = () => receiver.posts.map(({ body }) => body['event']?.['event']);
  const deadLetters = async () => (await gateway.client.get<{ data: DeadLetter[] }>('/v1/dead-letters')).data;
  const signatureOf = ({ headers, text }: Received) => {
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-harn-signature'])) ?? [];
    return { v1, expected: createHmac('sha256', SECRET).update(`${t}.${text}`).digest('hex') };
  };

  it('[S1-HOOK] [X-09] are told of each request and of its answer, as {task, event}, signed with the time', async () => {
    await start();
    const { task, request, respond } = await asked();
    await respond({ approved: true });
    await expect.poll(kinds).toEqual(['tool.approval_required', 'tool.approved']);
    for (const post of receiver.posts) {
      expect(Object.keys(post.body).sort()).toEqual(['event', 'task']);
      expect(post.body['task']).toMatchObject({ id: task.id, object: 'task' });
      const { v1, expected } = signatureOf(post);
      expect(v1).toBe(expected);
    }
    expect(receiver.posts[0]?.body['event']).toMatchObject({ resource: { id: request?.id } });
    expect(new Set(receiver.posts.map(({ headers }) => headers['x-harn-delivery'])).size).toBe(2);
  });

  it('hear of questions and denials too, and of nothing that another workspace asks', async () => {
    await start();
    const quiet = gateway.clients['quiet'] as TestClient;
    const elsewhere = await quiet.post<{ id: string }>('/v1/sessions', { workspace_id: 'workspace_quiet' });
    await (await asked('tool', quiet, elsewhere)).respond({ approved: true });
    await (await asked('form')).respond({ answer: 'blue' });
    await (await asked()).respond({ approved: false });
    await expect
      .poll(kinds)
      .toEqual([
        'vendor.harn_gateway.permission_requested',
        'vendor.harn_gateway.permission_resolved',
        'tool.approval_required',
        'tool.denied',
      ]);
  });

  it('[X-08] are tried again under the same delivery id, with a signature of its own time', async () => {
    await start();
    receiver.answer = (_, n) => (n === 1 ? 503 : 204);
    const { respond } = await asked();
    await respond({ approved: true });
    await expect
      .poll(kinds, { timeout: 10_000 })
      .toEqual(['tool.approval_required', 'tool.approval_required', 'tool.approved']);
    const [first, second] = receiver.posts;
    expect(second?.headers['x-harn-delivery']).toBe(first?.headers['x-harn-delivery']);
    for (const post of receiver.posts) expect(signatureOf(post).v1).toBe(signatureOf(post).expected);
  });

  it('leave a dead letter that is seen and sent again', async () => {
    await start({}, { give_up_after_ms: 1 });
    receiver.answer = () => 500;
    await asked();
    await expect.poll(deadLetters).toMatchObject([{ status: 'dead', reason: 'http 500' }]);
    const [letter] = await deadLetters();
    receiver.answer = () => 200;
    await gateway.client.post(`/v1/dead-letters/${letter?.id}/retry`);
    await expect.poll(deadLetters).toMatchObject([{ status: 'delivered' }]);
    expect(kinds().at(-1)).toBe('tool.approval_required');
  });

  it('go on after a restart with what was not delivered, to where the webhook is by then', async () => {
    await start({ url: 'http://127.0.0.1:1/hook' });
    const { task } = await asked();
    await gateway.close();
    await start();
    await expect.poll(kinds, { timeout: 10_000 }).toContain('tool.approval_required');
    expect(receiver.posts[0]?.body['task']).toMatchObject({ id: task.id });
  });

  it('[X-01] are not called at an address that is not allowed, and say so', async () => {
    await start({}, { allow: [] });
    await asked();
    await expect.poll(deadLetters).toMatchObject([{ reason: expect.stringContaining('refused') }]);
    expect(receiver.posts).toEqual([]);
  });

  it('are no push configs of the callers: not listed, not to be deleted', async () => {
    const client = await start();
    const { task } = await asked();
    await expect.poll(kinds).toEqual(['tool.approval_required']);
    expect((await client.get<{ data: unknown[] }>(`/v1/tasks/${task.id}/push-configs`)).data).toEqual([]);
    const set = (await client.events('/v1/events')).find(({ event }) => event.endsWith('push_config_set'));
    const path = `/v1/tasks/${task.id}/push-configs/${set?.resource.id}`;
    expect((await client.call('GET', path)).status).toBe(404);
    expect((await client.call('DELETE', path)).status).toBe(404);
  });

  it('keep secret and URL out of the log, the answers and the store', async () => {
    const client = await start();
    await (await asked()).respond({ approved: true });
    await expect.poll(kinds).toHaveLength(2);
    const told = JSON.stringify(await client.events('/v1/events'));
    await gateway.close();
    const stored = filesUnder(data).filter((path) => !path.endsWith('.yaml'));
    for (const text of [told, gateway.logText(), ...stored.map((path) => readFileSync(path, 'latin1'))]) {
      expect(text.includes(SECRET)).toBe(false);
      expect(text.includes(receiver.url)).toBe(false);
    }
  });
});

function filesUnder(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
