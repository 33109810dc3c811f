import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';

let agent: Peer;

beforeAll(async () => {
  agent = await startSampleAgent();
});
afterAll(() => agent.close());

const SEND = {
  jsonrpc: '2.0',
  id: 7,
  method: 'SendMessage',
  params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi there' }] } },
};

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(agent.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, json: JSON.parse(await response.text()) };
}

describe('the card of the sample agent', () => {
  it('without a version is a hybrid: interfaces of 1.0 and 0.3, and the members a 0.3 client reads', async () => {
    const card = await (await fetch(agent.cardUrl)).json();
    expect(card).toMatchObject({
      supportedInterfaces: [
        { url: `${agent.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: `${agent.url}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url: `${agent.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      protocolVersion: '0.3',
      url: `${agent.url}/rpc`,
      preferredTransport: 'JSONRPC',
    });
  });

  it('documents every command word in a skill with tags and examples', async () => {
    const { skills } = (await (await fetch(agent.cardUrl)).json()) as {
      skills: { id: string; tags: string[]; examples: string[] }[];
    };
    const ids = ['echo', 'hello', 'stream', 'file', 'ask', 'login', 'slow', 'refuse', 'fail'];
    expect(skills.map((skill) => skill.id)).toEqual(ids);
    for (const skill of skills) {
      expect(skill.tags, skill.id).not.toEqual([]);
      expect(skill.examples, skill.id).not.toEqual([]);
    }
  });
});

describe('the sample agent over raw HTTP', () => {
  it('takes the RPC path with a trailing slash', async () => {
    const { json } = await post('/rpc/', SEND);
    expect(json).toMatchObject({ id: 7, result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } });
  });

  it('speaks 0.3 when no version is named', async () => {
    const message = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] };
    const old = { ...SEND, method: 'message/send', params: { message } };
    const { json } = await post('/rpc', old, { 'A2A-Version': '' });
    expect(json.result).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    const wrong = await post('/rpc', SEND, { 'A2A-Version': '' });
    expect(wrong.json.error.code).toBe(-32601);
  });

  it.each([
    ['an unknown version', SEND, { 'A2A-Version': '9.9' }, -32009],
    ['a body that is not JSON', '{', {}, -32700],
    ['a body that is no JSON-RPC request', { id: 1 }, {}, -32602],
    ['an unknown method', { ...SEND, method: 'Nope' }, {}, -32601],
    ['another content type', SEND, { 'Content-Type': 'text/plain' }, -32005],
    ['push configuration', { ...SEND, method: 'CreateTaskPushNotificationConfig' }, {}, -32003],
  ])('answers %s with its JSON-RPC error', async (_name, body, headers, code) => {
    const { status, json } = await post('/rpc', body, headers as Record<string, string>);
    expect({ status, code: json.error.code }).toEqual({ status: 200, code });
  });

  it('answers an error of a streaming method as plain JSON', async () => {
    const { json } = await post('/rpc', { ...SEND, method: 'SubscribeToTask', params: { id: 'none' } });
    expect(json).toMatchObject({ id: 7, error: { code: -32001 } });
  });

  it('answers a message to a task that is working with what the task comes to', async () => {
    const slow = { messageId: 's', role: 'ROLE_USER', parts: [{ text: 'slow 600' }] };
    const configuration = { returnImmediately: true };
    const sent = agent.requests.filter(({ operation }) => operation === 'SendMessage').length;
    const started = await post('/rpc', { ...SEND, params: { message: slow, configuration } });
    const { id } = started.json.result.task;
    const more = { ...slow, messageId: 'more', taskId: id };
    const waiting = post('/rpc', { ...SEND, params: { message: more } });
    await agent.arrived('SendMessage', sent + 2);
    const canceled = await post(`/rest/tasks/${id}:cancel`, {});
    expect(canceled.json.status.state).toBe('TASK_STATE_CANCELED');
    expect((await waiting).json.result.task).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } });
  });

  it.each([
    ['an unknown task', 'GET', '/rest/tasks/none', 404],
    ['push configuration', 'GET', '/rest/tasks/none/pushNotificationConfigs', 400],
    ['the extended card it does not have', 'GET', '/rest/extendedAgentCard', 400],
  ])('answers %s over HTTP+JSON with its status', async (_name, method, path, status) => {
    const response = await fetch(agent.url + path, { method, headers: { 'A2A-Version': '1.0' } });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code: status } });
  });

  it('lists its tasks page by page', async () => {
    const headers = { 'A2A-Version': '1.0' };
    await post('/rest/message:send', SEND.params);
    await post('/rest/message:send', SEND.params);
    const response = await fetch(`${agent.url}/rest/tasks?pageSize=1`, { headers });
    const page = (await response.json()) as { tasks: unknown[]; nextPageToken: string };
    expect(page.tasks).toHaveLength(1);
    expect(page.nextPageToken).not.toBe('');
  });

  it('goes on serving after a client left while it was sending', async () => {
    const { hostname, port } = new URL(agent.url);
    const client = connect(Number(port), hostname);
    client.write('POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    await once(client, 'connect');
    client.resetAndDestroy();
    await once(client, 'close');
    expect((await post('/rpc', SEND)).status).toBe(200);
  });

  it('knows no other routes', async () => {
    for (const path of ['/', '/rest/nothing']) expect((await fetch(agent.url + path)).status, path).toBe(404);
  });

  it('takes a message of some megabytes', async () => {
    const message = { ...SEND.params.message, parts: [{ text: 'x'.repeat(8 * 1024 * 1024) }] };
    const { json } = await post('/rpc', { ...SEND, params: { message } });
    expect(json.result.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('refuses a body over its limit with 413', async () => {
    const body = `"${'x'.repeat(16 * 1024 * 1024)}"`;
    const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0' };
    const { status } = await fetch(`${agent.url}/rpc`, { method: 'POST', headers, body });
    expect(status).toBe(413);
  });
});
