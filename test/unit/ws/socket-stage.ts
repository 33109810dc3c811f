import { afterEach, beforeEach } from 'vitest';
import type { StreamFrame } from '#gateway.ts';
import { type WsOptions, WsTestClient } from '../../harness/ws-client.ts';
import { type FakeStream, frameOf } from '../surfaces/fake-gateway.ts';
import { eventually, type Options, startSurface, type UnderTest } from '../surfaces/surface-under-test.ts';

export const TASK_STREAM = '/v1/tasks/task_1/stream';

/** A surface over the fake gateway and the sockets of one test. */
export class SocketStage {
  readonly #clients: WsTestClient[] = [];
  #under: UnderTest | undefined;

  constructor(options: Options = {}) {
    beforeEach(async () => {
      this.#under = await startSurface(options);
    });
    afterEach(async () => {
      for (const client of this.#clients.splice(0)) client.socket.terminate();
      await this.under.close();
    });
  }

  get under(): UnderTest {
    if (this.#under === undefined) throw new Error('the surface is not up');
    return this.#under;
  }

  async open(path = '/v1/ws', options: WsOptions = {}): Promise<WsTestClient> {
    const client = await WsTestClient.open(this.under.url, path, options);
    this.#clients.push(client);
    return client;
  }

  /** The n-th stream that was followed, counted from 1. */
  async stream(count = 1): Promise<FakeStream> {
    await eventually(() => this.under.gateway.streams.length >= count);
    const stream = this.under.gateway.streams[count - 1];
    if (stream === undefined) throw new Error('no stream');
    return stream;
  }
}

/** A frame as the event log builds it, whole enough for its schema. */
export function eventOf(id: string, kind: string, payload: object = {}): StreamFrame {
  const at = '2026-11-21T09:00:00.000Z';
  const event = {
    actor: 'actor_test',
    created_at: at,
    event: kind,
    id,
    metadata: {},
    object: 'event',
    payload,
    previous_event_id: null,
    resource: { id: 'task_1', object: 'task' },
    sequence: 0,
    session_id: 'session_1',
    span_id: null,
    task_id: 'task_1',
    trace_id: null,
    updated_at: at,
    workspace_id: 'workspace_default',
  };
  return frameOf(id, kind, JSON.stringify(event));
}
