import {
  createRegistry,
  type DescFile,
  type DescMessage,
  fromBinary,
  fromJson,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { messageOf, readFile } from '#protocol/protobuf.ts';
import { refuseManyFields, refuseNames } from './bounds.ts';
import { A2A_0_3, A2A_1_0, RPC_DETAILS, RPC_STATUS } from './descriptors.ts';

/** A protocol file as the bytes that reflection gives. */
export const FILE_BYTES = {
  '1.0': Buffer.from(A2A_1_0, 'base64'),
  '0.3': Buffer.from(A2A_0_3, 'base64'),
} as const;

const FILES: Readonly<Record<'1.0' | '0.3', DescFile>> = {
  '1.0': readFile(FILE_BYTES['1.0']),
  '0.3': readFile(FILE_BYTES['0.3']),
};
const STATUS = readFile(Buffer.from(RPC_STATUS, 'base64'));
const DETAILS = readFile(Buffer.from(RPC_DETAILS, 'base64'));
const registry = createRegistry(STATUS, DETAILS);

/** One message of a protocol file, read and written. What the file does not know is left out either way. */
export class Codec {
  readonly #message: DescMessage;

  constructor(message: DescMessage) {
    this.#message = message;
  }

  /**
   * The canonical JSON of a message. Throws for bytes that are none, and for what JSON has no word for or no reader takes: numbers
   * that are none, members named `__proto__`. Throws TooManyFields, before it makes anything of them.
   */
  decode(bytes: Uint8Array): JsonObject {
    refuseManyFields(this.#message, bytes);
    const message = fromBinary(this.#message, bytes, { readUnknownFields: false });
    const json = toJson(this.#message, message, { registry }) as JsonObject;
    refuseNames(bytes, json);
    return json;
  }

  encode(json: JsonValue): Uint8Array {
    return toBinary(this.#message, fromJson(this.#message, json, { ignoreUnknownFields: true, registry }));
  }
}

export interface MethodCodecs {
  /** Name of the method in its service. */
  name: string;
  streams: boolean;
  request: Codec;
  response: Codec;
}

/** The methods of the service of a version, by name. */
export function methodsOf(version: '1.0' | '0.3'): ReadonlyMap<string, MethodCodecs> {
  const [service] = FILES[version].services;
  return new Map(
    (service?.methods ?? []).map(({ name, input, output, methodKind }) => [
      name,
      {
        name,
        streams: methodKind === 'server_streaming',
        request: new Codec(input),
        response: new Codec(output),
      },
    ]),
  );
}

/** The `google.rpc.Status` that stands beside the status of a call. */
export const RPC_STATUS_CODEC = new Codec(messageOf(STATUS, 'Status'));
