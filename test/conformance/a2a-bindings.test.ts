import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { findPackageRoot } from '#config/package-root.ts';
import { A2aTestClient, collect, type SseEvent } from '../harness/a2a-client.ts';
import { stageOf } from './stage.ts';

const run = promisify(execFile);
const stage = stageOf({
  keys: [{ actor: 'stranger', tenant: 'tenant_other', workspaces: ['workspace_foreign'] }],
  config: {
    tenants: [{ id: 'tenant_other' }],
    workspaces: [{ id: 'workspace_foreign', tenant: 'tenant_other' }],
  },
});
let a2a: A2aTestClient;
beforeAll(() => {
  a2a = new A2aTestClient(stage.gateway, 'sample');
});
const results = (events: SseEvent[]) => events.map(({ id, data }) => ({ id, result: data.result }));
const stateOf = (event: unknown) => JSON.stringify(event).match(/"state":"TASK_STATE_(\w+)"/)?.[1];

describe('streams of one task', () => {
  it('[A2A-OP-13] a subscription begins with the task as it is', async () => {
    const { id } = await a2a.task('ask');
    const stream = a2a.stream('SubscribeToTask', { id });
    const { value } = await stream.next();
    expect((value as SseEvent).data.result.task).toMatchObject({
      id,
      status: { state: 'TASK_STATE_INPUT_REQUIRED' },
    });
    await stream.return(undefined);
  });

  it('[A2A-OP-13] over HTTP+JSON too, by POST as by GET', async () => {
    const { id } = await a2a.task('ask');
    const answers = await Promise.all(
      ['POST', 'GET'].map((method) =>
        a2a.raw(method, `/tasks/${id}:subscribe`, undefined, { 'a2a-version': '1.0' }),
      ),
    );
    await a2a.result('CancelTask', { id });
    const [posted = '', got = ''] = await Promise.all(answers.map((answer) => answer.text()));
    const [first = '', last = ''] = posted.split('\n').filter((line) => line.startsWith('data: '));
    expect(JSON.parse(first.slice(6)).task).toMatchObject({
      id,
      status: { state: 'TASK_STATE_INPUT_REQUIRED' },
    });
    expect(stateOf(JSON.parse(last.slice(6)))).toBe('CANCELED');
    expect(got).toBe(posted);
  });

  it('[A2A-OP-04] several are told the same in the same order, and one that is closed closes no other', async () => {
    const { id } = await a2a.task('ask');
    const streams = [1, 2, 3].map(() => a2a.stream('SubscribeToTask', { id }));
    for (const stream of streams) expect((await stream.next()).done).toBe(false);
    await streams[0]?.return(undefined);
    await a2a.result('SendMessage', { message: a2a.message('green', { taskId: id }) });
    const [second = [], third = []] = await Promise.all(streams.slice(1).map(collect));
    expect(stateOf(second.at(-1))).toBe('COMPLETED');
    expect(results(third)).toEqual(results(second));
  });

  it('[A2A-OP-14] INPUT_REQUIRED ends a stream; AUTH_REQUIRED leaves it open, as the agent may go on by itself', async () => {
    const asked = await collect(a2a.stream('SendStreamingMessage', { message: a2a.message('ask') }));
    expect(stateOf(asked.at(-1))).toBe('INPUT_REQUIRED');
    const waiting = a2a.stream('SendStreamingMessage', { message: a2a.message('login') });
    const [first, second] = [await waiting.next(), await waiting.next()];
    const { id } = (first.value as SseEvent).data.result.task;
    expect(stateOf(second.value)).toBe('AUTH_REQUIRED');
    await a2a.result('CancelTask', { id });
    expect(stateOf((await collect(waiting)).at(-1))).toBe('CANCELED');
  });

  it('[A2A-BND-02] JSON-RPC wraps every event in an answer with the id of the request, HTTP+JSON sends it bare', async () => {
    const params = { message: a2a.message('one') };
    const wrapped = await collect(a2a.stream('SendStreamingMessage', params));
    for (const { data } of wrapped) expect(Object.keys(data).sort()).toEqual(['id', 'jsonrpc', 'result']);
    const headers = { 'content-type': 'application/a2a+json', 'a2a-version': '1.0' };
    const answer = await a2a.raw('POST', '/message:stream', JSON.stringify(params), headers);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const lines = (await answer.text()).split('\n').filter((line) => line.startsWith('data: '));
    const members = lines.map((line) => Object.keys(JSON.parse(line.slice(6))));
    expect(members[0]).toEqual(['task']);
    expect(members.every((names) => names.length === 1)).toBe(true);
  });
});

describe('messages and contexts', () => {
  it('[A2A-OP-15] a message that names its task alone is in the context of the task', async () => {
    const { id, contextId } = await a2a.task('ask');
    const message = a2a.message('green', { taskId: id });
    expect((await a2a.result('SendMessage', { message })).task).toMatchObject({ id, contextId });
  });

  it('[A2A-OP-16] ids of tasks are made by the server: a message to one that is not there makes none', async () => {
    const taskId = 'task_01M80CFB3E2J2BW07HRJJ5T9CY';
    const before = await a2a.result('ListTasks', {});
    const { body } = await a2a.rpc('SendMessage', { message: a2a.message('x', { taskId }) });
    expect(body.error?.code).toBe(-32001);
    expect((await a2a.result('ListTasks', {})).totalSize).toBe(before.totalSize);
  });

  it('[A2A-SEC-02] a list holds what its caller may see, and no context of others', async () => {
    const { contextId } = await a2a.task('one');
    const stranger = a2a.as(stage.as('stranger').key);
    for (const filter of [{}, { contextId }])
      expect(await stranger.result('ListTasks', filter)).toMatchObject({ tasks: [], totalSize: 0 });
  });
});

describe('JSON', () => {
  it('[A2A-BND-03] has names in camelCase, states and roles by name, and times in UTC with milliseconds', async () => {
    const task = await a2a.task('file');
    const names = JSON.stringify(task).match(/"\w+":/g) ?? [];
    expect(names.filter((name) => name.includes('_'))).toEqual([]);
    const status = task.status as unknown as { state: string; timestamp: string };
    expect(status.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.history[0]).toMatchObject({ role: 'ROLE_USER' });
  });

  it('[A2A-BND-04] members that nobody knows are ignored, and null and "" are the same as absent', async () => {
    const message = a2a.message('one', { future: { a: 1 }, contextId: '', taskId: null, metadata: null });
    const params = { message, tenant: '', configuration: null, tomorrow: [1] };
    expect((await a2a.result('SendMessage', params)).task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('[A2A-BND-05] HTTP+JSON is application/a2a+json both ways, and application/json is taken too', async () => {
    const body = JSON.stringify({ message: a2a.message('one') });
    for (const type of ['application/a2a+json', 'application/json; charset=utf-8']) {
      const answer = await a2a.raw('POST', '/message:send', body, {
        'content-type': type,
        'a2a-version': '1.0',
      });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/a2a+json']);
    }
  });

  it('[A2A-VER-03] the version may stand in the query, where there is no header for it', async () => {
    const listed = await a2a.raw('GET', '/tasks?A2A-Version=1.0');
    expect(listed.status).toBe(200);
    expect((await a2a.raw('GET', '/tasks?A2A-Version=1.0', undefined, { 'a2a-version': '' })).status).toBe(
      200,
    );
    expect((await a2a.raw('GET', '/tasks?A2A-Version=9.9')).status).toBe(400);
    expect((await a2a.raw('GET', '/tasks')).status).toBe(400);
  });
});

describe('errors', () => {
  // Copied by hand from A2A 1.0, 5.4 and JSON-RPC 2.0, 5.1: code over JSON-RPC, HTTP status and name over HTTP+JSON.
  const PRECONDITION = 'FAILED_PRECONDITION';
  const over = async () => (await a2a.task('one')).id;
  const rows = [
    {
      what: 'an unknown task',
      method: 'GetTask',
      id: async () => 'task_none',
      path: (id: string) => ['GET', `/tasks/${id}`],
      is: { code: -32001, http: 404, status: 'NOT_FOUND', reason: 'TASK_NOT_FOUND' },
    },
    {
      what: 'a cancel of a task that is over',
      method: 'CancelTask',
      id: over,
      path: (id: string) => ['POST', `/tasks/${id}:cancel`],
      is: { code: -32002, http: 400, status: PRECONDITION, reason: 'TASK_NOT_CANCELABLE' },
    },
    {
      what: 'a subscription to a task that is over',
      method: 'SubscribeToTask',
      id: over,
      path: (id: string) => ['POST', `/tasks/${id}:subscribe`],
      is: { code: -32004, http: 400, status: PRECONDITION, reason: 'UNSUPPORTED_OPERATION' },
    },
    {
      what: 'a history of no length',
      method: 'GetTask',
      id: over,
      extra: { historyLength: -1 },
      path: (id: string) => ['GET', `/tasks/${id}?historyLength=-1`],
      is: { code: -32602, http: 400, status: 'INVALID_ARGUMENT', reason: 'INVALID_REQUEST' },
    },
  ];

  it.each(rows)('[A2A-ERR-05] $what has its code, status and reason over both bindings', async (row) => {
    const { code, http, status, reason } = row.is;
    const id = await row.id();
    const rpc = await a2a.rpc(row.method, { id, ...row.extra });
    expect([rpc.status, rpc.body.error?.code, rpc.body.error?.data[0]?.reason]).toEqual([200, code, reason]);
    const [method = '', path = ''] = row.path(id);
    const rest = await a2a.rest(method, path);
    expect(rest.status).toBe(http);
    expect(rest.body.error).toMatchObject({ code: http, status });
    expect(rest.body.error.details[0]).toMatchObject({ reason });
  });

  it('[A2A-ERR-02] say the bound that was passed, not another fault', async () => {
    const said = async (params: object) => (await a2a.rpc('SendMessage', params)).body.error?.message;
    const long = { message: a2a.message('x', { contextId: 'x'.repeat(513) }) };
    expect(await said(long)).toBe('message.contextId: must have at most 512 characters.');
    const negative = { message: a2a.message('x'), configuration: { historyLength: -1 } };
    expect(await said(negative)).toBe('configuration.historyLength: must be at least 0.');
    expect(await said({ message: { ...a2a.message('x'), messageId: 'x'.repeat(513) } })).toBe(
      'message.messageId: must have at most 512 characters.',
    );
    const query = 'pageSize=abc&historyLength=-3&includeArtifacts=maybe&statusTimestampAfter=now&status=x';
    expect((await a2a.rest('GET', `/tasks?${query}`)).body.error).toMatchObject({
      message: [
        'status: must be a task state such as TASK_STATE_WORKING',
        'pageSize: must be a whole number',
        'historyLength: must be a whole number from 0 on',
        'statusTimestampAfter: must be an RFC 3339 time such as 2026-01-31T12:00:00Z',
        'includeArtifacts: must be true or false.',
      ].join('; '),
    });
  });
});

describe('the card', () => {
  it('[A2A-CARD-01] has every required member, names the media type, and 304 for a copy that is current', async () => {
    const answer = await a2a.raw('GET', '/.well-known/agent-card.json');
    const card = (await answer.json()) as Record<string, unknown>;
    const required = ['name', 'description', 'version', 'supportedInterfaces', 'capabilities', 'skills'];
    for (const name of [...required, 'defaultInputModes', 'defaultOutputModes'])
      expect(card[name], name).toBeDefined();
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.headers.get('cache-control')).not.toBeNull();
    const known = { 'if-none-match': answer.headers.get('etag') ?? '' };
    const again = await a2a.raw('GET', '/.well-known/agent-card.json', undefined, known);
    expect(again.status).toBe(304);
  });

  it('[A2A-CARD-02] offers what is served: each interface answers where the card says, in its version', async () => {
    const answer = await a2a.raw('GET', '/.well-known/agent-card.json');
    const { supportedInterfaces } = (await answer.json()) as {
      supportedInterfaces: { url: string; protocolBinding: string; protocolVersion: string }[];
    };
    const ours = supportedInterfaces.filter(({ protocolBinding }) => !protocolBinding.startsWith('https:'));
    expect(
      ours.map(({ protocolBinding, protocolVersion }) => `${protocolBinding} ${protocolVersion}`),
    ).toEqual(['JSONRPC 1.0', 'HTTP+JSON 1.0', 'JSONRPC 0.3', 'HTTP+JSON 0.3']);
    expect(new Set(ours.map(({ url }) => url))).toEqual(new Set([a2a.url]));
  });

  it('is found by the client of the README, which sends a message with its key', async () => {
    const root = findPackageRoot(import.meta.url);
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const [, snippet = ''] = /```ts\n(.*?)```/s.exec(readme) ?? [];
    const code = [
      snippet.replace('http://127.0.0.1:8080', stage.gateway.url).replace(': typeof fetch', ''),
      "import { SendMessageRequest } from '@a2a-js/sdk';",
      "const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'stream 2' }] };",
      'const task = await client.sendMessage(SendMessageRequest.fromJSON({ message }));',
      'console.log(task.id, task.artifacts.length);',
    ].join('\n');
    const env = { ...process.env, KEY: stage.client.key };
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: root, env });
    expect(stdout).toMatch(/^task_\w{26} 1\n$/);
  });
});
