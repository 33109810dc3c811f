import {
  type DescFile,
  fromBinary,
  fromJson,
  fromJsonString,
  toBinary,
  toJson,
  toJsonString,
} from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import * as grpc from '@grpc/grpc-js';
import { fileBytes, messageOf, readFile, withDependencies } from '#protocol/protobuf.ts';
import { REFLECTION } from './descriptors.ts';

const OLD = 'grpc.reflection.v1alpha.ServerReflection';
const NEW = 'grpc.reflection.v1.ServerReflection';
export const REFLECTION_SERVICES = [NEW, OLD];

interface Asked {
  host?: string;
  fileByFilename?: string;
  fileContainingSymbol?: string;
  fileContainingExtension?: object;
  allExtensionNumbersOfType?: string;
  listServices?: string;
}

/**
 * Tells clients such as grpcurl which services there are and what their messages look like; the same to everybody, as the
 * OpenAPI document is. Spec: grpc/reflection/v1/reflection.proto.
 */
export function addReflection(
  server: grpc.Server,
  served: readonly { name: string; files: readonly Uint8Array[] }[],
): void {
  const own = readFile(Buffer.from(REFLECTION, 'base64'));
  const files = [own, newerOf(own), ...served.flatMap((each) => each.files.map(readFile))].flatMap(
    withDependencies,
  );
  const byName = new Map(files.map((file) => [file.proto.name, file]));
  const bySymbol = new Map(
    [...byName.values()].flatMap((file) => symbolsOf(file).map((name) => [name, file])),
  );
  const services = [...REFLECTION_SERVICES, ...served.map(({ name }) => name)].sort();
  const request = messageOf(own, 'ServerReflectionRequest');
  const response = messageOf(own, 'ServerReflectionResponse');

  const answerOf = (asked: Asked) => {
    if (asked.listServices !== undefined)
      return { listServicesResponse: { service: services.map((name) => ({ name })) } };
    const file =
      asked.fileByFilename === undefined
        ? bySymbol.get(asked.fileContainingSymbol ?? '')
        : byName.get(asked.fileByFilename);
    if (file === undefined)
      return {
        errorResponse: {
          errorCode: grpc.status.NOT_FOUND,
          errorMessage: 'No such file, symbol or extension.',
        },
      };
    const all = [...new Set(withDependencies(file))];
    return {
      fileDescriptorResponse: {
        fileDescriptorProto: all.map((each) => Buffer.from(fileBytes(each)).toString('base64')),
      },
    };
  };
  const info: grpc.handleBidiStreamingCall<Buffer, Buffer> = (call) => {
    call.on('data', (bytes: Buffer) => {
      try {
        const asked = toJson(request, fromBinary(request, bytes)) as Asked;
        const said = { validHost: asked.host ?? '', originalRequest: asked as never, ...answerOf(asked) };
        // No more is read while an answer is not taken.
        if (call.write(Buffer.from(toBinary(response, fromJson(response, said))))) return;
        call.pause();
        call.once('drain', () => call.resume());
      } catch {
        call.emit('error', {
          code: grpc.status.INVALID_ARGUMENT,
          details: 'Send a ServerReflectionRequest.',
        });
      }
    });
    call.on('end', () => call.end());
  };
  for (const name of REFLECTION_SERVICES)
    server.register(`/${name}/ServerReflectionInfo`, info, asIs, asIs, 'bidi');
}

/** The same file under the name that it has since it is stable. */
function newerOf(file: DescFile): DescFile {
  const text = toJsonString(FileDescriptorProtoSchema, file.proto).replaceAll('v1alpha', 'v1');
  return readFile(toBinary(FileDescriptorProtoSchema, fromJsonString(FileDescriptorProtoSchema, text)));
}

function symbolsOf({ messages, enums, services }: DescFile): string[] {
  return [
    ...messages.flatMap(function inside(message): string[] {
      return [message.typeName, ...message.nestedMessages.flatMap(inside)];
    }),
    ...enums.map(({ typeName }) => typeName),
    ...services.flatMap(({ typeName, methods }) => [
      typeName,
      ...methods.map(({ name }) => `${typeName}.${name}`),
    ]),
  ];
}

/** Messages are bytes to the library: what is read and written here says what they mean. */
export function asIs(bytes: Buffer): Buffer {
  return bytes;
}
