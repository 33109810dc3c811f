import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_FIELDS } from '../../bridges/a2a/proto/bounds.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import {
  completed,
  eventBytes,
  type Scripts,
  startScriptedGrpcAgent,
} from '../harness/peers/scripted-grpc-agent.ts';
import { eventsOf, replayOf } from '../harness/runs.ts';
import { CERT, KEY } from '../unit/surfaces/tls-fixture.ts';

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}
const field = (tag: number, bytes: Buffer) =>
  Buffer.concat([Buffer.from([tag, ...varint(bytes.length)]), bytes]);
const fail = (code: grpc.status, details = 'because', more: Record<string, string> = {}) => {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(more)) metadata.set(name, value);
  return { code, details, metadata };
};
/** An event whose state is a number that the protocol file has no name for. */
const unknownState = (id: string) => {
  const bytes = completed(id);
  return Buffer.concat([bytes.subarray(0, -1), Buffer.from([42])]);
};
let busy = 0;

const SCRIPTS: Scripts = {
  'a cut stream': (stream) => stream.emit('error', fail(grpc.status.UNAVAILABLE)),
  'a stream that ends early': (stream) => stream.end(),
  'an unknown state': (stream, id) => {
    stream.write(unknownState(id));
    stream.write(completed(id));
    stream.end();
  },
  'an unknown field': (stream, id) => {
    stream.write(Buffer.concat([completed(id), Buffer.from([0xfa, 0x3f, 1, 1])]));
    stream.end();
  },
  'no message at all': (stream) => stream.write(Buffer.from([0x0a, 0xff, 1])),
  'a huge event': (stream, taskId) =>
    stream.write(
      eventBytes({
        artifactUpdate: { taskId, artifact: { artifactId: 'a', parts: [{ text: 'x'.repeat(70_000) }] } },
      }),
    ),
  'an event of many fields': (stream) =>
    stream.write(field(0x22, field(0x1a, Buffer.alloc(2 * MAX_FIELDS, Buffer.from([0x2a, 0]))))),
  'a member named __proto__': (stream) => {
    const value = Buffer.concat([field(0x0a, Buffer.from('__proto__')), Buffer.from([0x12, 2, 0x08, 0])]);
    // Metadata of a status update.
    stream.write(field(0x1a, field(0x22, field(0x0a, value))));
  },
  silence: () => undefined,
  'a secret in its refusal': (stream) =>
    stream.emit('error', fail(grpc.status.FAILED_PRECONDITION, 'not agent-credential-1234567890')),
  'at once RESOURCE_EXHAUSTED': (stream) => stream.emit('error', fail(grpc.status.RESOURCE_EXHAUSTED)),
  'at once busy': (stream, id) => {
    busy += 1;
    if (busy === 1) stream.emit('error', fail(grpc.status.UNAVAILABLE, 'busy', { 'retry-after': '0' }));
    else {
      stream.write(completed(id));
      stream.end();
    }
  },
};

describe('an agent that sends over gRPC', () => {
  let agent: Awaited<ReturnType<typeof startScriptedGrpcAgent>>;
  let gateway: TestGateway;
  beforeAll(async () => {
    agent = await startScriptedGrpcAgent(SCRIPTS);
    const limits = { idle_timeout_ms: 500, max_frame_bytes: 65_536, max_response_bytes: 300_000 };
    const auth = { type: 'bearer', value: { env: 'GRPC_AGENT_KEY' } };
    gateway = await startTestGateway({
      env: { GRPC_AGENT_KEY: 'agent-credential-1234567890' },
      config: {
        upstreams: {
          a2a: [
            { id: 'bad', card: agent.cardUrl, auth, limits },
            { id: 'large', card: agent.cardUrl, limits: { ...limits, max_frame_bytes: 4_000_000 } },
          ],
        },
        resilience: [{ agent: 'a2a:bad', retries: { share: 1, most: 2 } }],
      },
    });
  });
  afterAll(async () => {
    await gateway.close();
    await agent.close();
  });
  const ended = async (text: string, route = 'a2a:bad') => {
    const { id } = await gateway.client.submit(text, undefined, { route });
    const task = await gateway.client.until(id, 'COMPLETED', 'FAILED');
    const replay = await replayOf(gateway.client, id, { mode: 'exact' });
    const events = await eventsOf(gateway.client, replay.id);
    const verdict = events.find(({ event }) => event === 'replay.completed')?.payload;
    expect(verdict, text).toMatchObject({ verdict: { status: 'byte_equal' } });
    return task;
  };

  it.each(['a cut stream', 'a stream that ends early', 'an unknown state', 'an unknown field'])(
    '%s is followed until its task is over',
    async (text) => {
      expect(await ended(text)).toHaveProperty('status', 'COMPLETED');
    },
  );

  it.each([
    ['no message at all', 'upstream_unavailable', 'none of its method', 'a2a:bad'],
    ['a member named __proto__', 'upstream_unavailable', 'none of its method', 'a2a:bad'],
    ['a huge event', 'payload_too_large', 'more than 65536 bytes', 'a2a:bad'],
    ['an event of many fields', 'payload_too_large', `more than ${MAX_FIELDS} fields`, 'a2a:large'],
    ['silence', 'deadline_exceeded', 'longer than 500 ms', 'a2a:bad'],
    ['at once RESOURCE_EXHAUSTED', 'upstream_unavailable', 'RESOURCE_EXHAUSTED', 'a2a:bad'],
  ])('%s loses its task, which says why', async (text, code, message, route) => {
    expect(await ended(text, route)).toMatchObject({
      status: 'FAILED',
      failure: { code, message: expect.stringContaining(message) },
    });
  });

  it('a refusal that repeats the credential does not get it on record', async () => {
    const task = await ended('a secret in its refusal');
    expect(task.status).toBe('FAILED');
    const events = JSON.stringify(await eventsOf(gateway.client, task.id));
    expect(events).not.toContain('agent-credential');
    expect(events).toContain('redacted:known_secret');
  });

  it('that it is busy is sent the message again when it asked for that, as over HTTP', async () => {
    expect(await ended('at once busy')).toHaveProperty('status', 'COMPLETED');
    expect(agent.asked.filter((text) => text === 'at once busy')).toHaveLength(2);
  });

  it.each([
    ['that is not there', { address: '127.0.0.1:1' }, 'refused'],
    ['whose certificate nobody trusts', { tls: { cert: CERT, key: KEY } }, 'tls'],
  ])('from a place %s is told from one that was lost', async (_, options, reason) => {
    const unreached = await startScriptedGrpcAgent({}, options);
    const other = await startTestGateway({
      config: { upstreams: { a2a: [{ id: 'away', card: unreached.cardUrl }] } },
    });
    const { id } = await other.client.submit('hello');
    const { failure } = await other.client.until(id, 'FAILED');
    expect(failure).toMatchObject({ code: 'upstream_unavailable', details: { reason } });
    await other.close();
    await unreached.close();
  });
});
