import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { acpAgentCommand } from '../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { ScriptedAcpAgent } from '../harness/peers/scripted-acp-agent.ts';

const TOKEN = 'canary words of the token';
const NEWER = 'canary words that came later';
const OTHER = 'canary words of another input';
const SPEC = { kind: 'secret', lifetime: { kind: 'session' }, usage: { kind: 'session_tools' } };

interface Command {
  kind: string;
  snapshot?: { sourceId: string; revision: number; inputs: { spec: { name: string }; value: string }[] };
}
const commandIn = (params: JsonObject) => params['command'] as unknown as Command;

let gateway: TestGateway;

const inputs = (sessionId: string, body: object) =>
  gateway.client.call('POST', `/v1/sessions/${sessionId}/inputs`, { body });
const put = (sessionId: string, name: string, value: string, more: object = {}) =>
  inputs(sessionId, { kind: 'put', spec: { name, ...more }, value, replace: true });
const notes = async (sessionId: string) =>
  (await gateway.client.events(`/v1/sessions/${sessionId}/events`)).filter(({ payload }) =>
    String(payload['note']).startsWith('session_inputs_'),
  );

describe('an ACP agent that is told inputs of its session by session/inputs', () => {
  let agent: ScriptedAcpAgent;
  /** What the agent holds, by its sessions, as one that speaks Harn does. */
  let held: Map<string, { revision: number; values: Record<string, string> }>;
  let opened: number;

  beforeEach(async () => {
    held = new Map();
    opened = 0;
    const opens = (): JsonValue => {
      opened += 1;
      return { sessionId: `s-${opened}` };
    };
    agent = await ScriptedAcpAgent.start(
      { loadSession: true },
      {
        'session/new': opens,
        'session/load': () => ({}),
        'session/prompt': () => ({ stopReason: 'end_turn' }),
        'session/inputs': (params) => {
          const { snapshot } = commandIn(params);
          const id = String(params['sessionId']);
          const before = held.get(id) ?? { revision: -1, values: {} };
          if (snapshot === undefined) return { inputs: [] };
          if (snapshot.revision <= before.revision) throw new Error('stale');
          const values = Object.fromEntries(snapshot.inputs.map(({ spec, value }) => [spec.name, value]));
          held.set(id, { revision: snapshot.revision, values });
          return { applied: true, inputs: [] };
        },
      },
    );
  });
  afterEach(async () => {
    await gateway.close();
    await agent.close();
  });

  async function open(names: string[] | undefined) {
    const row = { id: 'peer', url: agent.url, ...(names === undefined ? {} : { inputs: { names } }) };
    gateway = await startTestGateway({ config: { upstreams: { acp: [row] } } });
  }
  const values = (id = 's-1') => held.get(id)?.values;
  async function prompt(sessionId: string) {
    const task = await gateway.client.submit('work', sessionId, { route: 'acp:peer' });
    await gateway.client.until(task.id, 'COMPLETED');
  }
  const told = () => agent.heard.filter(({ method }) => method === 'session/inputs');

  it('has those that its route names before its first prompt, and what changes at once', async () => {
    await open(['TOKEN', 'TARGET']);
    const { id } = await gateway.client.session();
    expect((await put(id, 'TOKEN', TOKEN)).body).toMatchObject({
      delivery: { taken_by: [{ name: 'TOKEN', routes: ['acp:peer'] }], told: [] },
    });
    await put(id, 'OTHER', OTHER);
    await prompt(id);
    expect(agent.methods()).toEqual([
      'initialize',
      'session/new',
      'session/inputs',
      'session/inputs',
      'session/prompt',
    ]);
    // Nobody gets a value before it has shown that it knows the method.
    expect(told()[0]?.params).toEqual({ sessionId: 's-1', command: { kind: 'list' } });
    const { snapshot } = commandIn(told()[1]?.params ?? {});
    expect(snapshot).toMatchObject({
      sourceId: 'harn-gateway',
      inputs: [{ spec: { name: 'TOKEN', ...SPEC }, value: TOKEN }],
      redactions: [],
    });
    await prompt(id);
    expect(told()).toHaveLength(2);
    expect((await put(id, 'TOKEN', NEWER)).body).toMatchObject({ delivery: { told: ['acp:peer'] } });
    expect(values()).toEqual({ TOKEN: NEWER });
    await put(id, 'TARGET', 'staging', { kind: 'variable' });
    expect(values()).toEqual({ TOKEN: NEWER, TARGET: 'staging' });
    await inputs(id, { kind: 'remove', name: 'TOKEN' });
    expect(values()).toEqual({ TARGET: 'staging' });
    expect((await notes(id)).map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ note: 'session_inputs_taken', details: { names: ['TOKEN'] } }),
    ]);
    await gateway.client.post(`/v1/sessions/${id}/close`);
    await expect.poll(() => values()).toEqual({});
    expect(JSON.stringify(held)).not.toContain(OTHER);
  });

  it('is told while its prompt runs, and gets nothing of another session', async () => {
    await open(['*']);
    delete agent.answers['session/prompt'];
    const { id } = await gateway.client.session();
    const other = await gateway.client.session();
    await put(other.id, 'OTHER', OTHER);
    const task = await gateway.client.submit('work', id, { route: 'acp:peer' });
    const running = await agent.next('session/prompt');
    await put(id, 'TOKEN', TOKEN);
    expect(values()).toEqual({ TOKEN });
    agent.say('s-1', `I hold ${TOKEN} and base64 ${Buffer.from(TOKEN).toString('base64')}.`);
    agent.answer(running, { stopReason: 'end_turn' });
    await gateway.client.until(task.id, 'COMPLETED');
    expect([...held.keys()]).toEqual(['s-1']);
    const texts = [
      gateway.logText(),
      (await gateway.client.call('GET', `/v1/sessions/${id}/events?limit=200`)).text,
      (await gateway.client.call('GET', `/v1/tasks/${task.id}/materials`)).text,
      (await gateway.client.call('GET', '/v1/receipts?limit=200')).text,
    ];
    for (const text of texts) {
      expect(text).not.toContain(TOKEN);
      expect(text).not.toContain(Buffer.from(TOKEN).toString('base64'));
    }
    expect(texts.join()).toContain('I hold <redacted:known_secret:');
  });

  it('is told again when it was started again, and when it outlived the gateway they are taken from it', async () => {
    const data = mkdtempSync(join(tmpdir(), 'harn-acp-inputs-'));
    const config = { upstreams: { acp: [{ id: 'peer', url: agent.url, inputs: { names: ['*'] } }] } };
    gateway = await startTestGateway({ data, config });
    const { id } = await gateway.client.session();
    await put(id, 'TOKEN', TOKEN);
    await prompt(id);
    held.clear();
    agent.die();
    await prompt(id);
    expect(agent.methods().filter((method) => method === 'session/load')).toHaveLength(1);
    expect(values()).toEqual({ TOKEN });
    await gateway.close();
    gateway = await startTestGateway({ data, config });
    expect(values()).toEqual({ TOKEN });
    await prompt(id);
    expect(values()).toEqual({});
    await put(id, 'TOKEN', NEWER);
    expect(values()).toEqual({ TOKEN: NEWER });
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  });

  it('works without them where it does not know the method, which its user is told once', async () => {
    await open(['*']);
    delete agent.answers['session/inputs'];
    const { id } = await gateway.client.session();
    await put(id, 'TOKEN', TOKEN);
    const task = await gateway.client.submit('work', id, { route: 'acp:peer' });
    agent.refuse(await agent.next('session/inputs'), { code: -32601, message: 'Method not found' });
    await gateway.client.until(task.id, 'COMPLETED');
    await prompt(id);
    expect((await put(id, 'TOKEN', NEWER)).body).toMatchObject({ delivery: { told: [] } });
    expect(told()).toHaveLength(1);
    expect(JSON.stringify(agent.heard)).not.toContain('canary');
    expect((await notes(id)).map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ note: 'session_inputs_unknown', details: { names: ['TOKEN'] } }),
    ]);
  });

  it('works without them where it refuses them, and its reason is told without their values', async () => {
    await open(['*']);
    delete agent.answers['session/inputs'];
    const { id } = await gateway.client.session();
    await put(id, 'TOKEN', TOKEN);
    const task = await gateway.client.submit('work', id, { route: 'acp:peer' });
    agent.answer(await agent.next('session/inputs'), { inputs: [] });
    const refused = { code: -32602, message: `${TOKEN} is not for me` };
    agent.refuse(await agent.next('session/inputs'), refused);
    await gateway.client.until(task.id, 'COMPLETED');
    const [note] = await notes(id);
    expect(note?.payload).toMatchObject({
      note: 'session_inputs_refused',
      details: { names: ['TOKEN'], code: -32602, message: expect.stringContaining('is not for me') },
    });
    expect(JSON.stringify(note)).not.toContain(TOKEN);
  });

  it('is asked nothing where its route names none', async () => {
    await open(undefined);
    const { id } = await gateway.client.session();
    expect((await put(id, 'TOKEN', TOKEN)).body).toMatchObject({
      delivery: { taken_by: [{ name: 'TOKEN', routes: [] }] },
    });
    await prompt(id);
    expect(told()).toEqual([]);
  });

  it('that does not answer in time holds up nobody who puts an input', async () => {
    await open(['*']);
    const { id } = await gateway.client.session();
    await prompt(id);
    delete agent.answers['session/inputs'];
    const answer = await put(id, 'TOKEN', TOKEN);
    expect(answer).toMatchObject({ status: 200, body: { delivery: { told: [] } } });
  });
});

describe('an ACP agent with inputs of its session in its environment', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'harn-acp-env-'));
  });
  afterEach(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(...flags: string[]) {
    const command = acpAgentCommand('--exclusive', ...flags);
    const row = { id: 'peer', command, inputs: { env: { AGENT_TOKEN: 'TOKEN' } } };
    gateway = await startTestGateway({ config: { upstreams: { acp: [row] } } });
  }
  async function said(sessionId: string, words: string): Promise<string> {
    const task = await gateway.client.submit(words, sessionId, { route: 'acp:peer' });
    await gateway.client.until(task.id, 'COMPLETED');
    const { data } = await gateway.client.get<{ data: { role: string; parts: { text?: string }[] }[] }>(
      `/v1/sessions/${sessionId}/messages?limit=200`,
    );
    return data.findLast(({ role }) => role === 'agent')?.parts[0]?.text ?? '';
  }

  it('runs for that session alone, and with the values that it has now', async () => {
    await open('--sessions', folder);
    const shared = await gateway.client.session();
    const first = await gateway.client.session();
    const second = await gateway.client.session();
    await put(first.id, 'TOKEN', TOKEN);
    // What is hidden in the answer is a proof that it was there: of a variable the words stay.
    await put(second.id, 'TOKEN', 'of the second', { kind: 'variable' });
    expect(await said(shared.id, 'env AGENT_TOKEN')).toBe('undefined');
    expect(await said(first.id, 'env AGENT_TOKEN')).toMatch(/^<redacted:known_secret:\d+>$/);
    expect(await said(second.id, 'env AGENT_TOKEN')).toBe('of the second');
    const pids = [await said(shared.id, 'pid'), await said(first.id, 'pid'), await said(second.id, 'pid')];
    expect(new Set(pids).size).toBe(3);
    await put(second.id, 'TOKEN', 'put anew', { kind: 'variable' });
    await expect.poll(() => isRunning(Number(pids[2]))).toBe(false);
    expect(await said(second.id, 'env AGENT_TOKEN')).toBe('put anew');
    expect(await said(second.id, 'history')).toBe('I know 3 turns');
    await inputs(second.id, { kind: 'remove', name: 'TOKEN' });
    expect(await said(second.id, 'env AGENT_TOKEN')).toBe('undefined');
    expect(await said(second.id, 'pid')).toBe(pids[0]);
    expect(isRunning(Number(pids[1]))).toBe(true);
    await gateway.client.post(`/v1/sessions/${first.id}/close`);
    await expect.poll(() => isRunning(Number(pids[1]))).toBe(false);
    expect(gateway.logText()).not.toContain(TOKEN);
  });

  it('that takes up no session again goes on with what it was started with, and its user is told once', async () => {
    await open();
    const { id } = await gateway.client.session();
    expect(await said(id, 'env AGENT_TOKEN')).toBe('undefined');
    await put(id, 'TOKEN', TOKEN);
    expect(await said(id, 'env AGENT_TOKEN')).toBe('undefined');
    await said(id, 'history');
    expect((await notes(id)).map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ note: 'session_inputs_later', details: { names: ['AGENT_TOKEN'] } }),
    ]);
  });

  it('gets none that is for websites', async () => {
    await open('--sessions', folder);
    const { id } = await gateway.client.session();
    await put(id, 'TOKEN', TOKEN, { usage: { kind: 'websites', origins: ['https://a.test'] } });
    expect(await said(id, 'env AGENT_TOKEN')).toBe('undefined');
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
