import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { A2aTestClient } from '../harness/a2a-client.ts';
import { AcpClient } from '../harness/acp-client.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { WsTestClient } from '../harness/ws-client.ts';
import type { Story } from './same-story.ts';

/** Tells a story of one or two turns through a face; returns the id of its Task once that is over. */
export type Tell = (gateway: TestGateway, story: Story) => Promise<string>;

/** The text answers the Task as a message, or the form it asks with. */
export const BY_MESSAGE: Readonly<Record<string, Tell>> = {
  REST: rest,
  WebSocket: webSocket,
  A2A: a2a,
  ACP: (gateway, story) => acp(gateway, story, false),
};
export const BY_FORM: Readonly<Record<string, Tell>> = {
  REST: restWithForm,
  ACP: (gateway, story) => acp(gateway, story, true),
  MCP: mcp,
};

const OVER = ['COMPLETED', 'FAILED', 'CANCELED'] as const;

async function rest({ client }: TestGateway, { turns: [first = '', answer], isCanceled }: Story) {
  const { id } = await client.submit(first, (await client.session()).id);
  if (answer !== undefined) {
    await client.until(id, 'INPUT_REQUIRED');
    await client.answer(id, answer);
  }
  if (isCanceled) {
    await client.until(id, 'WORKING');
    await client.post(`/v1/tasks/${id}/cancel`);
  }
  await client.until(id, ...OVER);
  return id;
}

async function restWithForm({ client }: TestGateway, { turns: [first = '', answer = ''] }: Story) {
  const { id } = await client.submit(first, (await client.session()).id);
  await client.until(id, 'INPUT_REQUIRED');
  const { data } = await client.get<{ data: { id: string }[] }>(`/v1/tasks/${id}/permission-requests`);
  await client.post(`/v1/permission-requests/${data[0]?.id}/respond`, { outcome: 'approved', answer });
  await client.until(id, ...OVER);
  return id;
}

/** A Task is submitted over REST: frames carry what is said to one. */
async function webSocket(gateway: TestGateway, { turns: [first = '', answer], isCanceled }: Story) {
  const { client, url } = gateway;
  const socket = await WsTestClient.open(url, '/v1/ws', { key: client.key });
  const { id } = await client.submit(first, (await client.session()).id);
  await socket.ask({ type: 'subscribe', id: 's', stream: 'task', task_id: id });
  if (answer !== undefined) {
    await socket.until(({ type }) => type === 'request');
    const parts = [{ type: 'text', text: answer, visibility: 'public' }];
    await socket.ask({ type: 'respond', id: 'r', task_id: id, message: { role: 'user', parts } });
  }
  if (isCanceled) {
    await socket.until(({ event }) => event?.event === 'task.started');
    await socket.ask({ type: 'cancel', id: 'c', task_id: id });
  }
  await socket.until(({ type }) => type === 'end');
  socket.socket.close();
  return id;
}

async function a2a(gateway: TestGateway, { turns: [first = '', answer], isCanceled }: Story) {
  const client = new A2aTestClient(gateway, undefined);
  const configuration = { returnImmediately: true };
  const { task } = await client.result('SendMessage', { message: client.message(first), configuration });
  if (answer !== undefined) {
    await gateway.client.until(task.id, 'INPUT_REQUIRED');
    await client.result('SendMessage', { message: client.message(answer, { taskId: task.id }) });
  }
  if (isCanceled) {
    await gateway.client.until(task.id, 'WORKING');
    await client.result('CancelTask', { id: task.id });
  }
  await gateway.client.until(task.id, ...OVER);
  return task.id;
}

async function acp(
  { url, client: { key } }: TestGateway,
  { turns: [first = '', answer], isCanceled }: Story,
  hasForms: boolean,
) {
  const capabilities = hasForms ? { elicitation: { form: {} } } : {};
  const elicit = async () => ({ action: 'accept' as const, content: { answer: answer ?? '' } });
  const client = await AcpClient.overSocket(url, key, { capabilities, elicit });
  const { sessionId } = await client.session();
  const prompt = client.prompt(sessionId, first).catch(({ data }: { data: unknown }) => ({ _meta: data }));
  if (isCanceled) {
    await client.until(() => client.text() !== '');
    await client.cancel(sessionId);
  }
  let told = await prompt;
  if (answer !== undefined && !hasForms) told = await client.prompt(sessionId, answer);
  client.close();
  return (told._meta as { harn: { taskId: string } }).harn.taskId;
}

async function mcp({ url, client: { key } }: TestGateway, { turns: [message = '', answer = ''] }: Story) {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { answer } }));
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
  await client.connect(transport as unknown as Transport);
  const { structuredContent } = await client.callTool({ name: 'ask_sample', arguments: { message } });
  await client.close();
  return (structuredContent as { task_id: string }).task_id;
}
