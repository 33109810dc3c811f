import { beforeAll, describe, expect, it } from 'vitest';
import { A2aTestClient, collect, type Json } from '../harness/a2a-client.ts';
import { stageOf } from './stage.ts';

const EXTENSION = 'https://harnlang.com/a2a/ext/harn/v1';
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
const state = ({ status }: Json) => status.state.replace('TASK_STATE_', '');
const told = ({ data }: { data: Json }) => {
  const [name = '', event] = Object.entries(data.result)[0] ?? [];
  return event.status ? `${name} ${state(event)}` : name;
};

describe('sending', () => {
  it('[A2A-OP-01] waits for the end, or for a question', async () => {
    expect(state(await a2a.task('one'))).toBe('COMPLETED');
    expect(state(await a2a.task('ask'))).toBe('INPUT_REQUIRED');
    expect(state(await a2a.task('login'))).toBe('AUTH_REQUIRED');
    const { message } = await a2a.result('SendMessage', { message: a2a.message('hello') });
    expect(message).toMatchObject({ role: 'ROLE_AGENT', parts: [{ text: expect.any(String) }] });
  });

  it('[A2A-OP-02] returnImmediately answers with the accepted task, and a task outlives its caller', async () => {
    const configuration = { returnImmediately: true };
    const { task } = await a2a.result('SendMessage', { message: a2a.message('slow 0.01'), configuration });
    expect(['SUBMITTED', 'WORKING']).toContain(state(task));
    await stage.client.until(task.id, 'COMPLETED');
    expect(state(await a2a.result('GetTask', { id: task.id }))).toBe('COMPLETED');
  });

  it('keeps message ids, parts of every kind and metadata, for the agent and in the history', async () => {
    const parts = [
      { text: 'echo these', metadata: { a: 1 } },
      { data: { deep: [1, null, 'x'] } },
      { raw: Buffer.from('bytes').toString('base64'), mediaType: 'text/csv', filename: 'x.csv' },
      { url: 'https://example.com/file.pdf', mediaType: 'application/pdf' },
    ];
    const message = {
      messageId: 'mine',
      role: 'ROLE_USER',
      parts,
      metadata: { m: true },
      extensions: ['urn:x'],
    };
    const { task } = await a2a.result('SendMessage', { message, metadata: { r: 2 } });
    expect(task.history[0]).toMatchObject({ ...message, taskId: task.id, contextId: task.contextId });
    const sent = stage
      .peer('sample')
      .requests.map(({ body }) => body)
      .filter((body) => body.includes('"mine"'));
    const arrived = JSON.parse(sent.at(-1) ?? '{}').params;
    expect(arrived).toMatchObject({ message: { ...message }, metadata: { r: 2 } });
  });

  it('[A2A-OP-09] a context id of the client is kept, and finds the same session again', async () => {
    const contextId = 'client-made';
    const first = await a2a.result('SendMessage', { message: a2a.message('one', { contextId }) });
    const second = await a2a.result('SendMessage', { message: a2a.message('two', { contextId }) });
    expect([first.task.contextId, second.task.contextId]).toEqual([contextId, contextId]);
    const { tasks } = await a2a.result('ListTasks', { contextId });
    expect(tasks.map(({ id }: Json) => id).sort()).toEqual([first.task.id, second.task.id].sort());
    const other = a2a.message('x', { taskId: (await a2a.task('ask')).id, contextId });
    expect((await a2a.rpc('SendMessage', { message: other })).body.error?.code).toBe(-32602);
  });

  it('[A2A-OP-06] a message to a task that is over is UnsupportedOperation', async () => {
    const { id } = await a2a.task('one');
    const { error } = (await a2a.rpc('SendMessage', { message: a2a.message('more', { taskId: id }) })).body;
    expect(error).toMatchObject({ code: -32004, data: [{ reason: 'UNSUPPORTED_OPERATION' }, {}] });
  });

  it('a repeated Idempotency-Key is the same task', async () => {
    const params = { message: { messageId: 'once', role: 'ROLE_USER', parts: [{ text: 'one' }] } };
    const headers = { 'idempotency-key': 'a2a-once' };
    const [first, second] = [
      await a2a.rpc('SendMessage', params, headers),
      await a2a.rpc('SendMessage', params, headers),
    ];
    expect(second.body.result?.task.id).toBe(first.body.result?.task.id);
  });
});

describe('streams', () => {
  it('[A2A-OP-03] begin with the task, carry event ids, and end after the end', async () => {
    const events = await collect(a2a.stream('SendStreamingMessage', { message: a2a.message('stream 2') }));
    expect(events.map(told)).toEqual([
      'task WORKING',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate COMPLETED',
    ]);
    expect(events.every(({ id, data }) => /^\d{20}$/.test(id) && `${data.id}` === '7')).toBe(true);
  });

  it('[A2A-OP-04] a resumed stream goes on after the last event seen, with the task as it was then', async () => {
    const events = await collect(a2a.stream('SendStreamingMessage', { message: a2a.message('stream 3') }));
    const task = events[0]?.data.result.task as Json;
    const headers = { 'last-event-id': events[1]?.id ?? '' };
    const resumed = await collect(a2a.stream('SubscribeToTask', { id: task.id }, headers));
    expect(resumed[0]?.data.result.task.artifacts[0]?.parts).toHaveLength(1);
    expect(resumed.slice(1)).toEqual(events.slice(2));
    const begun = { 'last-event-id': '0'.repeat(20) };
    const whole = await collect(a2a.stream('SubscribeToTask', { id: task.id }, begun));
    expect(whole[0]).toMatchObject({
      id: expect.stringMatching(/^\d{20}$/),
      data: { result: { task: { status: { timestamp: expect.stringMatching(/Z$/) } } } },
    });
    expect(whole.slice(-3)).toEqual(events.slice(-3));
    const other = await collect(a2a.stream('SendStreamingMessage', { message: a2a.message('one') }));
    for (const id of ['nonsense', '9'.repeat(20), other[0]?.id ?? '']) {
      const foreign = await a2a.rpc('SubscribeToTask', { id: task.id }, { 'last-event-id': id });
      expect(foreign.body.error).toMatchObject({
        code: -32602,
        data: [{}, { fieldViolations: [{ field: 'Last-Event-ID' }] }],
      });
    }
  });

  it('[A2A-OP-07] nothing is canceled or followed that is over', async () => {
    const { id } = await a2a.task('one');
    expect((await a2a.rpc('CancelTask', { id })).body.error?.code).toBe(-32002);
    expect((await a2a.rpc('SubscribeToTask', { id })).body.error?.code).toBe(-32004);
    const canceled = await a2a.task('ask');
    expect(state(await a2a.result('CancelTask', { id: canceled.id }))).toBe('CANCELED');
    expect(state(await a2a.result('CancelTask', { id: canceled.id }))).toBe('CANCELED');
  });
});

describe('reading', () => {
  it('[A2A-OP-05] hidden, foreign and absent tasks are alike', async () => {
    const { id } = await a2a.task('one');
    const ask = async (client: A2aTestClient, task: string) =>
      (await client.rpc('GetTask', { id: task })).body.error;
    const absent = await ask(a2a, 'task_01M80CFB3E2J2BW07HRJJ5T9CY');
    expect(absent).toMatchObject({ code: -32001, data: [{ reason: 'TASK_NOT_FOUND' }, {}] });
    expect(await ask(a2a.as(stage.as('stranger').key), id)).toEqual(absent);
    const { body } = await a2a.rpc('SendMessage', { message: a2a.message('x', { taskId: 'task_nope' }) });
    expect(body.error?.code).toBe(-32001);
  });

  it('[A2A-OP-08] lists are in the order of status, paged, and filtered', async () => {
    const contextId = 'listed';
    const ids: string[] = [];
    for (const text of ['one', 'two', 'ask'])
      ids.push((await a2a.result('SendMessage', { message: a2a.message(text, { contextId }) })).task.id);
    const first = await a2a.result('ListTasks', { contextId, pageSize: 2 });
    expect(first).toMatchObject({ totalSize: 3, pageSize: 2 });
    expect(first.tasks.map(({ id }: Json) => id)).toEqual([ids[2], ids[1]]);
    expect(first.tasks[1]?.artifacts).toBeUndefined();
    const rest = await a2a.result('ListTasks', {
      contextId,
      pageToken: first.nextPageToken,
      includeArtifacts: true,
    });
    expect(rest.tasks.map(({ id }: Json) => id)).toEqual([ids[0]]);
    expect(rest.nextPageToken).toBe('');
    expect(rest.tasks[0]?.artifacts).toHaveLength(1);
    const asking = await a2a.result('ListTasks', { contextId, status: 'TASK_STATE_INPUT_REQUIRED' });
    expect(asking.tasks.map(({ id }: Json) => id)).toEqual([ids[2]]);
    const since = { contextId, statusTimestampAfter: new Date(Date.now() + 60_000).toISOString() };
    expect((await a2a.result('ListTasks', since)).tasks).toEqual([]);
    const bounded = await a2a.result('ListTasks', { contextId, historyLength: 1, statusTimestampAfter: '' });
    expect(bounded.tasks.map(({ history }: Json) => history.length)).toEqual([1, 1, 1]);
    expect(first.tasks.map(({ history }: Json) => history)).toEqual([undefined, undefined]);
    for (const pageSize of [0, 101])
      expect((await a2a.rpc('ListTasks', { pageSize })).body.error?.code).toBe(-32602);
    expect((await a2a.rpc('ListTasks', { pageToken: 'x' })).body.error?.code).toBe(-32602);
  });

  it('[A2A-BND-06] members may have their names of the protocol file, in JSON-RPC and in queries; answers have JSON names', async () => {
    const contextId = 'spelled';
    const message = {
      message_id: 'snake',
      context_id: contextId,
      role: 'ROLE_USER',
      parts: [{ data: { kept_as: 'it is' }, media_type: 'application/x-mine', metadata: { a_b: 1 } }],
      reference_task_ids: ['task_other'],
    };
    const configuration = {
      return_immediately: true,
      history_length: 1,
      accepted_output_modes: ['text/plain'],
    };
    const { task } = await a2a.result('SendMessage', { message, configuration });
    expect(task).toMatchObject({
      contextId,
      history: [
        {
          messageId: 'snake',
          parts: [{ data: { kept_as: 'it is' }, mediaType: 'application/x-mine', metadata: { a_b: 1 } }],
          referenceTaskIds: ['task_other'],
        },
      ],
    });
    expect(JSON.stringify(task)).not.toMatch(/"(message|context|reference_task)_id/);
    await stage.client.until(task.id, 'COMPLETED');
    await a2a.task('another context');
    const params = { context_id: contextId, page_size: 1, history_length: 1, include_artifacts: true };
    expect(await a2a.result('ListTasks', params)).toMatchObject({
      totalSize: 1,
      pageSize: 1,
      tasks: [{ id: task.id, history: [{}] }],
    });
    const listed = await a2a.rest('GET', `/tasks?context_id=${contextId}&page_size=1`);
    expect(listed).toMatchObject({ status: 200, body: { totalSize: 1, pageSize: 1 } });
    const none = await a2a.result('ListTasks', {
      context_id: contextId,
      status_timestamp_after: new Date(Date.now() + 60_000).toISOString(),
    });
    expect(none.tasks).toEqual([]);
    expect(await a2a.result('GetTask', { id: task.id, history_length: 0 })).not.toHaveProperty('history');
  });

  it('[A2A-BND-06] a member in both spellings is a fault that names it, and nothing is done', async () => {
    const before = (await a2a.result('ListTasks', {})).totalSize;
    const message = a2a.message('one', { message_id: 'other', context_id: 'a' });
    const { error } = (
      await a2a.rpc('SendMessage', {
        message,
        configuration: { returnImmediately: true, return_immediately: true },
      })
    ).body;
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('message.message_id: is messageId once more. Send one of the two'),
    });
    expect(error?.data[1]?.fieldViolations?.map(({ field }) => field)).toEqual([
      'message.message_id',
      'configuration.return_immediately',
    ]);
    const listed = await a2a.rest('GET', '/tasks?pageSize=1&page_size=2');
    expect([listed.status, listed.body.error.details[1]?.fieldViolations[0]?.field]).toEqual([
      400,
      'page_size',
    ]);
    expect((await a2a.result('ListTasks', {})).totalSize).toBe(before);
  });

  it('[A2A-OP-08] the pages of a list together have each task once, newest status first, and begin where a time says', async () => {
    const older = await a2a.result('SendMessage', {
      message: a2a.message('slow 600'),
      configuration: { returnImmediately: true },
    });
    await a2a.task('login');
    // What works tells the time anew with every report; what has ended last stands before what began last.
    await a2a.result('CancelTask', { id: older.task.id });
    const all: Json[] = [];
    let pageToken = '';
    do {
      const page = await a2a.result('ListTasks', {
        pageSize: 3,
        pageToken,
        status: 'TASK_STATE_UNSPECIFIED',
      });
      all.push(...page.tasks);
      pageToken = page.nextPageToken;
      expect(page.totalSize).toBeGreaterThan(3);
      if (pageToken === '') expect(all).toHaveLength(page.totalSize);
    } while (pageToken !== '');
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const times = all.map(({ status }) => String((status as unknown as { timestamp: string }).timestamp));
    expect(times).toEqual([...times].sort().reverse());
    const [, , third = ''] = times;
    for (const statusTimestampAfter of [third, third.replace('Z', '+00:00')]) {
      const since = await a2a.result('ListTasks', { statusTimestampAfter });
      expect(since.tasks.map(({ id }) => id)).toEqual(
        all.flatMap(({ id }, at) => ((times[at] ?? '') >= third ? [id] : [])),
      );
    }
  });

  it('[A2A-OP-08] a list by state tells what failed from what was rejected', async () => {
    const contextId = 'by state';
    const ids: string[] = [];
    for (const text of ['refuse', 'fail'])
      ids.push((await a2a.result('SendMessage', { message: a2a.message(text, { contextId }) })).task.id);
    const listed = async (status: string) => {
      const { tasks, totalSize } = await a2a.result('ListTasks', { contextId, status });
      expect(totalSize).toBe(tasks.length);
      return tasks.map(({ id }: Json) => id);
    };
    expect(await listed('TASK_STATE_REJECTED')).toEqual([ids[0]]);
    expect(await listed('TASK_STATE_FAILED')).toEqual([ids[1]]);
    expect(await listed('TASK_STATE_COMPLETED')).toEqual([]);
  });

  it('[A2A-OP-10] historyLength bounds the history', async () => {
    const { id, history } = await a2a.task('slow 0.01');
    expect(history.length).toBeGreaterThan(1);
    expect((await a2a.result('GetTask', { id, historyLength: 0 })).history).toBeUndefined();
    expect((await a2a.result('GetTask', { id, historyLength: 1 })).history).toEqual(history.slice(-1));
  });

  it('[A2A-OP-12] the extended card is the signed card, for callers: in 1.0 with its members alone', async () => {
    const card = await a2a.result('GetExtendedAgentCard', {});
    expect(card).toMatchObject({
      signatures: [{}],
      capabilities: { streaming: true, extendedAgentCard: true },
    });
    expect(card).not.toHaveProperty('protocolVersion');
    expect(JSON.stringify(card)).not.toMatch(/"(type|additionalInterfaces|preferredTransport|security)":/);
    const old = await a2a.rpc('agent/getAuthenticatedExtendedCard', {}, { 'a2a-version': '0.3' });
    expect(old.body.result).toEqual(await (await a2a.raw('GET', '/.well-known/agent-card.json')).json());
    expect(old.body.result).toMatchObject({ protocolVersion: '0.3.0', additionalInterfaces: [{}, {}] });
    expect((await a2a.as(null).rpc('GetExtendedAgentCard')).status).toBe(401);
    expect((await a2a.rest('GET', '/extendedAgentCard')).body).toEqual(card);
  });
});

describe('versions and extensions', () => {
  it('[A2A-VER-01] no version is 0.3, and a patch number says nothing', async () => {
    const params = {
      message: { kind: 'message', messageId: 'v', role: 'user', parts: [{ kind: 'text', text: 'one' }] },
    };
    const old = await a2a.rpc('message/send', params, { 'a2a-version': '' });
    expect(old.body.result).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    const id = old.body.result?.id;
    expect((await a2a.rpc('GetTask', { id }, { 'a2a-version': '1.0.7' })).body.result?.id).toBe(id);
    expect((await a2a.rpc('GetTask', { id }, { 'a2a-version': '' })).body.error?.code).toBe(-32601);
    expect((await a2a.rpc('tasks/get', { id })).body.error?.code).toBe(-32601);
  });

  it('[A2A-VER-02] another version is VersionNotSupported', async () => {
    const { body } = await a2a.rpc('GetTask', { id: 'x' }, { 'a2a-version': '2.0' });
    expect(body.error).toMatchObject({ code: -32009, data: [{ reason: 'VERSION_NOT_SUPPORTED' }, {}] });
    expect((await a2a.rest('GET', '/tasks', undefined, { 'a2a-version': '0.3' })).status).toBe(400);
  });

  it('[A2A-EXT-01] the Harn extension is used for those who ask for it, and told', async () => {
    const answer = await a2a.rpc(
      'SendMessage',
      { message: a2a.message('one') },
      { 'a2a-extensions': `${EXTENSION}, urn:unknown` },
    );
    expect(answer.headers.get('a2a-extensions')).toBe(EXTENSION);
    expect(answer.body.result?.task.metadata[EXTENSION]).toMatchObject({
      route: 'a2a:sample',
      persona_id: null,
    });
    expect((await a2a.task('one')).metadata).toBeUndefined();
  });
});

describe('the bindings', () => {
  it('[A2A-BND-01] answer the same, with and without a trailing slash, at the default agent too', async () => {
    const task = await a2a.task('one');
    const { status, ...rest } = (await a2a.rest('GET', `/tasks/${task.id}`)).body;
    expect({ status, ...rest }).toEqual(task);
    const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: task.id } });
    const slash = await a2a.raw('POST', '/', request, headers);
    expect(((await slash.json()) as Json).result).toEqual(task);
    const byDefault = new A2aTestClient(stage.gateway, undefined);
    expect(await byDefault.result('GetTask', { id: task.id })).toEqual(task);
    expect((await byDefault.rest('GET', `/tasks/${task.id}`)).body).toEqual(task);
    const old = await a2a.rpc('tasks/get', { id: task.id }, { 'a2a-version': '0.3' });
    expect(old.body.result).toMatchObject({ kind: 'task', id: task.id, status: { state: 'completed' } });
  });
});
