import {
  type ClientConnection,
  client,
  type RequestPermissionRequest,
  type UpdateSessionNotification,
} from '@agentclientprotocol/sdk/experimental/v2';
import { createWebSocketStream } from '@agentclientprotocol/sdk/experimental/ws-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { AcpClient } from '../harness/acp-client.ts';
import { acpAgentCommand } from '../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';

type Update = UpdateSessionNotification['update'];

/** A client of the draft, by the app of the official SDK. */
class DraftClient {
  readonly updates: Update[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  readonly #connection: ClientConnection;
  readonly #watching = new Set<() => void>();

  constructor(url: string, key: string, optionId: string) {
    const stream = createWebSocketStream(`${url.replace(/^http/, 'ws')}/acp`, {
      WebSocket: WebSocket as never,
      headers: { authorization: `Bearer ${key}` },
    });
    this.#connection = client({ name: 'draft-editor' })
      .onNotification('session/update', ({ params }) => {
        this.updates.push(params.update);
        for (const watch of this.#watching) watch();
      })
      .onRequest('session/request_permission', ({ params }) => {
        this.permissions.push(params);
        return { outcome: { outcome: 'selected', optionId } };
      })
      .connect(stream as never);
  }

  get agent() {
    return this.#connection.agent;
  }

  begin() {
    const info = { name: 'draft-editor', version: '1' };
    return this.agent.request('initialize', { protocolVersion: 2, info, capabilities: {} });
  }

  /** The states that were told, with the reasons of idle ones. */
  states(): string[] {
    return this.updates.flatMap((update) => {
      if (update.sessionUpdate !== 'state_update') return [];
      const { state, stopReason } = update as { state: string; stopReason?: string };
      return [stopReason === undefined ? state : `${state} ${stopReason}`];
    });
  }

  async prompt(sessionId: string, text: string) {
    const before = this.updates.length;
    const accepted = await this.agent.request('session/prompt', {
      sessionId,
      prompt: [{ type: 'text', text }],
    });
    await this.until(() => this.updates.slice(before).some(isIdle));
    return accepted;
  }

  until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => {
      const watch = () => {
        if (!holds()) return;
        this.#watching.delete(watch);
        resolve();
      };
      this.#watching.add(watch);
    });
  }

  close(): void {
    this.#connection.close();
  }
}

const isIdle = (update: Update) =>
  update.sessionUpdate === 'state_update' && (update as { state: string }).state === 'idle';

describe('ACP v2, a draft that the operator offers', () => {
  let gateway: TestGateway;
  const open: { close(): void }[] = [];
  beforeAll(async () => {
    gateway = await startTestGateway({
      config: {
        server: { drafts: ['acp-v2'] },
        upstreams: { a2a: [], acp: [{ id: 'coder', command: acpAgentCommand() }] },
      },
    });
  });
  afterEach(() => {
    for (const one of open.splice(0)) one.close();
  });
  afterAll(() => gateway.close());

  const connect = (optionId = 'yes') => {
    const made = new DraftClient(gateway.url, gateway.client.key, optionId);
    open.push(made);
    return made;
  };
  const started = async () => {
    const made = connect();
    await made.begin();
    const { sessionId } = await made.agent.request('session/new', { cwd: '/work', mcpServers: [] });
    return { editor: made, sessionId };
  };

  const BEGIN = {
    id: 0,
    method: 'initialize',
    params: { protocolVersion: 2, info: { name: 'raw', version: '1' } },
  };
  interface RawFrame {
    id?: number;
    error?: { code: number };
    params?: { update: { sessionUpdate: string; state?: string } };
  }
  const wordsOf = (update: { sessionUpdate: string; state?: string } | undefined) =>
    [update?.sessionUpdate, update?.state].filter(Boolean).join(' ');

  /** What the gateway says to these messages, in order, up to the answer with the last id; `next` is sent after the answer 0. */
  function framesOf(messages: readonly (object | string)[], lastId: number, next?: string) {
    const socket = new WebSocket(`${gateway.url.replace(/^http/, 'ws')}/acp`, {
      headers: { authorization: `Bearer ${gateway.client.key}` },
    });
    const frames: RawFrame[] = [];
    socket.once('open', () => {
      for (const message of messages) {
        const text = Array.isArray(message)
          ? '[]'
          : JSON.stringify({ jsonrpc: '2.0', ...(message as object) });
        socket.send(typeof message === 'string' ? message : text);
      }
    });
    return new Promise<RawFrame[]>((resolve) => {
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data)) as RawFrame;
        frames.push(frame);
        if (frame.id === 0 && next !== undefined) socket.send(next);
        if (frame.id !== lastId) return;
        socket.close();
        resolve(frames);
      });
    });
  }

  it('[ACP-V2-01] a client of version 2 gets version 2, one of version 1 on the same socket gets version 1', async () => {
    const initialized = await connect().begin();
    expect(initialized).toMatchObject({
      protocolVersion: 2,
      info: { name: 'harn-gateway' },
      capabilities: { session: { prompt: { image: {}, audio: {}, embeddedContext: {} }, delete: {} } },
    });
    const old = await AcpClient.overSocket(gateway.url, gateway.client.key);
    open.push(old);
    expect(old.initialized.protocolVersion).toBe(1);
    const { sessionId } = await old.session();
    expect(await old.prompt(sessionId, 'stream 1')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('[ACP-V2-02] a prompt is answered when it is accepted, and the state says when its turn is over', async () => {
    const { editor, sessionId } = await started();
    const { messageId } = await editor.prompt(sessionId, 'stream 3');
    const { data } = await gateway.client.get<{ data: { id: string }[] }>(
      `/v1/sessions/${sessionId}/messages`,
    );
    expect(data.map(({ id }) => id)).toContain(messageId);
    const pieces = editor.updates.filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    expect(pieces.map((piece) => (piece as { content: { text: string } }).content.text).join('')).toBe(
      'piece 1 piece 2 piece 3 ',
    );
    expect(new Set(pieces.map((piece) => (piece as { messageId: string }).messageId)).size).toBe(1);
    expect(editor.states()).toEqual(['running', 'idle end_turn']);
  });

  it.each([
    ['fail', 'idle error'],
    ['max', 'idle max_tokens'],
  ])('%s ends as %s', async (word, state) => {
    const { editor, sessionId } = await started();
    await editor.prompt(sessionId, word);
    expect(editor.states().at(-1)).toBe(state);
  });

  it('[ACP-USER-28] a large update is whole, in the words of version 2', async () => {
    const { editor, sessionId } = await started();
    await editor.prompt(sessionId, 'large 200000 commands');
    const [told] = editor.updates.filter(
      ({ sessionUpdate }) => sessionUpdate === 'available_commands_update',
    );
    const { availableCommands } = told as { availableCommands: { type: string; description: string }[] };
    expect(availableCommands.map(({ type, description }) => `${type} ${description.length}`)).toEqual(
      Array(50).fill('command 4000'),
    );
  });

  it('a permission is a title, the call and its options; a change of a file comes with its patch', async () => {
    const { editor, sessionId } = await started();
    await editor.prompt(sessionId, 'edit');
    expect(editor.permissions).toMatchObject([
      {
        title: 'Write notes.txt',
        subject: { type: 'tool_call', toolCall: { toolCallId: 'call-1' } },
        options: [{ kind: 'allow_once' }, { kind: 'reject_once' }],
      },
    ]);
    expect(editor.states()).toEqual(['running', 'requires_action', 'running', 'idle end_turn']);
    const ended = editor.updates.find((update) => 'status' in update && update.status === 'completed');
    expect(ended).toMatchObject({
      sessionUpdate: 'tool_call_update',
      content: [
        {
          type: 'diff',
          changes: [{ operation: 'add', path: 'notes.txt' }],
          patch: { format: 'git_patch', text: expect.stringContaining('+hello') },
        },
      ],
    });
  });

  it('a cancel ends the turn, and plans and options have the words of version 2', async () => {
    const { editor, sessionId } = await started();
    const prompt = editor.prompt(sessionId, 'slow 100');
    await editor.until(() =>
      editor.updates.some(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk'),
    );
    await editor.agent.notify('session/cancel', { sessionId });
    await prompt;
    expect(editor.states().at(-1)).toBe('idle cancelled');
    await editor.prompt(sessionId, 'plan');
    expect(editor.updates).toContainEqual(
      expect.objectContaining({
        sessionUpdate: 'plan_update',
        plan: { type: 'items', planId: 'plan', entries: [expect.objectContaining({ content: 'Look' })] },
      }),
    );
    const { configOptions } = await editor.agent.request('session/set_config_option', {
      sessionId,
      configId: 'autonomy',
      type: 'id',
      value: 'suggest',
    });
    expect(configOptions).toContainEqual(
      expect.objectContaining({ configId: 'autonomy', currentValue: 'suggest' }),
    );
  });

  it('[ACP-V2-03] a resume tells the history where it is asked for, and the state always', async () => {
    const { editor, sessionId } = await started();
    await editor.prompt(sessionId, 'stream 2');
    const place = { sessionId, cwd: '/work' };
    const told = async (params: object) => {
      const frames = await framesOf([BEGIN, { id: 1, method: 'session/resume', params }], 1);
      return frames.slice(1).map(({ id, params }) => (id === undefined ? wordsOf(params?.update) : 'answer'));
    };
    expect(await told({ ...place, replayFrom: { type: 'start' } })).toEqual([
      'user_message_chunk',
      'state_update running',
      'config_option_update',
      'agent_message_chunk',
      'agent_message_chunk',
      'state_update idle',
      'state_update idle',
      'answer',
    ]);
    expect(await told(place)).toEqual(['state_update idle', 'answer']);
  });

  it.each(['session/load', 'session/set_mode', 'authenticate', 'fs/read_text_file', '_harn/unknown'])(
    '%s is no method of version 2',
    async (method) => {
      const { editor } = await started();
      await expect(editor.agent.request(method as '_x', {})).rejects.toMatchObject({ code: -32601 });
    },
  );

  it('an unknown session is refused before the prompt is accepted', async () => {
    const { editor } = await started();
    const prompt = [{ type: 'text' as const, text: 'x' }];
    await expect(
      editor.agent.request('session/prompt', { sessionId: 'session_unknown', prompt }),
    ).rejects.toMatchObject({ code: -32002 });
  });

  it('what is no JSON, a batch and a request before initialize are refused; the connection stays', async () => {
    const first = { id: 1, method: 'session/list', params: {} };
    const frames = await framesOf(['garbage', [], first, BEGIN], 0);
    expect(frames.map(({ error }) => error?.code)).toEqual([-32700, -32600, -32600, undefined]);
  });

  it('a request that readers disagree about is refused by its id, before and after a version is chosen', async () => {
    const twice = (id: number) =>
      `{"jsonrpc":"2.0","id":${id},"method":"session/list","params":{"n":1,"n":2}}`;
    const frames = await framesOf([twice(5), BEGIN], 6, twice(6));
    expect(frames.map(({ id, error }) => [id, error?.code])).toEqual([
      [5, -32602],
      [0, undefined],
      [6, -32602],
    ]);
  });
});
