import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { AcpClient } from '../harness/acp-client.ts';
import { acpUpstream } from '../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { ScriptedAcpAgent } from '../harness/peers/scripted-acp-agent.ts';

/** The most that an ACP client may send in one message, here and by default. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A client that sends bytes, and whose network is in the hand of the test. */
class RawClient {
  readonly answers: string[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;
  readonly #network: Socket;

  private constructor(socket: WebSocket, network: Socket) {
    this.#socket = socket;
    this.#network = network;
    socket.on('message', (data) => this.answers.push(String(data)));
    socket.on('error', () => undefined);
    this.closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  }

  static async open(gateway: TestGateway): Promise<RawClient> {
    const { port } = new URL(gateway.url);
    const network = connect(Number(port), '127.0.0.1');
    const headers = { authorization: `Bearer ${gateway.client.key}` };
    const url = `${gateway.url.replace('http', 'ws')}/acp`;
    const socket = new WebSocket(url, { headers, createConnection: () => network });
    await once(socket, 'open');
    return new RawClient(socket, network);
  }

  /** One frame of text, its bytes as they are, in pieces of this size that the gateway reads one by one. */
  async sendInPieces(text: string, pieceBytes: number): Promise<void> {
    const payload = Buffer.from(text);
    const head = Buffer.alloc(14);
    head[0] = 0x81;
    head[1] = 0xff;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
    this.#network.write(head);
    for (let at = 0; at < payload.length; at += pieceBytes) {
      this.#network.write(payload.subarray(at, at + pieceBytes));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** A message that never ends, in fragments of this size. */
  async sendFragments(count: number, text: string): Promise<void> {
    for (let n = 0; n < count && this.#socket.readyState === WebSocket.OPEN; n += 1)
      await new Promise<void>((resolve) => this.#socket.send(text, { fin: false }, () => resolve()));
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  close(): void {
    this.#socket.terminate();
  }
}

/** A request of this method, filled up to this many bytes. */
function padded(bytes: number, method: string): string {
  const message = (fill: string) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: { fill } } });
  return message('x'.repeat(bytes - message('').length));
}

describe('giant messages of an ACP client', () => {
  let gateway: TestGateway;
  let neighbour: AcpClient;
  let raw: RawClient;

  beforeEach(async () => {
    gateway = await startTestGateway({ extraClients: [acpUpstream()] });
    neighbour = await AcpClient.overSocket(gateway.url, gateway.client.key);
    raw = await RawClient.open(gateway);
  });
  afterEach(async () => {
    raw.close();
    // Nobody else noticed.
    const { sessionId } = await neighbour.session({ route: 'acp:peer' });
    await neighbour.prompt(sessionId, 'hello');
    expect(neighbour.text()).toBe('You said: hello');
    neighbour.close();
    await gateway.close();
  });

  it('have a limit that a client is told when it introduces itself', () => {
    const { _meta } = neighbour.initialized.agentCapabilities ?? {};
    expect(_meta).toMatchObject({ harn: { maxMessageBytes: MAX_BYTES } });
  });

  it('[ACP-USER-25] of exactly the limit are read, one byte more closes the connection with 1009', async () => {
    raw.send(padded(MAX_BYTES, 'nobody/knows'));
    await expect.poll(() => raw.answers).toEqual([expect.stringContaining('Method not found')]);
    raw.send(padded(MAX_BYTES + 1, 'nobody/knows'));
    expect(await raw.closed).toMatchObject({ code: 1009 });
  });

  it('come through a slow network in small pieces', async () => {
    await raw.sendInPieces(padded(8 * 1024 * 1024, 'nobody/knows'), 4_096);
    await expect.poll(() => raw.answers).toEqual([expect.stringContaining('Method not found')]);
  });

  it('that never end close the connection, however small their fragments are', async () => {
    await raw.sendFragments(10_000, 'x');
    expect(await raw.closed).toMatchObject({ code: 1008 });
  });
});

describe('giant messages of an ACP agent', () => {
  const LIMIT = 100_000;
  let gateway: TestGateway;
  afterEach(() => gateway.close());

  /** An agent of the test, as a program: answers what it must, and writes what `say` is before it answers a prompt. */
  function program(say: string): string[] {
    const source = `
      const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
      const update = (text) => JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's-1', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } } });
      const line = (bytes) => update('x'.repeat(bytes - update('').length));
      const write = (text) => new Promise((resolve) => process.stdout.write(text, resolve));
      require('node:readline').createInterface({ input: process.stdin }).on('line', async (text) => {
        const { id, method, params } = JSON.parse(text);
        if (method === 'initialize') answer(id, { protocolVersion: 1 });
        if (method === 'session/new') answer(id, { sessionId: 's-1' });
        if (method !== 'session/prompt') return;
        if (params.prompt.at(-1).text === 'giant') { ${say} }
        answer(id, { stopReason: 'end_turn' });
      }).on('close', () => process.exit(0));`;
    return [process.execPath, '-e', source];
  }
  async function open(command: string[]) {
    const limits = { max_frame_bytes: LIMIT };
    const others = acpUpstream([], { id: 'other' });
    gateway = await startTestGateway({ extraClients: [acpUpstream([], { command, limits }), others] });
  }
  async function ended(text: string, route = 'acp:peer', sessionId?: string) {
    const { id } = await gateway.client.submit(text, sessionId, { route });
    return gateway.client.until(id, 'COMPLETED', 'FAILED');
  }

  it('of exactly the limit are read', async () => {
    await open(program(`await write(line(${LIMIT}) + '\\n');`));
    const task = await ended('giant');
    expect([task.status, task.failure]).toEqual(['COMPLETED', null]);
    expect(JSON.stringify(await gateway.client.events(`/v1/tasks/${task.id}/events`))).toContain(
      'large_metadata',
    );
  });

  it.each([
    ['in one line', `await write(line(${LIMIT} + 1) + '\\n');`],
    ['in many pieces without an end', `for (;;) await write('x'.repeat(10));`],
    [
      'in one that hides another message',
      `await write('x'.repeat(3 * ${LIMIT})); await write('x' + update('hidden') + '\\n');`,
    ],
  ])('above it %s fail the task as what they are, and the agent is started again', async (_how, say) => {
    await open(program(say));
    const beside = ended('slow 3', 'acp:other');
    const task = await ended('giant');
    expect(task.failure).toMatchObject({ code: 'payload_too_large', details: { max_bytes: LIMIT } });
    expect((await ended('hello', 'acp:peer', task.session_id)).status).toBe('COMPLETED');
    expect((await beside).status).toBe('COMPLETED');
    const told = await gateway.client.events(`/v1/sessions/${task.session_id}/events`);
    expect(JSON.stringify(told)).not.toContain('hidden');
  });

  it('on a WebSocket fail the task as what they are, too', async () => {
    const agent = await ScriptedAcpAgent.start({}, { 'session/new': () => ({ sessionId: 's-1' }) });
    const upstream = acpUpstream([], {
      command: undefined,
      url: agent.url,
      limits: { max_frame_bytes: LIMIT },
    });
    gateway = await startTestGateway({ extraClients: [upstream] });
    agent.answers['session/prompt'] = () => {
      agent.sendText(padded(LIMIT, 'session/update'));
      return { stopReason: 'end_turn' };
    };
    expect((await ended('at the limit')).failure).toBeNull();
    agent.answers['session/prompt'] = () => {
      agent.sendText(padded(LIMIT + 1, 'session/update'));
      return { stopReason: 'end_turn' };
    };
    const { failure } = await ended('above it');
    expect(failure).toMatchObject({ code: 'payload_too_large', details: { max_bytes: LIMIT } });
    await agent.close();
  });
});
