import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { connect as dial } from 'node:net';
import { fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import * as grpc from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { messageOf, readFile } from '#protocol/protobuf.ts';
import { HEALTH } from '#surfaces/grpc/descriptors.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { GrpcTestClient, grpcAddress } from '../harness/grpc-client.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';

const HEALTH_PATH = '/grpc.health.v1.Health';
const GET_TASK = '/lf.a2a.v1.A2AService/GetTask';
const REFLECTION_PATH = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';

let agent: Peer;
let gateway: TestGateway;
let address: string;
const opened: { close(): void }[] = [];
const started = (limits: Record<string, number> = {}) =>
  startTestGateway({
    config: {
      server: { grpc: { port: 0 } },
      upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
      limits,
    },
  });
beforeAll(async () => {
  agent = await startSampleAgent();
  gateway = await started();
  address = await grpcAddress(gateway.url);
});
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});
afterAll(async () => {
  await gateway.close();
  await agent.close();
});

function client(): GrpcTestClient {
  const made = new GrpcTestClient(address, gateway.client.key);
  opened.push(made);
  return made;
}

function session(to = address): ClientHttp2Session {
  const made = connect(`http://${to}`);
  // That it is cut is what some tests wait for.
  made.on('error', () => undefined);
  opened.push({ close: () => made.destroy() });
  return made;
}

/** A call as no library sends it: what is given, and nothing more. */
function begin(on: ClientHttp2Session, path: string, metadata: Record<string, string>) {
  const call = on.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...metadata,
  });
  const status = new Promise<IncomingHttpHeaders>((resolve) => {
    call.on('response', (headers) => 'grpc-status' in headers && resolve(headers));
    call.on('trailers', resolve);
  });
  call.resume();
  return { call, status };
}

const authorized = ({ client: { key } }: TestGateway) => ({ authorization: `Bearer ${key}` });
const INVALID = String(grpc.status.INVALID_ARGUMENT);

describe('a call whose message does not come', () => {
  let impatient: TestGateway;
  let place: string;
  beforeAll(async () => {
    impatient = await started({ headers_timeout_ms: 400, request_timeout_ms: 400 });
    place = await grpcAddress(impatient.url);
  });
  afterAll(async () => {
    await impatient.close();
  });

  it.each([
    ['of a caller', GET_TASK, authorized],
    ['of nobody, for health', `${HEALTH_PATH}/Check`, () => ({})],
    ['of nobody, for reflection', REFLECTION_PATH, () => ({})],
  ])('%s is ended when the time for a request is over', async (_, path, metadata) => {
    const { call, status } = begin(session(place), path, metadata(impatient));
    call.write(Buffer.from([0, 0, 0]));
    const ended = await status;
    expect(ended['grpc-status']).toBe(INVALID);
    expect(decodeURIComponent(String(ended['grpc-message']))).toContain('did not come in time');
  });

  it('and one that comes is not ended while its answer is awaited', async () => {
    const asking = new GrpcTestClient(place, impatient.client.key);
    opened.push(asking);
    const message = { messageId: 'late', role: 'ROLE_USER', parts: [{ text: 'slow 1' }] };
    expect(await asking.call('SendMessage', { message })).toHaveProperty(
      'task.status.state',
      'TASK_STATE_COMPLETED',
    );
  });
});

describe('the health of the gateway', () => {
  const file = readFile(Buffer.from(HEALTH, 'base64'));
  const asked = (service = '') => {
    const request = messageOf(file, 'HealthCheckRequest');
    return Buffer.from(toBinary(request, fromJson(request, { service })));
  };
  const said = (name: string, bytes: Uint8Array) => {
    const response = messageOf(file, name);
    return toJson(response, fromBinary(response, bytes));
  };
  const watch = (by: GrpcTestClient, service: string) => {
    const asIs = (bytes: Buffer) => bytes;
    const call = by.client.makeServerStreamRequest(`${HEALTH_PATH}/Watch`, asIs, asIs, asked(service));
    const first = new Promise((resolve) => {
      call.once('data', (bytes: Buffer) => resolve(said('HealthCheckResponse', bytes)));
      call.once('error', ({ code }: grpc.ServiceError) => resolve(grpc.status[code]));
    });
    return { call, first };
  };

  it('is asked by a message of its own, and by no other', async () => {
    const malformed = Buffer.from([0x0a, 0xff]);
    for (const method of ['Check', 'Watch'])
      await expect(client().raw(`${HEALTH_PATH}/${method}`, malformed), method).rejects.toMatchObject({
        status: 'INVALID_ARGUMENT',
      });
  });

  it('is listed for every service, as reflection says', async () => {
    const listed = said('HealthListResponse', await client().raw(`${HEALTH_PATH}/List`, Buffer.alloc(0)));
    expect(listed).toEqual({
      statuses: {
        '': { status: 'SERVING' },
        'lf.a2a.v1.A2AService': { status: 'SERVING' },
        'a2a.v1.A2AService': { status: 'SERVING' },
      },
    });
  });

  it('is watched by a few calls of one connection, and by others all the same', async () => {
    const one = client();
    const calls = Array.from({ length: 10 }, () => watch(one, ''));
    for (const { first } of calls) expect(await first).toEqual({ status: 'SERVING' });
    expect(await watch(one, '').first).toBe('RESOURCE_EXHAUSTED');
    expect(await watch(client(), 'no.Such').first).toEqual({ status: 'SERVICE_UNKNOWN' });
    calls[0]?.call.on('error', () => undefined);
    calls[0]?.call.cancel();
    await expect.poll(() => watch(one, '').first).toEqual({ status: 'SERVING' });
    for (const { call } of calls) call.on('error', () => undefined);
  });
});

it('no more connections are taken than the operator allows', async () => {
  const most = 4;
  const small = await started({ max_connections: most });
  const place = await grpcAddress(small.url);
  const sessions = Array.from({ length: most }, () => session(place));
  for (const each of sessions) {
    const { call, status } = begin(each, `${HEALTH_PATH}/Check`, {});
    call.end(Buffer.alloc(5));
    expect((await status)['grpc-status']).toBe('0');
  }
  const [host, port] = place.split(':');
  const excess = dial(Number(port), host);
  excess.on('error', () => undefined);
  await new Promise((resolve) => excess.on('close', resolve));
  for (const each of sessions) each.destroy();
  const asking = new GrpcTestClient(place, small.client.key);
  opened.push(asking);
  await expect.poll(() => asking.call('ListTasks', {}).catch(() => undefined)).toHaveProperty('pageSize');
  await small.close();
});

it('what cannot be read of the metadata of a call is written nowhere', async () => {
  const written = vi.spyOn(console, 'error').mockReturnValue();
  const secret = 'hk_sécret-of-somebody';
  const { call, status } = begin(session(), GET_TASK, {
    authorization: Buffer.from(`Bearer ${secret}`).toString('latin1'),
  });
  call.end(Buffer.alloc(5));
  expect((await status)['grpc-status']).toBe(String(grpc.status.UNAUTHENTICATED));
  expect(written).not.toHaveBeenCalled();
  expect(gateway.logText()).not.toContain('-of-somebody');
  written.mockRestore();
});

describe('ten thousand streams held open on one connection', () => {
  const STREAMS = 10_000;
  /** What one connection may have open. */
  const AT_ONCE = 1_000;

  it('are a thousand at a time; nobody else waits for them, and each is answered in the end', async () => {
    const holder = client();
    const { task } = (await holder.call('SendMessage', {
      message: { messageId: 'held', role: 'ROLE_USER', parts: [{ text: 'ask' }] },
    })) as { task: { id: string } };
    let open = 0;
    const ends = Array.from({ length: STREAMS }, () => {
      const { call, end } = holder.stream('SubscribeToTask', { id: task.id });
      call.once('data', () => {
        open += 1;
      });
      return end.then(
        () => 'OK',
        ({ status }: { status: string }) => status,
      );
    });
    await expect.poll(() => open, { timeout: 60_000 }).toBe(AT_ONCE);
    expect(await client().call('GetTask', { id: task.id })).toHaveProperty('id', task.id);
    expect(open).toBe(AT_ONCE);
    await client().call('CancelTask', { id: task.id });
    const answers = await Promise.all(ends);
    expect(answers.filter((status) => status === 'OK').length).toBeGreaterThanOrEqual(AT_ONCE);
    // Those that waited ask for the stream of a task that is over.
    expect(new Set(answers)).toEqual(new Set(['OK', 'FAILED_PRECONDITION']));
  }, 120_000);

  it('cost a client that does not mind the bound its connection, and nobody else anything', async () => {
    const hostile = connect(`http://${address}`, { peerMaxConcurrentStreams: 2 * STREAMS });
    opened.push({ close: () => hostile.destroy() });
    const cut = new Promise((resolve) => hostile.on('close', resolve));
    hostile.on('error', () => undefined);
    for (let at = 0; at < STREAMS && !hostile.destroyed; at += 1)
      begin(hostile, `${HEALTH_PATH}/Watch`, {}).call.on('error', () => undefined);
    await cut;
    expect(await client().call('ListTasks', {})).toHaveProperty('pageSize', 50);
  }, 60_000);
});
