import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import { newEvent } from '#core/new-event.ts';
import { own } from '#protocol/clean.ts';
import type { Halt } from '#resources/halt/schema.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { PolicyExplanation } from '#resources/policy/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { allEvents, eventFindings } from '../../conformance/event-findings.ts';
import { taskFrame } from '../../harness/a2a-words.ts';
import { acpAgentCommand } from '../../harness/acp-stage.ts';
import { userText } from '../../harness/client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import type { Peer } from '../../harness/peers/peer.ts';
import { stream } from '../../harness/peers/script.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';
import { replayOf } from '../../harness/runs.ts';
import { tieredMcpServer } from '../../harness/tiered-mcp-server.ts';
import { runCommand } from '../../interop/command-line.ts';

type Placed = Halt & { ended_tasks: number };

/** Programs of the ACP agent that this process has started and that still run. */
function agentPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const isAgent = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('acp-agent.js');
        const [, parent] = /PPid:\s(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
        return isAgent && Number(parent) === process.pid ? [Number(pid)] : [];
      } catch {
        return [];
      }
    });
}

describe('a halt of an agent or a tool', () => {
  const data = mkdtempSync(join(tmpdir(), 'harn-halts-'));
  const calls = join(data, 'calls.ndjson');
  let agent: Peer;
  let gateway: TestGateway;
  const client = () => gateway.client;

  beforeAll(async () => {
    agent = await startScriptedAgent({ SendStreamingMessage: stream(taskFrame('WORKING'), { hang: true }) });
    await start();
  });
  afterAll(async () => {
    expect(eventFindings(await allEvents(gateway.log))).toEqual([]);
    await gateway.close();
    await agent.close();
    for await (const step of checkData(data, systemClock, systemRandom))
      expect(step.kind).not.toBe('finding');
    rmSync(data, { recursive: true, force: true });
  });
  beforeEach(async () => {
    const { data: inForce } = await client().get<{ data: Halt[] }>('/v1/admin/halts');
    for (const { id } of inForce) await client().post(`/v1/admin/halts/${id}/release`);
  });

  async function start(): Promise<void> {
    gateway = await startTestGateway({
      data,
      keys: [{ actor: 'user', scopes: ['tasks:write', 'tasks:read', 'sessions:write', 'sessions:read'] }],
      config: {
        upstreams: {
          a2a: [{ id: 'shop', card: agent.cardUrl }],
          acp: [{ id: 'coder', command: acpAgentCommand() }],
          mcp: [{ id: 'files', command: tieredMcpServer(calls), trust: true }],
        },
        limits: { cancel_wait_ms: 300 },
      },
    });
    const skills = () => client().get<{ data: { id: string }[] }>('/v1/skills?limit=200');
    while (!(await skills()).data.some(({ id }) => id === 'files__read')) await sleep(20);
  }

  const halt = (route: string, reason = 'It orders in a loop.', more: object = {}) =>
    client().post<Placed>('/v1/admin/halts', { route, reason, ...more });
  const release = (id: string) => client().post<Halt>(`/v1/admin/halts/${id}/release`, { reason: 'Mended.' });
  const submit = async (route: string, text = 'go', sessionId?: string) =>
    client().submit(text, sessionId ?? (await client().session()).id, { route });
  const refused = async (route: string) => {
    const { id } = await client().session();
    const body = { input: userText('go'), metadata: { route } };
    return client().call<{ error: Record<string, unknown> }>('POST', `/v1/sessions/${id}/tasks`, { body });
  };
  const explained = (skill: string) =>
    client().get<PolicyExplanation>(
      `/v1/admin/policy/explain?actor=actor_test&operation=submitTask&skill=${skill}`,
    );
  const byteEqual = async ({ id }: Task) => {
    const replay = await replayOf(client(), id);
    const events = await client().events(`/v1/tasks/${replay.id}/events`);
    const ended = events.find(({ event }) => /^replay\.(completed|failed)$/.test(event));
    expect(ended?.payload['verdict']).toMatchObject({ status: 'byte_equal' });
  };

  it('ends what runs and what waits on an A2A agent, refuses what comes, and is released on record', async () => {
    const session = (await client().session()).id;
    const running = await submit('a2a:shop', 'go', session);
    const waiting = await submit('a2a:shop', 'then', session);
    await client().until(running.id, 'WORKING');
    const placed = await halt('a2a:shop');
    expect(placed).toMatchObject({
      object: 'halt',
      route: 'a2a:shop',
      tool: null,
      ended_tasks: 2,
      released_at: null,
    });
    for (const { id } of [running, waiting]) {
      const task = await client().get<Task>(`/v1/tasks/${id}`);
      expect(task).toMatchObject({
        status: 'FAILED',
        failure: {
          code: 'policy_violation',
          message:
            'An operator has halted this agent: It orders in a loop. The task was ended; submit it again when the halt is released.',
          details: { rule: 'halt.agent', halt_id: placed.id },
        },
      });
      await byteEqual(task);
    }
    const { status, body } = await refused('a2a:shop');
    expect(status).toBe(422);
    expect(body.error).toMatchObject({
      code: 'policy_violation',
      param: 'metadata.route',
      details: { rule: 'halt.agent', halt_id: placed.id },
    });
    expect((await explained('a2a:shop')).decision).toMatchObject({ effect: 'refuse', rule: 'halt.agent' });
    // Other agents go on.
    expect((await explained('acp:coder')).decision.effect).toBe('allow');
    const again = await halt('a2a:shop', 'Once more.');
    expect(again).toMatchObject({ id: placed.id, reason: 'It orders in a loop.', ended_tasks: 0 });

    expect(await release(placed.id)).toMatchObject({ released_by: 'actor_test', release_reason: 'Mended.' });
    const next = await submit('a2a:shop');
    await client().until(next.id, 'WORKING');
    await client().post(`/v1/tasks/${next.id}/cancel`);
    const { data: all } = await client().get<{ data: Halt[] }>('/v1/admin/halts?state=all');
    expect(all.map(({ id }) => id)).toEqual([placed.id]);
    const kinds = (await allEvents(gateway.log)).map(({ event }) => event);
    expect(kinds).toEqual(
      expect.arrayContaining(['vendor.harn_gateway.halt_created', 'vendor.harn_gateway.halt_released']),
    );
    // What was refused meanwhile is on record too.
    expect(kinds).toContain('vendor.harn_gateway.call_refused');
  });

  it('ends the program of an ACP agent that does not let go', async () => {
    const { id } = await submit('acp:coder', 'stubborn');
    await client().until(id, 'WORKING');
    while (agentPids().length === 0) await sleep(20);
    const before = agentPids();
    const placed = await halt('acp:coder', 'It does not stop.');
    expect(placed.ended_tasks).toBe(1);
    expect(agentPids().filter((pid) => before.includes(pid))).toEqual([]);
    expect(await client().get<Task>(`/v1/tasks/${id}`)).toMatchObject({
      status: 'FAILED',
      failure: { details: { rule: 'halt.agent' } },
    });
    expect((await refused('acp:coder')).status).toBe(422);
    await release(placed.id);
    expect(
      await client().until((await submit('acp:coder', 'stream 1')).id, 'COMPLETED', 'FAILED'),
    ).toMatchObject({
      status: 'COMPLETED',
    });
  });

  it('of one tool of an MCP server lets the others be called', async () => {
    const run = async (skill: string) => {
      const body = {
        session_id: (await client().session()).id,
        input: {},
        metadata: { route: `skill:${skill}` },
      };
      return client().call<Task & { error: Record<string, unknown> }>('POST', '/v1/tasks', { body });
    };
    const placed = await halt('skill:files__read', 'It reads too much.');
    expect(placed).toMatchObject({ route: 'mcp:files', tool: 'read' });
    const { status, body } = await run('files__read');
    expect([status, body.error['details']]).toEqual([422, { rule: 'halt.tool', halt_id: placed.id }]);
    expect((await explained('files__read')).decision).toMatchObject({ effect: 'refuse', rule: 'halt.tool' });
    const other = await run('files__silent');
    await client().until(other.body.id, 'COMPLETED');
    // As its server names it, too; and a tool that the server does not have is a mistake.
    expect(await halt('mcp:files', 'Again.', { tool: 'read' })).toMatchObject({ id: placed.id });
    const unknown = await client().call('POST', '/v1/admin/halts', {
      body: { route: 'mcp:files', tool: 'reed', reason: 'x' },
    });
    expect([unknown.status, unknown.body['error']]).toEqual([
      404,
      expect.objectContaining({ param: 'tool' }),
    ]);
    await release(placed.id);
    await client().until((await run('files__read')).body.id, 'COMPLETED');
  });

  it('of an MCP server refuses every tool of it with the reason, and lets them be called again', async () => {
    const submit = async () => {
      const session_id = (await client().session()).id;
      const body = { session_id, input: {}, metadata: { route: 'skill:files__read' } };
      return client().call<Task & { error: Record<string, unknown> }>('POST', '/v1/tasks', { body });
    };
    const placed = await halt('mcp:files', 'It reads too much.');
    const { status, body } = await submit();
    expect([status, body.error]).toMatchObject([
      422,
      { message: expect.stringContaining('It reads too much.'), details: { rule: 'halt.agent' } },
    ]);
    await release(placed.id);
    // Its server is started anew.
    let again = await submit();
    while (again.status === 503) {
      await sleep(20);
      again = await submit();
    }
    expect(again.status).toBe(202);
    await client().until(again.body.id, 'COMPLETED');
  });

  it('of a tool of an ACP agent answers its questions with no, those that wait too', async () => {
    const requests = async (id: string) =>
      (await client().get<{ data: PermissionRequest[] }>(`/v1/tasks/${id}/permission-requests`)).data;
    const waiting = await submit('acp:coder', 'edit');
    await client().until(waiting.id, 'AUTH_REQUIRED');
    const [asked] = await requests(waiting.id);
    const tool = asked?.request.tool_call?.name ?? '';
    const placed = await halt('acp:coder', 'No edits today.', { tool });
    expect(placed.ended_tasks).toBe(0);
    const ended = await client().until(waiting.id, 'COMPLETED', 'FAILED', 'CANCELED');
    const denied = { response: { approved: false, reviewer: null, reason: 'halt', rule_id: placed.id } };
    expect((await requests(waiting.id))[0]).toMatchObject(denied);
    await byteEqual(ended);
    const next = await submit('acp:coder', 'edit');
    const done = await client().until(next.id, 'COMPLETED', 'FAILED', 'CANCELED');
    expect((await requests(next.id))[0]).toMatchObject(denied);
    expect((await client().events(`/v1/tasks/${next.id}/events`)).map(({ event }) => event)).toContain(
      'tool.denied',
    );
    await byteEqual(done);
  });

  it('outlives a restart, and ends what a crash left behind', async () => {
    const session = (await client().session()).id;
    const { id } = await submit('a2a:shop', 'go', session);
    await client().until(id, 'WORKING');
    // As when the process is killed between the halt and the end of what runs.
    const time = own(new Date().toISOString());
    const haltId = own('halt_01KAHG6QJC3G0Z2K4N6Q8S0V2X');
    await gateway.log.transact({ actor: own('op') }, (tx) => {
      const envelope = {
        id: haltId,
        object: 'halt' as const,
        created_at: time,
        updated_at: time,
        metadata: {},
      };
      const halted = {
        ...envelope,
        route: own('a2a:shop'),
        tool: null,
        reason: own('It burns.'),
        created_by: own('op'),
      };
      const payload = { halt: { ...halted, released_at: null, released_by: null, release_reason: null } };
      const pointer = { object: 'halt', id: haltId };
      tx.append(
        newEvent('vendor.harn_gateway.halt_created', pointer, { tenant_id: own('tenant_default') }, payload),
      );
    });
    await gateway.close();
    await start();
    expect(await client().get<Task>(`/v1/tasks/${id}`)).toMatchObject({
      status: 'FAILED',
      failure: { message: expect.stringContaining('It burns.'), details: { halt_id: haltId } },
    });
    expect((await refused('a2a:shop')).status).toBe(422);
    await release(haltId);
    expect((await refused('a2a:shop')).status).toBeLessThan(300);
  });

  it('is for operators, and names the field of a faulty request', async () => {
    const body = { route: 'a2a:shop', reason: 'x' };
    expect((await gateway.clients['user']?.call('POST', '/v1/admin/halts', { body }))?.status).toBe(403);
    const faulty = async (given: object) => {
      const { status, body: said } = await client().call('POST', '/v1/admin/halts', { body: given });
      return [status, (said['error'] as Record<string, unknown>)['param']];
    };
    expect(await faulty({ route: 'a2a:shop' })).toEqual([400, 'reason']);
    expect(await faulty({ route: 'a2a:shop', reason: ' ' })).toEqual([400, 'reason']);
    expect(await faulty({ route: 'a2a:nobody', reason: 'x' })).toEqual([404, 'route']);
    expect(await faulty({ route: 'skill:files__read', tool: 'write', reason: 'x' })).toEqual([400, 'tool']);
    expect((await client().call('POST', '/v1/admin/halts/halt_none/release')).status).toBe(404);
    expect((await client().get<{ data: Halt[] }>('/v1/admin/halts')).data).toEqual([]);
  });

  it('is placed, listed and released on the command line', async () => {
    const run = (...words: string[]) =>
      runCommand(['halt', ...words, '--url', gateway.url, '--key', client().key]);
    const made = await run('create', 'a2a:shop', '--reason', 'It orders in a loop.', '--json');
    expect(made.code).toBe(0);
    const { id } = JSON.parse(made.out) as Placed;
    const listed = await run('list');
    expect(listed.out).toContain(id);
    expect(listed.out).toContain('It orders in a loop.');
    const task = ['task', 'go', '--route', 'a2a:shop', '--url', gateway.url, '--key', client().key];
    const refused = await runCommand(task);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('It orders in a loop.');
    expect(refused.err).not.toContain('names no route');
    expect((await run('release', id, '--reason', 'Mended.')).out).toContain('released');
    expect((await run('list')).out).toBe('');
    expect((await run('list', '--all')).out).toContain(id);
    expect((await run('create', 'a2a:nobody', '--reason', 'x')).code).toBe(1);
  });
});
