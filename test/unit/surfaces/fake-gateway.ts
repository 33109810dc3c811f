import type {
  AdmittedCaller,
  Answer,
  Call,
  CredentialOfCall,
  Gateway,
  Identity,
  StreamFrame,
  StreamSink,
  Subscription,
} from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';

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

const KNOWN: Identity = {
  actor: 'actor_test',
  tenant: 'tenant_default',
  defaultWorkspace: 'workspace_default',
  seesInternal: true,
};
const CALLER = KNOWN as AdmittedCaller;

/** A Gateway that records what it was asked and answers what the test says. */
export class FakeGateway implements Gateway {
  readonly calls: FakeCall[] = [];
  readonly streams: FakeStream[] = [];
  /** What came to the door. */
  readonly entries: { authorization: string | undefined; version: string | undefined }[] = [];
  /** The connections that want to know when their credential ends. */
  readonly watched = new Set<(error: ProtocolError) => void>();
  cursor = '';
  answer: (id: string, call: Call) => Promise<Answer> | Answer = () => ({
    status: 200,
    body: { kind: 'json', value: { ok: true } },
  });
  beforeSubscribe: (sink: StreamSink, call: Call) => Promise<void> | void = () => undefined;

  recognize(): undefined {
    return undefined;
  }

  enter({ authorization }: CredentialOfCall, version: string | undefined): AdmittedCaller {
    this.entries.push({ authorization, version });
    if (authorization === undefined) throw new ProtocolError('unauthenticated', 'Send a bearer token.');
    return CALLER;
  }

  enterSigned(): AdmittedCaller {
    return CALLER;
  }

  knows({ authorization }: CredentialOfCall): boolean {
    return authorization !== undefined;
  }

  admit(): void {}
  refused(): void {}
  connected(): void {}
  follows(): void {}
  unfollows(): void {}
  disconnected(): void {}

  watch(_caller: AdmittedCaller, ended: (error: ProtocolError) => void): () => void {
    this.watched.add(ended);
    return () => void this.watched.delete(ended);
  }

  async call(id: string, call: Call): Promise<Answer> {
    this.calls.push({ id, call });
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
