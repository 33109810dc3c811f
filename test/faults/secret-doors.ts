import type { TestAnswer, TestClient } from '../harness/client.ts';
import { WsTestClient } from '../harness/ws-client.ts';

/** What is put through the doors: one text with every secret, the secrets one by one, and the key of the caller. */
export interface Planted {
  told: string;
  all: readonly string[];
  key: string;
}

/** A way in that takes words of a caller. What it answers does not matter: it must not hold a secret. */
type Door = (client: TestClient, planted: Planted) => Promise<unknown>;

const post = (client: TestClient, path: string, body: unknown) => client.call('POST', path, { body });
const words = (text: string) => ({ role: 'user', parts: [{ type: 'text', text, visibility: 'public' }] });

/** A Task of the talkative agent, which asks for input. */
async function asking(client: TestClient): Promise<{ task: string; request: string }> {
  const task = await client.submit('ask', undefined, { route: 'a2a:agent-0' });
  await client.until(task.id, 'INPUT_REQUIRED');
  const { data } = await client.get<{ data: { id: string }[] }>(`/v1/tasks/${task.id}/permission-requests`);
  return { task: task.id, request: data[0]?.id ?? '' };
}

/** Ways in besides those of Sessions, Messages and Tasks, by the name of the member that a caller writes. */
export const DOORS: Readonly<Record<string, Door>> = {
  'answer of a permission request': async (client, { told }) => {
    const { request } = await asking(client);
    const body = {
      answer: { note: told },
      reason: told,
      reviewer: told.slice(0, 190),
      metadata: { note: told },
    };
    return post(client, `/v1/permission-requests/${request}/respond`, body);
  },
  'reason of a denial': async (client, { told }) => {
    const { request } = await asking(client);
    const body = { approved: false, reason: told.slice(0, 1_900) };
    return post(client, `/v1/permission-requests/${request}/respond`, body);
  },
  'reviewer of an approval': async (client, { all }) => {
    for (const secret of all.slice(0, 8)) {
      const { request } = await asking(client);
      await post(client, `/v1/permission-requests/${request}/respond`, {
        answer: 'yes',
        reviewer: secret.slice(0, 200),
      });
    }
  },
  'tool confirmation': async (client, { told }) => {
    const { task } = await asking(client);
    const parts = [{ type: 'json', value: { approved: true, reason: told }, visibility: 'public' }];
    return post(client, `/v1/tasks/${task}/messages`, {
      kind: 'tool_confirmation',
      message: { role: 'user', parts },
    });
  },
  'content of a Memory': (client, { told }) =>
    post(client, '/v1/memories', {
      scope: 'workspace',
      owner_id: 'workspace_default',
      content: told,
      provenance: { source: told },
      metadata: { note: told },
    }),
  'description of a Persona': (client, { told }) =>
    post(client, '/v1/personas', {
      name: 'Clerk',
      version: '1',
      entry_workflow: 'a2a:agent-0',
      description: told.slice(0, 3_900),
      autonomy_tier: 'act_auto',
      receipt_policy: 'required',
      model_policy: { note: told },
      metadata: { note: told },
    }),
  'metadata of a Vault': (client, { told }) =>
    post(client, '/v1/vaults', { provider: 'any', capabilities: [], metadata: { note: told } }),
  'metadata of an API key': (client, { told }) =>
    post(client, '/v1/admin/api-keys', {
      name: 'clerk',
      actor: 'clerk',
      scopes: ['tasks:read'],
      workspaces: ['workspace_default'],
      metadata: { note: told },
    }),
  'reference of a Branch': async (client, { told }) => {
    const session = await client.session();
    return post(client, `/v1/sessions/${session.id}/branches`, {
      kind: 'session',
      base_ref: told.slice(0, 900),
      metadata: { note: told },
    });
  },
  'reason of a truncation': async (client, { told }) => {
    const session = await client.session();
    return post(client, `/v1/sessions/${session.id}/truncate`, { keep_first: 0, reason: told });
  },
  'URL and secrets of a push config': async (client, { told, key }) => {
    const { task } = await asking(client);
    const path = `/v1/tasks/${task}/push-configs`;
    await post(client, path, { url: `https://example.com/?token=${key}` });
    await post(client, path, { url: 'https://example.com/', token: key, secret: told.slice(0, 900) });
  },
  'value of a replay override': async (client, { told }) => {
    const { task } = await asking(client);
    await post(client, `/v1/tasks/${task}/cancel`, {});
    const overrides = { 'a2a:agent-0:1': { kind: 'tool_result', value: { note: told } } };
    return post(client, `/v1/tasks/${task}/replay`, { mode: 'with_overrides', overrides });
  },
  'frame of a WebSocket': async (client, { told }) => {
    const socket = await WsTestClient.open(client.url, '/v1/ws', { key: client.key });
    const { id } = await client.session();
    const answer = await socket.ask({
      type: 'user_message',
      id: 'one',
      session_id: id,
      message: words(told),
    });
    client.onAnswer?.('WS', '/v1/ws', { text: JSON.stringify(answer), headers: new Headers() } as TestAnswer);
    socket.socket.close();
    await socket.closed;
  },
  'message of A2A': (client, { told }) =>
    rpc(client, '/a2a', 'SendMessage', {
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: told }], metadata: { note: told } },
      configuration: { returnImmediately: true },
    }),
  'call of MCP': (client, { told }) =>
    rpc(client, '/mcp', 'tools/call', {
      name: told.slice(0, 200),
      arguments: { note: told },
      _meta: { note: told },
    }),
};

async function rpc(client: TestClient, path: string, method: string, params: object): Promise<void> {
  const headers = {
    authorization: `Bearer ${client.key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'a2a-version': '1.0',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(client.url + path, { method: 'POST', headers, body });
  const told = { text: await answer.text(), headers: answer.headers };
  client.onAnswer?.('POST', path, told as TestAnswer);
}
