import type {
  Answer,
  Call,
  CallHead,
  Gateway,
  Identity,
  StreamFrame,
  StreamSink,
  Subscription,
} from '../../../src/gateway.ts';
import { ProtocolError } from '../../../src/protocol/errors.ts';

export interface FakeCall {
  id: string;
  call: Call;
}

export interface FakeStream {
  id: string;
  call: Call;
  sink: StreamSink;
  closed: boolean;
}

/** A Gateway that records what it was asked and answers what the test says. */
export class FakeGateway implements Gateway {
  readonly calls: FakeCall[] = [];
  readonly streams: FakeStream[] = [];
  cursor = '';
  answer: (id: string, call: Call) => Promise<Answer> | Answer = () => ({
    status: 200,
    body: { kind: 'json', value: { ok: true } },
  });
  beforeSubscribe: (sink: StreamSink, call: Call) => Promise<void> | void = () => undefined;

  recognize(): undefined {
    return undefined;
  }

  admit(_id: string, call: CallHead): void {
    if (call.authorization === undefined) throw new ProtocolError('unauthenticated', 'Send a bearer token.');
  }

  identify(call: Pick<CallHead, 'authorization'>): Identity {
    if (call.authorization === undefined) throw new ProtocolError('unauthenticated', 'Send a bearer token.');
    return { actor: 'actor_test', tenant: 'tenant_default', defaultWorkspace: 'workspace_default' };
  }

  async call(id: string, call: Call): Promise<Answer> {
    this.calls.push({ id, call });
    this.admit(id, call);
    return await this.answer(id, call);
  }

  async subscribe(id: string, call: Call, sink: StreamSink): Promise<Subscription> {
    await this.beforeSubscribe(sink, call);
    const stream: FakeStream = { id, call, sink, closed: false };
    this.streams.push(stream);
    return {
      cursor: () => this.cursor,
      close: () => {
        stream.closed = true;
      },
    };
  }
}

/** A frame as the event log builds it. */
export function frameOf(id: string, kind: string, data = `{"id":"${id}"}`): StreamFrame {
  return {
    id,
    kind,
    bytes: Buffer.from(data),
    event: JSON.parse(data) as StreamFrame['event'],
    sse: Buffer.from(`id: ${id}\nevent: ${kind}\ndata: ${data}\n\n`),
  };
}
