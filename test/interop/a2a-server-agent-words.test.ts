import { describe, expect, it } from 'vitest';
import { A2aTestClient, collect, type Json } from '../harness/a2a-client.ts';
import { statusFrame, task, taskFrame } from '../harness/a2a-words.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { keeper } from '../harness/keeper.ts';
import {
  type Answer,
  json,
  result,
  rpcError,
  type Script,
  type ScriptedCall,
  stream,
} from '../harness/peers/script.ts';
import { type ScriptedPeer, startScriptedAgent } from '../harness/peers/scripted-agent.ts';
import { cards } from '../harness/peers/scripted-cards.ts';

const { kept } = keeper();

/** An agent that says what the test says, and a client of the gateway in front of it. */
async function fronted(script: Script): Promise<{ peer: ScriptedPeer; client: A2aTestClient }> {
  const peer = kept(await startScriptedAgent(script));
  const config = { upstreams: { a2a: [{ id: 'agent', card: peer.cardUrl }] } };
  const gateway = kept(await startTestGateway({ config }));
  return { peer, client: new A2aTestClient(gateway, 'agent') };
}

const said = (events: { data: Json }[]) => events.map(({ data }) => data.result as unknown);
const sends = ({ requests }: ScriptedPeer) =>
  requests.filter(({ operation }) => /^Send/.test(operation)).map(({ body }) => JSON.parse(body));

describe('what an agent says of a message it refuses', () => {
  // Copied by hand from A2A 1.0, 5.4: code, HTTP status over HTTP+JSON, reason.
  const ROWS = [
    [-32001, 404, 'TASK_NOT_FOUND'],
    [-32002, 400, 'TASK_NOT_CANCELABLE'],
    [-32003, 400, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    [-32004, 400, 'UNSUPPORTED_OPERATION'],
    [-32005, 400, 'CONTENT_TYPE_NOT_SUPPORTED'],
    [-32006, 500, 'INVALID_AGENT_RESPONSE'],
    [-32007, 400, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'],
    [-32008, 400, 'EXTENSION_SUPPORT_REQUIRED'],
    [-32009, 400, 'VERSION_NOT_SUPPORTED'],
    [-32600, 400, 'INVALID_REQUEST'],
    [-32602, 400, 'INVALID_REQUEST'],
    [-32603, 500, 'INTERNAL_ERROR'],
  ] as const;

  it('[A2A-ERR-05] reaches the client under its own code, blocking, streamed, over HTTP+JSON and in 0.3', async () => {
    const refuse: Answer = ({ id, params }) => {
      const { message } = params as { message: { parts: { text: string }[] } };
      const error = { code: Number(message.parts[0]?.text), message: 'Not on a Sunday.' };
      return json({ jsonrpc: '2.0', id, error });
    };
    const { client } = await fronted({ SendMessage: refuse, SendStreamingMessage: refuse });
    for (const [code, http, reason] of ROWS) {
      const error = { code, message: 'Not on a Sunday.', data: [{ reason }] };
      const asked = () => ({ message: client.message(String(code)) });
      expect((await client.rpc('SendMessage', asked())).body.error).toMatchObject(error);
      expect((await client.rpc('SendStreamingMessage', asked())).body.error).toMatchObject(error);
      const { status, body } = await client.rest('POST', '/message:send', asked());
      expect([status, body.error]).toMatchObject([http, { message: error.message, details: [{ reason }] }]);
      const parts = [{ kind: 'text', text: String(code) }];
      const message = { kind: 'message', messageId: 'o', role: 'user', parts };
      const legacy = await client.rpc('message/send', { message }, { 'a2a-version': '0.3' });
      expect(legacy.body.error).toMatchObject({ code, message: error.message });
    }
  });
});

describe('what an agent says of its work', () => {
  it('metadata of updates, chunks and artifacts arrives where it was put', async () => {
    const chunk = (text: string, rest: object) => ({
      result: {
        artifactUpdate: {
          taskId: 'r1',
          contextId: 'c1',
          artifact: {
            artifactId: 'a1',
            name: 'poem',
            description: 'Four lines',
            parts: [{ text, metadata: { line: text } }],
            metadata: { artifact: 'own' },
            extensions: ['urn:rhyme'],
          },
          ...rest,
        },
      },
    });
    const { client } = await fronted({
      SendStreamingMessage: stream(
        taskFrame('WORKING', { metadata: { task: 1 } }),
        statusFrame('WORKING', 'thinking', { metadata: { progress: 0.5 } }),
        chunk('one', { metadata: { chunk: 1 } }),
        chunk('two', { append: true, lastChunk: true, metadata: { chunk: 2 } }),
        statusFrame('COMPLETED', undefined, { metadata: { cost: 3 } }),
      ),
    });
    const events = await collect(client.stream('SendStreamingMessage', { message: client.message('x') }));
    const own = { name: 'poem', description: 'Four lines', metadata: { artifact: 'own' } };
    expect(said(events)).toMatchObject([
      { task: { metadata: { task: 1 } } },
      {
        statusUpdate: { metadata: { progress: 0.5 }, status: { message: { parts: [{ text: 'thinking' }] } } },
      },
      {
        artifactUpdate: {
          artifact: { ...own, artifactId: 'a1', parts: [{ text: 'one', metadata: { line: 'one' } }] },
          metadata: { chunk: 1 },
        },
      },
      {
        artifactUpdate: {
          artifact: { artifactId: 'a1', parts: [{ text: 'two', metadata: { line: 'two' } }] },
          append: true,
          lastChunk: true,
          metadata: { chunk: 2 },
        },
      },
      { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' }, metadata: { cost: 3 } } },
    ]);
    const { tasks } = await client.result('ListTasks', { includeArtifacts: true });
    expect(tasks).toMatchObject([
      {
        metadata: { task: 1, progress: 0.5, cost: 3 },
        artifacts: [{ ...own, extensions: ['urn:rhyme'], parts: [{ text: 'one' }, { text: 'two' }] }],
      },
    ]);
  });

  it('an artifact that replaces another is what it says of itself, and nothing of the one before', async () => {
    const replaced = (artifact: object) => ({
      result: {
        artifactUpdate: { taskId: 'r1', contextId: 'c1', artifact: { artifactId: 'a1', ...artifact } },
      },
    });
    const draft = { name: 'draft', description: 'Old', metadata: { by: 'x' }, extensions: ['urn:a'] };
    const clean = { name: 'clean', metadata: { by: 'y' }, extensions: ['urn:b'] };
    const { client } = await fronted({
      SendStreamingMessage: stream(
        taskFrame('WORKING'),
        replaced({ ...draft, parts: [{ text: 'one' }] }),
        replaced({ ...clean, parts: [{ text: 'two' }] }),
        replaced({ ...clean, parts: [{ text: 'three' }] }),
        statusFrame('COMPLETED'),
      ),
    });
    const events = await collect(client.stream('SendStreamingMessage', { message: client.message('x') }));
    const words = [draft, clean, clean].map((all, at) => ({
      ...all,
      parts: [{ text: ['one', 'two', 'three'][at] }],
    }));
    const told = (said(events) as { artifactUpdate?: Json }[]).flatMap(
      ({ artifactUpdate }) => artifactUpdate ?? [],
    );
    expect(told).toEqual(
      words.map((artifact) => expect.objectContaining({ artifact: { artifactId: 'a1', ...artifact } })),
    );
    const { tasks } = await client.result('ListTasks', { includeArtifacts: true });
    expect(tasks[0]?.artifacts).toEqual([{ artifactId: 'a1', ...clean, parts: [{ text: 'three' }] }]);
  });

  it('a message id that it uses again, for something else, loses nothing; a repeated message is said once', async () => {
    const says = (state: string, ...parts: object[]) =>
      statusFrame(state, undefined, {
        status: { state: `TASK_STATE_${state}`, message: { messageId: 'm1', role: 'ROLE_AGENT', parts } },
      });
    const token = { text: `The key is ${'ghp_'.padEnd(40, 'a')}.` };
    const raw = (word: string) => ({ raw: Buffer.from(word).toString('base64'), mediaType: 'image/png' });
    const data = { rows: Array.from({ length: 20_000 }, (_, row) => ({ row, word: 'abcdef' })) };
    const words = [[{ text: 'think' }], [token], [raw('one')], [raw('two')], [{ data }], [{ text: 'done' }]];
    const { client } = await fronted({
      SendStreamingMessage: stream(
        taskFrame('WORKING'),
        ...words.flatMap((parts) => [says('WORKING', ...parts), says('WORKING', ...parts)]),
        says('COMPLETED', { text: 'done' }),
      ),
    });
    const events = await collect(client.stream('SendStreamingMessage', { message: client.message('x') }));
    const told = (said(events) as { statusUpdate?: { status: { message?: { parts: object[] } } } }[]).flatMap(
      ({ statusUpdate }) => statusUpdate?.status.message ?? [],
    );
    expect(told.map(({ parts }) => parts)).toMatchObject([
      [{ text: 'think' }],
      [{ text: expect.stringContaining('<redacted:') }],
      [raw('one')],
      [raw('two')],
      [{ data }],
      [{ text: 'done' }],
      [{ text: 'done' }],
    ]);
    expect(said(events).at(-1)).toMatchObject({
      statusUpdate: { status: { state: 'TASK_STATE_COMPLETED', message: { messageId: 'm1' } } },
    });
  });

  it('large parts go through whole, in both directions and in the history', async () => {
    const text = 'x'.repeat(700_000);
    const raw = Buffer.alloc(600_000, 7).toString('base64');
    const data = { rows: Array.from({ length: 20_000 }, (_, row) => ({ row, word: 'abcdef' })) };
    const parts = [
      { text, mediaType: 'text/markdown', filename: 'x.md', metadata: { part: 1 } },
      { raw, mediaType: 'application/octet-stream', filename: 'seven.bin', metadata: { part: 2 } },
      { data, metadata: { part: 3 } },
      { raw: 'YWJj' },
      { url: 'https://files.example/picture' },
    ];
    const artifacts = [{ artifactId: 'a1', parts }];
    const { peer, client } = await fronted({
      SendStreamingMessage: stream(taskFrame('WORKING'), {
        result: { task: task('COMPLETED', { artifacts }) },
      }),
    });
    const message = { messageId: 'large', role: 'ROLE_USER', parts };
    const answer = (await client.result('SendMessage', { message })).task;
    expect(sends(peer)[0].params.message.parts).toEqual(parts);
    expect(answer.artifacts).toEqual(artifacts);
    expect(answer.history[0]).toMatchObject({ messageId: 'large', parts });
    expect((await client.result('GetTask', { id: answer.id })).artifacts).toEqual(artifacts);
  });

  it('the tasks that a message refers to are those of the agent, by its ids, and never those of a stranger', async () => {
    let made = 0;
    const sent = ({ id }: ScriptedCall) => {
      made += 1;
      return json({ jsonrpc: '2.0', id, result: { task: { ...task('COMPLETED'), id: `r${made}` } } });
    };
    const peer = kept(await startScriptedAgent({ SendMessage: sent }, { card: cards.v1Blocking }));
    const config = {
      tenants: [{ id: 'tenant_other' }],
      workspaces: [{ id: 'workspace_foreign', tenant: 'tenant_other' }],
      upstreams: { a2a: ['agent', 'other'].map((id) => ({ id, card: peer.cardUrl })) },
    };
    const keys = [{ actor: 'stranger', tenant: 'tenant_other', workspaces: ['workspace_foreign'] }];
    const gateway = kept(await startTestGateway({ config, keys }));
    const client = new A2aTestClient(gateway, 'agent');
    const mine = await client.task('mine');
    const elsewhere = await new A2aTestClient(gateway, 'other').task('elsewhere');
    const theirs = await client.as(gateway.clients['stranger']?.key ?? null).task('theirs');
    const referenceTaskIds = [mine.id, elsewhere.id, theirs.id, 'r3', 'none'];
    const said = client.message('x', { referenceTaskIds });
    const answer = (await client.result('SendMessage', { message: said })).task;
    expect(sends(peer).at(-1).params.message.referenceTaskIds).toEqual(['r1']);
    expect(answer.history[0]).toMatchObject({ referenceTaskIds });
  });

  it('extensions that a client asks for are asked for at the agent, in the header of its version', async () => {
    const done = result({ task: task('COMPLETED') });
    const { peer, client } = await fronted({
      SendMessage: done,
      SendStreamingMessage: stream(taskFrame('COMPLETED')),
    });
    await client.rpc('SendMessage', { message: client.message('x') }, { 'a2a-extensions': 'urn:a, urn:b' });
    const old = { kind: 'message', messageId: 'o', role: 'user', parts: [{ kind: 'text', text: 'x' }] };
    const headers = { 'a2a-version': '0.3', 'x-a2a-extensions': 'urn:c' };
    await client.rpc('message/send', { message: old }, headers);
    const asked = peer.requests.filter(({ operation }) => /^Send/.test(operation));
    expect(asked.map((request) => request.headers['a2a-extensions'])).toEqual(['urn:a, urn:b', 'urn:c']);
  });
});

describe('cancels that race', () => {
  it('two at once end the task once, and each is answered with CANCELED or that it is over', async () => {
    const { peer, client } = await fronted({
      SendStreamingMessage: stream(taskFrame('WORKING'), { hang: true }),
      CancelTask: result(task('CANCELED')),
    });
    const { task: begun } = await client.result('SendMessage', {
      message: client.message('x'),
      configuration: { returnImmediately: true },
    });
    const answers = await Promise.all([1, 2, 3].map(() => client.rpc('CancelTask', { id: begun.id })));
    expect(peer.requests.map(({ operation }) => operation)).toContain('CancelTask');
    const words = answers.map(({ body }) => body.result?.status.state ?? body.error?.code);
    expect(words).toContain('TASK_STATE_CANCELED');
    for (const word of words) expect(['TASK_STATE_CANCELED', -32002]).toContain(word);
    expect((await client.result('GetTask', { id: begun.id })).status.state).toBe('TASK_STATE_CANCELED');
  });

  it('a task that was over at its agent first is answered with how it ended', async () => {
    const { client } = await fronted({
      SendStreamingMessage: stream(taskFrame('WORKING'), { hang: true }),
      CancelTask: rpcError(-32002, 'Too late.'),
      GetTask: result(task('COMPLETED', { artifacts: [{ artifactId: 'a1', parts: [{ text: 'done' }] }] })),
    });
    const stream1 = client.stream('SendStreamingMessage', { message: client.message('x') });
    const first = (await stream1.next()).value?.data.result.task as Json;
    const canceled = await client.rpc('CancelTask', { id: first.id });
    expect(canceled.body.error?.code).toBe(-32002);
    const rest = said(await collect(stream1));
    expect(rest.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
    expect((await client.result('GetTask', { id: first.id })).artifacts).toMatchObject([
      { parts: [{ text: 'done' }] },
    ]);
  });
});
