import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AUTH, eventually } from '../unit/surfaces/surface-under-test.ts';
import { SocketStage, TASK_STREAM } from '../unit/ws/socket-stage.ts';

const stage = new SocketStage();
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A socket after its handshake, for bytes that no client library would send. */
async function rawSocket(): Promise<{ send(bytes: Buffer): void; closeCode: Promise<number | undefined> }> {
  const socket = connect(stage.under.port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  const lines = Object.entries({
    Host: `127.0.0.1:${stage.under.port}`,
    ...AUTH,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  });
  socket.write(
    `GET /v1/ws HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  await new Promise((resolve) => socket.once('data', resolve));
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  const closeCode = new Promise<number | undefined>((resolve) =>
    socket.once('close', () => resolve(closeCodeIn(Buffer.concat(received)))),
  );
  return { send: (bytes) => void socket.write(bytes), closeCode };
}

/** The code of the close frame that ends what was received. */
function closeCodeIn(bytes: Buffer): number | undefined {
  const at = bytes.lastIndexOf(0x88);
  return at < 0 ? undefined : bytes.readUInt16BE(at + 2);
}

/** A masked frame with the mask 0, so that the payload stays readable. */
function frame(opcode: number, payload: Buffer | string, isFinal = true): Buffer {
  const bytes = Buffer.from(payload);
  if (bytes.length > 125) throw new Error('short frames only');
  return Buffer.concat([
    Buffer.from([(isFinal ? 0x80 : 0) | opcode, 0x80 | bytes.length, 0, 0, 0, 0]),
    bytes,
  ]);
}

const TEXT = 1;
const BINARY = 2;
const CONTINUATION = 0;
const PING = 9;

describe('bytes that break the protocol close the socket', () => {
  it.each([
    ['a binary message', [frame(BINARY, '{"type":"ping"}')], 1003],
    ['bad UTF-8', [frame(TEXT, Buffer.from([0x22, 0xc3, 0x28, 0x22]))], 1007],
    ['a frame without mask', [Buffer.from([0x81, 2, 0x7b, 0x7d])], 1002],
    ['reserved bits', [Buffer.from([0xc1, 0x80, 0, 0, 0, 0])], 1002],
    ['an unknown opcode', [frame(3, '')], 1002],
    ['a long control frame', [Buffer.from([0x89, 0xfe, 0, 200, 0, 0, 0, 0])], 1002],
    ['a continuation of nothing', [frame(CONTINUATION, 'x')], 1002],
    [
      'a declared length above the limit',
      [Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 1, 0, 0, 0, 0])],
      1009,
    ],
    [
      'more fragments than allowed',
      [frame(TEXT, 'x', false), ...Array.from({ length: 256 }, () => frame(CONTINUATION, 'x', false))],
      1008,
    ],
  ])('%s', async (_, parts, code) => {
    const { send, closeCode } = await rawSocket();
    send(Buffer.concat(parts));
    expect(await closeCode).toBe(code);
    await eventually(() => stage.under.surface.openStreams() === 0);
  });

  it('a message above 1 MiB', async () => {
    const client = await stage.open();
    client.sendRaw(JSON.stringify({ type: 'ping', id: 'x'.repeat(1024 * 1024) }));
    expect((await client.closed).code).toBe(1009);
  });
});

describe('fragments', () => {
  it('make one message', async () => {
    const client = await stage.open();
    client.socket.send('{"type":"ping",', { fin: false });
    client.socket.send('"id":"f"}', { fin: true });
    expect((await client.until(({ id }) => id === 'f')).type).toBe('ack');
  });
});

describe('a flood', () => {
  it('of 10,000 frames is answered by rate_limited and a close with 1008', async () => {
    const client = await stage.open();
    for (let at = 0; at < 10_000; at += 1) client.sendRaw('{"type":"cancel","task_id":"task_1"}');
    expect((await client.closed).code).toBe(1008);
    const errors = client.ofType('error').filter(({ error }) => error?.message.includes('frames a second'));
    expect(errors).toMatchObject([{ id: null, error: { code: 'rate_limited', type: 'rate_limit_error' } }]);
    expect(stage.under.gateway.calls.length).toBeLessThanOrEqual(400);
  });

  it('of pings is one too', async () => {
    const { send, closeCode } = await rawSocket();
    send(Buffer.concat(Array.from({ length: 1_000 }, () => frame(PING, ''))));
    expect(await closeCode).toBe(1008);
  });

  it('is none at 200 frames a second', async () => {
    const client = await stage.open();
    for (let second = 0; second < 5; second += 1) {
      for (let at = 0; at < 200; at += 1) client.send({ type: 'ping', id: `${second}-${at}` });
      await client.until(({ id }) => id === `${second}-199`);
      stage.under.time.advance(1_000);
    }
    expect(client.ofType('ack')).toHaveLength(1_000);
  });

  it('disturbs no other socket', async () => {
    const other = await stage.open(TASK_STREAM);
    const client = await stage.open();
    for (let at = 0; at < 5_000; at += 1) client.sendRaw('x');
    await client.closed;
    expect((await other.ask({ type: 'ping', id: 'p' })).type).toBe('ack');
  });
});

describe('commands of one socket', () => {
  it('are 64 at a time; more are refused one by one', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    stage.under.gateway.answer = async () => {
      await gate;
      return { status: 200, body: { kind: 'none' } };
    };
    const client = await stage.open();
    for (let at = 0; at < 65; at += 1) client.send({ type: 'cancel', id: `c${at}`, task_id: 'task_1' });
    expect((await client.until(({ type }) => type === 'error')).id).toBe('c64');
    release();
    await eventually(() => client.ofType('ack').length === 64);
    expect((await client.ask({ type: 'cancel', id: 'later', task_id: 'task_1' })).type).toBe('ack');
  });
});
