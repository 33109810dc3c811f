import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { A2aTestClient, collect, type Json } from '../harness/a2a-client.ts';
import { AskingClient } from '../harness/asking-client.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../harness/gateway.ts';
import { keeper } from '../harness/keeper.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';

const { kept, closeNow, keptFolder } = keeper();

async function gatewayOf(
  card: string,
  options: TestGatewayOptions = {},
  auth?: object,
): Promise<TestGateway> {
  const gateway = kept(
    await startTestGateway({
      config: { upstreams: { a2a: [{ id: 'agent', card, ...(auth && { auth }) }] } },
      ...options,
    }),
  );
  for (;;) {
    const answer = await fetch(`${gateway.url}/a2a/agent/.well-known/agent-card.json`);
    if (((await answer.json()) as { skills: unknown[] }).skills.length > 0) return gateway;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A credential that the outer gateway reads from a file. */
function secret(value: string): object {
  const dir = keptFolder();
  writeFileSync(join(dir, 'key'), value);
  return { type: 'bearer', value: { file: join(dir, 'key') } };
}

const TEXTS = ['one two', 'stream 3', 'file', 'hello', 'ask', 'refuse', 'fail', 'slow 0.02'];

const STREAMED = ['stream 4', 'slow 0.02', 'file', 'hello', 'ask', 'refuse'];

/** What a client may rely on: everything but the ids of task and context, and times. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const dropped = ['id', 'taskId', 'contextId', 'timestamp'];
  const entries = Object.entries(value).filter(([name]) => !dropped.includes(name));
  return Object.fromEntries(entries.map(([name, member]) => [name, comparable(member)]));
}

describe('a gateway in front of a gateway', () => {
  it('changes nothing: message ids, order, artifacts, states and words', async () => {
    const agent = kept(await startSampleAgent());
    const inner = await gatewayOf(agent.cardUrl);
    const auth = secret(inner.client.key);
    const card = `${inner.url}/a2a/agent/.well-known/agent-card.json`;
    const outer = await gatewayOf(card, {}, auth);
    const [near, far] = [new A2aTestClient(inner, 'agent'), new A2aTestClient(outer, 'agent')];
    for (const text of TEXTS) {
      const message = { messageId: `same-${text}`, role: 'ROLE_USER', parts: [{ text }] };
      const [one, two] = [
        await near.rpc('SendMessage', { message }),
        await far.rpc('SendMessage', { message }),
      ];
      const ids = (answer: unknown) => JSON.stringify(answer).replace(/agent-message-\d+/g, 'agent-message');
      expect(JSON.parse(ids(comparable(two.body))), text).toEqual(JSON.parse(ids(comparable(one.body))));
    }
    const told = async (client: A2aTestClient, text: string) => {
      const message = { messageId: `told-${text}`, role: 'ROLE_USER', parts: [{ text }] };
      const events = await collect(client.stream('SendStreamingMessage', { message }));
      const results = JSON.stringify(events.map(({ data }) => data.result));
      return comparable(JSON.parse(results.replace(/agent-message-\d+/g, 'agent-message')));
    };
    for (const text of STREAMED) expect(await told(far, text), text).toEqual(await told(near, text));
    const innerIds = (await near.result('ListTasks', { pageSize: 100 })).tasks.map(({ id }) => id);
    expect(innerIds).toHaveLength(2 * TEXTS.length + 2 * STREAMED.length);
  });

  it('passes on what an agent refuses, under its own error', async () => {
    const agent = kept(await startSampleAgent());
    const inner = await gatewayOf(agent.cardUrl);
    const auth = secret('harn_wrong_key');
    const card = `${inner.url}/a2a/agent/.well-known/agent-card.json`;
    const outer = await gatewayOf(card, {}, auth);
    const { body, status } = await new A2aTestClient(outer, 'agent').rpc('SendMessage', {
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] },
    });
    // A credential that the agent refuses is for a person to mend, and never our caller's 401.
    expect(status).toBe(200);
    expect(body.result?.task.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
  });
});

describe('an agent that is no A2A agent', () => {
  const asking = async () => {
    const gateway = kept(await startTestGateway({ extraClients: [new AskingClient()] }));
    return new A2aTestClient(gateway, 'asking');
  };
  const statusOf = ({ task }: Json) => task.status as { state: string; message?: { parts: Json[] } };

  it('asks for permission as AUTH_REQUIRED, and an A2A client decides by option, by word or not at all', async () => {
    const client = await asking();
    const sent = await client.result('SendMessage', { message: client.message('tool') });
    expect(statusOf(sent)).toMatchObject({
      state: 'TASK_STATE_AUTH_REQUIRED',
      message: {
        role: 'ROLE_AGENT',
        parts: [
          { text: 'May I run delete_file?' },
          {
            data: {
              kind: 'tool',
              options: [{ option_id: 'always' }, { option_id: 'once' }, { option_id: 'never' }],
            },
          },
        ],
      },
    });
    const taskId = sent.task.id;
    const vague = await client.rpc('SendMessage', { message: client.message('well, maybe', { taskId }) });
    expect(vague.body.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('always, once, never'),
    });
    const parts = [{ data: { option_id: 'once' } }];
    const done = await client.result('SendMessage', { message: client.message('', { taskId, parts }) });
    expect(statusOf(done)).toMatchObject({
      state: 'TASK_STATE_COMPLETED',
      message: { parts: [{ text: 'true:once' }] },
    });
    const again = await client.result('SendMessage', { message: client.message('tool') });
    const refused = await client.result('SendMessage', {
      message: client.message('no', { taskId: again.task.id }),
    });
    expect(statusOf(refused)).toMatchObject({ message: { parts: [{ text: 'false:never' }] } });
  });

  it('asks a question as INPUT_REQUIRED, and the answer reaches its running turn', async () => {
    const client = await asking();
    const sent = await client.result('SendMessage', { message: client.message('form') });
    expect(statusOf(sent)).toMatchObject({
      state: 'TASK_STATE_INPUT_REQUIRED',
      message: { parts: [{ text: 'Which colour?' }, {}] },
    });
    const message = client.message('green', { taskId: sent.task.id });
    expect(statusOf(await client.result('SendMessage', { message })).state).toBe('TASK_STATE_COMPLETED');
  });

  it('is a persona where one is in front of it', async () => {
    const gateway = kept(await startTestGateway({ extraClients: [new AskingClient()] }));
    const definition = {
      name: 'Clerk',
      version: '1',
      entry_workflow: 'fake:asking',
      description: 'Asks first.',
    };
    const body = { ...definition, autonomy_tier: 'act_auto', receipt_policy: 'optional', owner: null };
    const rest = { model_policy: {}, rollout_policy: {}, quota_id: null };
    const { id } = await gateway.client.post<{ id: string }>('/v1/personas', { ...body, ...rest });
    const client = new A2aTestClient(gateway, id);
    const sent = await client.result('SendMessage', { message: client.message('form') });
    expect(statusOf(sent).state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect((await client.result('ListTasks', {})).tasks).toHaveLength(1);
    const other = new A2aTestClient(gateway, 'asking');
    expect((await other.result('GetTask', { id: sent.task.id })).id).toBe(sent.task.id);
  });
});

describe('when things break', () => {
  it('an agent that is down still has its card, and its tasks fail with a type', async () => {
    const gateway = kept(
      await startTestGateway({
        config: { upstreams: { a2a: [{ id: 'agent', card: 'http://127.0.0.1:9/card' }] } },
      }),
    );
    expect((await fetch(`${gateway.url}/a2a/agent/.well-known/agent-card.json`)).status).toBe(200);
    const client = new A2aTestClient(gateway, 'agent');
    const { task } = await client.result('SendMessage', { message: client.message('x') });
    expect(task.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: {
        metadata: { 'https://harnlang.com/a2a/ext/harn/v1': { failure: { code: 'upstream_unavailable' } } },
      },
    });
  });

  it('tasks, contexts and streams survive a restart', async () => {
    const agent = kept(await startSampleAgent());
    const data = keptFolder();
    const first = await gatewayOf(agent.cardUrl, { data });
    const before = new A2aTestClient(first, 'agent');
    const message = before.message('ask', { contextId: 'mine' });
    const { task } = await before.result('SendMessage', { message });
    await closeNow(first);
    const second = await gatewayOf(agent.cardUrl, { data });
    const after = new A2aTestClient(second, 'agent');
    expect(await after.result('GetTask', { id: task.id })).toEqual(task);
    const answer = after.message('green', { taskId: task.id, contextId: 'mine' });
    const events = await collect(after.stream('SendStreamingMessage', { message: answer }));
    expect(events.at(-1)?.data.result).toMatchObject({
      statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } },
    });
    expect((await after.result('ListTasks', { contextId: 'mine' })).tasks).toHaveLength(1);
  });

  it('a shutdown answers those who wait with the task as it is', async () => {
    const agent = kept(await startSampleAgent());
    const gateway = await gatewayOf(agent.cardUrl);
    const client = new A2aTestClient(gateway, 'agent');
    const waiting = client.result('SendMessage', { message: client.message('slow 600') });
    await expect.poll(async () => (await client.result('ListTasks', {})).tasks.length).toBe(1);
    const closed = closeNow(gateway);
    expect((await waiting).task.status.state).toBe('TASK_STATE_WORKING');
    await closed;
  });
});
