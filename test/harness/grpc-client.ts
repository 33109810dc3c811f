import { once } from 'node:events';
import { decodeErrorInfo, decodeStatus } from '@a2a-js/sdk/errors/grpc';
import * as grpc from '@grpc/grpc-js';
import type { JsonObject } from '#protocol/json.ts';
import { methodsOf } from '../../bridges/a2a/proto/codec.ts';
import { SERVICE_NAMES } from '../../bridges/a2a/proto/service-names.ts';

/** What a call over gRPC was refused with. */
export interface GrpcRefusal {
  /** Name of its status. */
  status: string;
  message: string;
  reason: string | undefined;
  details: readonly string[];
  trailers: grpc.Metadata;
}

const METHODS = { '1.0': methodsOf('1.0'), '0.3': methodsOf('0.3') } as const;

/** Plain gRPC: messages are what a test says they are. One connection of its own. */
export class GrpcTestClient {
  readonly client: grpc.Client;
  readonly version: '1.0' | '0.3';
  readonly #metadata: Record<string, string>;

  constructor(
    address: string,
    key?: string,
    version: '1.0' | '0.3' = '1.0',
    credentials = grpc.credentials.createInsecure(),
  ) {
    this.version = version;
    this.client = new grpc.Client(address, credentials, { 'grpc.use_local_subchannel_pool': 1 });
    this.#metadata = key === undefined ? {} : { authorization: `Bearer ${key}` };
  }

  close(): void {
    this.client.close();
  }

  /** The bytes of a message. */
  bytes(method: string, json: JsonObject): Buffer {
    return Buffer.from(this.#codecs(method).request.encode(json));
  }

  /** The answer of a method, as canonical JSON; rejects with a GrpcRefusal. */
  async call(
    method: string,
    message: JsonObject | Buffer,
    metadata: Record<string, string | string[]> = {},
    options: grpc.CallOptions = {},
  ): Promise<JsonObject> {
    const { response } = this.#codecs(method);
    return response.decode(
      await this.raw(this.#path(method), this.#encoded(method, message), metadata, options),
    );
  }

  raw(
    path: string,
    message: Buffer,
    metadata: Record<string, string | string[]> = {},
    options: grpc.CallOptions = {},
  ): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        path,
        asIs,
        asIs,
        message,
        this.#sent(metadata),
        options,
        (error, answer) => {
          if (error) reject(refusalOf(error));
          else resolve(answer ?? Buffer.alloc(0));
        },
      );
    });
  }

  /** A stream as it comes; `end` rejects with a GrpcRefusal. */
  stream(
    method: string,
    message: JsonObject | Buffer,
    metadata: Record<string, string | string[]> = {},
    options: grpc.CallOptions = {},
  ) {
    const { response } = this.#codecs(method);
    const call = this.client.makeServerStreamRequest(
      this.#path(method),
      asIs,
      asIs,
      this.#encoded(method, message),
      this.#sent(metadata),
      options,
    );
    const events: JsonObject[] = [];
    call.on('data', (bytes: Buffer) => events.push(response.decode(bytes)));
    const end = new Promise<grpc.Metadata>((resolve, reject) => {
      call.on('error', (error) => reject(refusalOf(error as grpc.ServiceError)));
      call.on('status', ({ code, metadata: trailers }) => {
        if (code === grpc.status.OK) resolve(trailers);
      });
    });
    end.catch(() => undefined);
    const until = async (count: number) => {
      while (events.length < count) await once(call, 'data');
      return events;
    };
    return { call, events, end, until };
  }

  #codecs(method: string) {
    const found = METHODS[this.version].get(method);
    if (found === undefined) throw new Error(`no method ${method}`);
    return found;
  }

  #path(method: string): string {
    return `/${SERVICE_NAMES[this.version]}/${method}`;
  }

  #encoded(method: string, message: JsonObject | Buffer): Buffer {
    return Buffer.isBuffer(message) ? message : this.bytes(method, message);
  }

  #sent(given: Record<string, string | string[]>): grpc.Metadata {
    const metadata = new grpc.Metadata();
    for (const [name, values] of Object.entries({ ...this.#metadata, ...given }))
      for (const value of [values].flat()) metadata.add(name, value);
    return metadata;
  }
}

/** Where a gateway serves gRPC, as its card says. */
export async function grpcAddress(url: string, version = '1.0'): Promise<string> {
  const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as {
    supportedInterfaces: { url: string; protocolBinding: string; protocolVersion: string }[];
  };
  const found = card.supportedInterfaces.find(
    ({ protocolBinding, protocolVersion }) => protocolBinding === 'GRPC' && protocolVersion === version,
  );
  if (found === undefined) throw new Error('the card lists no gRPC');
  return found.url;
}

export function refusalOf({ code, details, metadata }: grpc.ServiceError): GrpcRefusal {
  const [bytes] = metadata.get('grpc-status-details-bin');
  const { details: found = [] } = Buffer.isBuffer(bytes) ? decodeStatus(bytes) : {};
  const info = found.find(({ typeUrl }) => typeUrl.endsWith('ErrorInfo'));
  return {
    status: grpc.status[code],
    message: details,
    reason: info && decodeErrorInfo(info.value).reason,
    details: found.map(({ typeUrl }) => typeUrl.slice(typeUrl.lastIndexOf('.') + 1)),
    trailers: metadata,
  };
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}
