import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '../../src/compose.ts';
import type { PermissionRequest } from '../../src/protocol/resources/permission-request.ts';
import type { Task } from '../../src/protocol/resources/task.ts';
import { allEvents, eventFindings } from '../conformance/event-findings.ts';
import { AskingUpstream } from '../harness/asking-upstream.ts';
import type { TestClient } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';

describe('an approval', () => {
  let gateway: TestGateway;
  let data: string;
  const agent = () => new AskingUpstream();

  async function stage(config: object = {}) {
    data = mkdtempSync(join(tmpdir(), 'harn-approvals-'));
    const keys = ['ann', 'ben', 'cid'].map((actor) => ({ actor }));
    gateway = await startTestGateway({ data, keys, config: { ...config }, extraUpstreams: [agent()] });
    return gateway.client;
  }
  afterEach(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    for await (const step of checkData(data, systemClock, systemRandom))
      expect(step).toMatchObject({ kind: 'progress' });
    rmSync(data, { recursive: true });
  });

  async function asked(word: string, client = gateway.client) {
    const task = await client.submit(word, undefined, { route: 'fake:asking' });
    await client.until(task.id, 'AUTH_REQUIRED');
    const [request] = await requestsOf(task);
    return { task, request: request as PermissionRequest };
  }
  const requestsOf = async (task: Task) =>
    (await gateway.client.get<{ data: PermissionRequest[] }>(`/v1/tasks/${task.id}/permission-requests`))
      .data;
  const respond = (request: PermissionRequest, body: object, client = gateway.client) =>
    client.call('POST', `/v1/permission-requests/${request.id}/respond`, { body });

  describe('is bound to the arguments that were asked about', () => {
    it('tells their hash in the request and in the events, the same as the call does', async () => {
      const client = await stage();
      const { task, request } = await asked('call');
      const hash = request.request.tool_call?.input_sha256;
      expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect((await respond(request, { approved: true, input_sha256: hash })).status).toBe(200);
      await client.until(task.id, 'COMPLETED');
      const events = await client.events(`/v1/tasks/${task.id}/events`);
      const told = events.filter(({ payload }) => payload['input_sha256'] !== undefined);
      expect(told.map(({ event, payload }) => [event, payload['input_sha256']])).toEqual(
        ['tool.approval_required', 'tool.approved', 'tool.requested', 'agent.tool_use'].map((kind) => [
          kind,
          hash,
        ]),
      );
    });

    it('covers no call with others: the task fails, and says which were approved', async () => {
      const client = await stage();
      const { task, request } = await asked('swap');
      await respond(request, { approved: true });
      await client.until(task.id, 'FAILED');
      const { failure } = (await client.get<{ failure: object }>(`/v1/tasks/${task.id}`)) ?? {};
      expect(failure).toMatchObject({
        code: 'policy_violation',
        details: { approved_sha256: request.request.tool_call?.input_sha256, tool_call_id: 'call-1' },
      });
    });

    it('is refused to whoever decided on others, in both ways to answer, and the request stays open', async () => {
      const client = await stage();
      const { task, request } = await asked('call');
      const input_sha256 = `sha256:${'0'.repeat(64)}`;
      const answer = await respond(request, { approved: true, input_sha256 });
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({ error: { code: 'conflict', param: 'input_sha256' } });
      const parts = [{ type: 'json', value: { approved: true, input_sha256 }, visibility: 'public' }];
      const body = { kind: 'tool_confirmation', message: { role: 'user', parts } };
      expect((await client.call('POST', `/v1/tasks/${task.id}/messages`, { body })).status).toBe(409);
      expect((await requestsOf(task))[0]?.status).toBe('pending');
      expect(await respond(request, { approved: true, input_sha256: 'sha256:none' })).toMatchObject({
        status: 400,
      });
    });
  });
});
