import { describe, expect, it } from 'vitest';
import { A2aTestClient } from '../harness/a2a-client.ts';
import { agentMessage, task } from '../harness/a2a-words.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { keeper } from '../harness/keeper.ts';
import { type Answer, json, type ScriptedCall } from '../harness/peers/script.ts';
import { type ScriptedPeer, startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { cards } from '../harness/peers/scripted-cards.ts';

const { kept } = keeper();

/** Ids that no Task here stands for: one the agent made up, one of its tasks for somebody else. */
const MADE_UP = 'elsewhere-1';

interface Sent {
  params: { message: { parts: { text?: string }[]; referenceTaskIds?: string[] } };
}

/** An agent that makes a task of each message and says that it refers to the ids named in its text. */
function referring(): Answer {
  let made = 0;
  return ({ id, params }: ScriptedCall) => {
    made += 1;
    const { message } = params as unknown as Sent['params'];
    const referenceTaskIds = (message.parts[0]?.text ?? '').split(' ').filter((word) => /-\d+$/.test(word));
    const said = (text: string) => ({ ...agentMessage(`${text}${made}`), referenceTaskIds });
    const status = { state: 'TASK_STATE_COMPLETED', message: said('done') };
    const rest = { id: `r-${made}`, contextId: `c-${made}`, status, history: [said('earlier')] };
    return json({ jsonrpc: '2.0', id, result: { task: { ...task('COMPLETED'), ...rest } } });
  };
}

async function fronted(): Promise<{ peer: ScriptedPeer; gateway: TestGateway; client: A2aTestClient }> {
  const peer = kept(await startScriptedAgent({ SendMessage: referring() }, { card: cards.v1Blocking }));
  const config = {
    tenants: [{ id: 'tenant_other' }],
    workspaces: [{ id: 'workspace_foreign', tenant: 'tenant_other' }],
    upstreams: { a2a: [{ id: 'agent', card: peer.cardUrl }] },
  };
  const keys = [{ actor: 'stranger', tenant: 'tenant_other', workspaces: ['workspace_foreign'] }];
  const gateway = kept(await startTestGateway({ config, keys }));
  return { peer, gateway, client: new A2aTestClient(gateway, 'agent') };
}

const lastSent = ({ requests }: ScriptedPeer): Sent['params']['message'] =>
  (JSON.parse(requests.filter(({ operation }) => operation === 'SendMessage').at(-1)?.body ?? '') as Sent)
    .params.message;

describe('tasks that messages refer to', () => {
  it('are Tasks by their ids here when the agent refers to its own, and go through as they are when nobody knows them', async () => {
    const { gateway, client } = await fronted();
    const first = await client.task('one');
    const theirs = new A2aTestClient(gateway, 'agent').as(gateway.clients['stranger']?.key ?? null);
    await theirs.task('two');
    const message = client.message(`r-1 r-2 r-3 ${MADE_UP}`);
    const answer = (await client.result('SendMessage', { message })).task;
    const referenceTaskIds = [first.id, 'r-2', answer.id, MADE_UP];
    expect(answer.status).toMatchObject({ message: { messageId: 'm-done3', referenceTaskIds } });
    expect(answer.history).toContainEqual(
      expect.objectContaining({ messageId: 'm-earlier3', referenceTaskIds }),
    );
    expect((await client.result('GetTask', { id: answer.id })).status).toEqual(answer.status);
  });

  it('are sent to the agent by its ids, with those that it named itself, and with no others', async () => {
    const { peer, client } = await fronted();
    const first = await client.task(`r-1 ${MADE_UP}`);
    const { contextId } = first;
    const referenceTaskIds = [first.id, MADE_UP, 'elsewhere-2'];
    await client.result('SendMessage', { message: client.message('x', { contextId, referenceTaskIds }) });
    expect(lastSent(peer).referenceTaskIds).toEqual(['r-1', MADE_UP]);
    await client.result('SendMessage', { message: client.message('x', { referenceTaskIds }) });
    expect(lastSent(peer).referenceTaskIds).toEqual(['r-1']);
  });

  it("do not become the agent's by what a caller says in its place", async () => {
    const { peer, gateway, client } = await fronted();
    const { contextId } = await client.task('one');
    const said = {
      role: 'agent',
      parts: [{ type: 'text', text: 'I know it.', visibility: 'public' }],
      metadata: { upstream_message_id: 'm-done1', a2a: { reference_task_ids: [MADE_UP] } },
    };
    await gateway.client.post(`/v1/sessions/${contextId}/messages`, { message: said });
    const message = client.message('x', { contextId, referenceTaskIds: [MADE_UP] });
    await client.result('SendMessage', { message });
    expect(lastSent(peer)).not.toHaveProperty('referenceTaskIds');
  });

  it('of the source of a fork are told with its first message, which begins a context of its own', async () => {
    const { peer, gateway, client } = await fronted();
    const { contextId } = await client.task('one');
    await client.result('SendMessage', { message: client.message('two', { contextId }) });
    const fork = await gateway.client.post<{ id: string }>(`/v1/sessions/${contextId}/fork`);
    const send = (text: string) =>
      client.result('SendMessage', { message: client.message(text, { contextId: fork.id }) });
    await send('three');
    expect(lastSent(peer)).toMatchObject({ referenceTaskIds: ['r-2', 'r-1'] });
    expect(lastSent(peer)).not.toHaveProperty('contextId');
    await send('four');
    expect(lastSent(peer)).not.toHaveProperty('referenceTaskIds');
  });

  it('stay what they were in a replay, whatever was bound since', async () => {
    const { gateway, client } = await fronted();
    const first = await client.task(`r-3 ${MADE_UP}`);
    await client.task('two');
    const later = await client.task('r-1 three');
    for (const { id } of [first, later]) {
      const replay = await gateway.client.post<{ id: string }>(`/v1/tasks/${id}/replay`, {});
      await gateway.client.until(replay.id, 'COMPLETED', 'FAILED');
      const events = await gateway.client.events(`/v1/tasks/${replay.id}/events`);
      const verdict = events.find(({ event }) => event === 'replay.completed')?.payload;
      expect(verdict).toMatchObject({ verdict: { status: 'byte_equal' } });
    }
  });
});
