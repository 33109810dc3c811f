import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type {
  GrpcMethod,
  GrpcRequest,
  GrpcService,
  GrpcStatus,
  ServerDeps,
  ServerLimits,
} from '#protocol-server.ts';
import type { Version } from '../../../mappings/a2a/encode-task.ts';
import { encodeError, grpcCode, refusal } from '../../../mappings/a2a/errors-out.ts';
import { type A2aOperation, operationOfGrpc } from '../../../mappings/a2a/operations.ts';
import { answerProto03, paramsOfProto03, toProto03 } from '../../../mappings/a2a/proto-03.ts';
import { isDeeper, MAX_FIELDS, TooManyFields } from '../proto/bounds.ts';
import { type Codec, FILE_BYTES, type MethodCodecs, methodsOf, RPC_STATUS_CODEC } from '../proto/codec.ts';
import { SERVICE_NAMES } from '../proto/service-names.ts';
import { type Asking, activated, addressed, negotiate } from './asking.ts';
import { type A2aHandler, METHODS, runMethod, type Streaming } from './requests.ts';

/** Metadata that names an agent where requests have no tenant. */
const AGENT = 'harn-agent';

/** Values of JSON are nested less than this where the library has read them: it has bounds of its own. */
const MAX_DECODED_DEPTH = 64;

/** The gRPC binding: the service of each version. Spec: A2A 1.0, 10. */
export function grpcServices(deps: ServerDeps, handler: A2aHandler): GrpcService[] {
  return (['1.0', '0.3'] as const).map((version) => serviceOf(version, deps, handler));
}

function serviceOf(version: Version, deps: ServerDeps, handler: A2aHandler): GrpcService {
  const methods = [...methodsOf(version).values()].flatMap((codecs): GrpcMethod[] => {
    const { name, streams } = codecs;
    const operation = operationOfGrpc(version, name);
    if (operation === undefined) return [];
    return [
      {
        name,
        streams,
        handle: (request, message) => answer(deps, handler, operation, version, codecs, request, message),
      },
    ];
  });
  return { name: SERVICE_NAMES[version], files: [FILE_BYTES[version]], methods, statusOf };
}

async function answer(
  deps: ServerDeps,
  handler: A2aHandler,
  name: A2aOperation,
  version: Version,
  { request: asked, response }: MethodCodecs,
  exchange: GrpcRequest,
  message: Uint8Array,
): Promise<Uint8Array | undefined> {
  deps.gateway.admit(METHODS[name], exchange.call());
  const isProto03 = version === '0.3';
  const negotiated = { ...negotiate(exchange, version), isProto03 };
  const given = decoded(asked, message, deps.limits);
  const { tenant, ...params } = isProto03 ? paramsOfProto03(name, given) : given;
  const asking: Asking = {
    exchange,
    negotiated,
    to: await addressed(deps, exchange, segmentOf(exchange, tenant)),
  };
  const headers = activated(negotiated, asking.to);
  exchange.addMetadata(headers);
  const streaming: Streaming = {
    headers: [],
    frame: (event) => Buffer.from(response.encode(isProto03 ? toProto03(event) : event)),
    // What comes after the beginning of a stream is said by the status of the call.
    failureFrame: () => Buffer.alloc(0),
  };
  const result = await runMethod(name, { deps, handler, streaming }, asking, params);
  if (result === undefined) return undefined;
  return response.encode(isProto03 ? answerProto03(name, result) : result);
}

function decoded(codec: Codec, message: Uint8Array, { maxJsonDepth }: ServerLimits): JsonObject {
  let json: JsonObject;
  try {
    json = codec.decode(message);
  } catch (cause) {
    if (cause instanceof TooManyFields)
      throw new ProtocolError(
        'payload_too_large',
        `The message has more than ${MAX_FIELDS} fields. Send large data as a file.`,
      );
    throw refusal('InvalidParams', `The message is none of this method: ${said(cause)}`, 'params');
  }
  // The library lets in less than the default.
  if (maxJsonDepth < MAX_DECODED_DEPTH && isDeeper(json, maxJsonDepth))
    throw refusal(
      'InvalidParams',
      'The message is nested too deeply. Flatten it and send it again.',
      'params',
    );
  return json;
}

/** What the library says of a message names no content of it. */
function said(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'it cannot be read.';
}

/** The cards of agents beside the default one name a tenant, which their clients send. Spec: A2A 1.0, 4.4.6. */
function segmentOf({ headers }: GrpcRequest, tenant: unknown): string | undefined {
  if (typeof tenant === 'string' && tenant !== '') return tenant;
  const named = headers[AGENT];
  return typeof named === 'string' && named !== '' ? named : undefined;
}

/** Spec: A2A 1.0, 10.6. */
function statusOf(error: ProtocolError): GrpcStatus {
  const encoded = encodeError(error);
  const code = grpcCode(encoded);
  const details = RPC_STATUS_CODEC.encode({ code, message: encoded.message, details: encoded.details });
  return { code, message: encoded.message, details };
}
