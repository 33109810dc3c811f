import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import type { TrustRecord } from '#resources/trust/schema.ts';
import { allEvents, eventFindings } from '../../conformance/event-findings.ts';
import { AskingClient } from '../../harness/asking-client.ts';
import type { TestClient } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';

/** May submit and answer questions, and decide nothing. */
const SUBMITTER = { actor: 'sub', scopes: ['tasks:read', 'tasks:write', 'sessions:write'] };

describe('an approval', () => {
  let gateway: TestGateway;
  let data: string;
  const agent = () => new AskingClient();

  async function stage(config: object = {}) {
    data = mkdtempSync(join(tmpdir(), 'harn-approvals-'));
    const keys = [...['ann', 'ben', 'cid'].map((actor) => ({ actor })), SUBMITTER];
    gateway = await startTestGateway({ data, keys, config: { ...config }, extraClients: [agent()] });
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
  const as = (actor: string) => gateway.clients[actor] as TestClient;
  const respond = (request: PermissionRequest, body: object, client = gateway.client) =>
    client.call('POST', `/v1/permission-requests/${request.id}/respond`, { body });

  it('takes the scope permissions:respond by every door', async () => {
    await stage();
    const { task, request } = await asked('call');
    const refused = { status: 403, body: { error: { details: { required_scope: 'permissions:respond' } } } };
    const confirm = (approved: boolean, client: TestClient) =>
      client.call('POST', `/v1/tasks/${task.id}/messages`, {
        body: {
          kind: 'tool_confirmation',
          message: { role: 'user', parts: [{ type: 'json', value: { approved }, visibility: 'public' }] },
        },
      });
    expect(await respond(request, { approved: true }, as('sub'))).toMatchObject(refused);
    expect(await confirm(true, as('sub'))).toMatchObject(refused);
    expect(await confirm(false, as('sub'))).toMatchObject(refused);
    expect(await requestsOf(task)).toMatchObject([{ status: 'pending' }]);
    expect((await confirm(true, as('ann'))).status).toBe(201);
    await gateway.client.until(task.id, 'COMPLETED');
  });

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

    it('[EXT-APP-01] covers no call with others: the task fails, and says which were approved', async () => {
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

  describe('of a quorum', () => {
    const QUORUM = { policy: { approvals: [{ quorum: 2 }] } };
    const votesOf = async (task: Task) =>
      (await gateway.client.events(`/v1/tasks/${task.id}/events`)).filter(({ event }) =>
        /voted|approved/.test(event),
      );

    it('is one of several: the request stays open, and names who has approved, until enough have', async () => {
      const client = await stage(QUORUM);
      const { task, request } = await asked('call');
      expect(request.request.approvals).toEqual({ quorum: 2, four_eyes: false, approved_by: [] });
      const first = await respond(request, { approved: true }, as('ann'));
      expect(first.status).toBe(200);
      expect(first.body).toMatchObject({
        status: 'pending',
        response: null,
        request: { approvals: { approved_by: ['ann'] } },
      });
      const again = await respond(request, { approved: true }, as('ann'));
      expect(again.body).toMatchObject({ error: { code: 'conflict', details: { approved_by: ['ann'] } } });
      expect((await client.get<Task>(`/v1/tasks/${task.id}`)).status).toBe('AUTH_REQUIRED');
      expect((await respond(request, { approved: true }, as('ben'))).body).toMatchObject({
        status: 'approved',
      });
      await client.until(task.id, 'COMPLETED');
      expect((await votesOf(task)).map(({ event, actor }) => [event, actor])).toEqual([
        ['vendor.harn_gateway.approval_voted', 'ann'],
        ['tool.approved', 'ben'],
      ]);
      const { data: records } = await client.get<{ data: TrustRecord[] }>('/v1/trust-records');
      expect(records).toMatchObject([
        {
          approver: 'ben',
          metadata: { approval: { quorum: 2, signatures: [{ reviewer: 'ann' }, { reviewer: 'ben' }] } },
        },
      ]);
    });

    it('of many at the same time, one per actor counts, and one decides', async () => {
      await stage({ policy: { approvals: [{ quorum: 3 }] } });
      const { task, request } = await asked('call');
      const actors = ['ann', 'ben', 'cid', 'ann', 'ben', 'cid'];
      const answers = await Promise.all(
        actors.map((actor) => respond(request, { approved: true }, as(actor))),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
      expect(await votesOf(task)).toHaveLength(3);
    });

    it('is not waited for once somebody denies', async () => {
      await stage(QUORUM);
      const { request } = await asked('call');
      await respond(request, { approved: true }, as('ann'));
      expect((await respond(request, { approved: false }, as('ben'))).body).toMatchObject({
        status: 'denied',
      });
      expect((await respond(request, { approved: true }, as('cid'))).status).toBe(409);
    });

    it('is counted for answers that come as task messages, and survives a restart', async () => {
      await stage(QUORUM);
      const { task, request } = await asked('call');
      const parts = [
        { type: 'json', value: { request_id: request.id, approved: true }, visibility: 'public' },
      ];
      const body = { kind: 'tool_confirmation', message: { role: 'user', parts } };
      expect((await as('ann').call('POST', `/v1/tasks/${task.id}/messages`, { body })).status).toBe(201);
      expect((await requestsOf(task))[0]?.status).toBe('pending');
      expect((await as('ann').call('POST', `/v1/tasks/${task.id}/messages`, { body })).status).toBe(409);
      expect((await as('ben').call('POST', `/v1/tasks/${task.id}/messages`, { body })).status).toBe(201);
      expect((await requestsOf(task))[0]?.status).toBe('approved');
    });

    it('is replayed as it was', async () => {
      const client = await stage(QUORUM);
      const { task, request } = await asked('call');
      for (const actor of ['ann', 'ben']) await respond(request, { approved: true }, as(actor));
      await client.until(task.id, 'COMPLETED');
      const replay = await client.post<Task>(`/v1/tasks/${task.id}/replay`, { mode: 'exact' });
      await client.until(replay.id, 'COMPLETED');
      const told = await client.events(`/v1/tasks/${replay.id}/events`);
      const end = told.find(({ event }) => event === 'replay.completed');
      expect(end?.payload).toMatchObject({ verdict: { status: 'byte_equal' } });
    });
  });

  describe('under four eyes', () => {
    const FOUR_EYES = { policy: { approvals: [{ four_eyes: true }] } };

    it('[EXT-APP-03] is nobody else than the submitter refused, who may still deny', async () => {
      const client = await stage(FOUR_EYES);
      const { task, request } = await asked('call', as('ann'));
      const own = await respond(request, { approved: true, reviewer: 'ben' }, as('ann'));
      expect(own.status).toBe(422);
      expect(own.body).toMatchObject({
        error: { code: 'policy_violation', details: { rule: 'approvals.four_eyes' } },
      });
      expect((await respond(request, { approved: true }, as('ben'))).status).toBe(200);
      await client.until(task.id, 'COMPLETED');
      const other = await asked('call', as('ann'));
      expect((await respond(other.request, { approved: false }, as('ann'))).status).toBe(200);
    });
  });

  it('[S9-12] that nobody gives in the time of its workspace is a denial', async () => {
    await stage({ policy: { approvals: [{ timeout_ms: 1 }] } });
    const { task } = await asked('call');
    await gateway.tidy();
    expect((await requestsOf(task))[0]).toMatchObject({ status: 'denied', response: { reason: 'timeout' } });
  });
});
