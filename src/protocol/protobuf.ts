import {
  createFileRegistry,
  type DescFile,
  type DescMessage,
  fromBinary,
  toBinary,
} from '@bufbuild/protobuf';
import {
  type DescriptorProto,
  FileDescriptorProtoSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
} from '@bufbuild/protobuf/wkt';

/** Files that others name, by their names; the library brings them. */
const STANDARD: ReadonlyMap<string, DescFile> = new Map(
  [
    file_google_protobuf_any,
    file_google_protobuf_duration,
    file_google_protobuf_empty,
    file_google_protobuf_struct,
    file_google_protobuf_timestamp,
  ].map((file) => [file.proto.name, file]),
);

/** A protocol file by its FileDescriptorProto. */
export function readFile(bytes: Uint8Array): DescFile {
  const proto = fromBinary(FileDescriptorProtoSchema, bytes);
  for (const message of proto.messageType) nameFields(message);
  const file = createFileRegistry(proto, (name) => STANDARD.get(name)).getFile(proto.name);
  if (file === undefined) throw new Error(`${proto.name} names a file that nobody has`);
  return file;
}

/** Some compilers leave out the names of JSON, which follow from the others. Spec: ProtoJSON, "Field names". */
function nameFields({ field, nestedType }: DescriptorProto): void {
  for (const each of field)
    each.jsonName ||= each.name.replaceAll(/_+([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase());
  for (const nested of nestedType) nameFields(nested);
}

/** The file and every file it names, the file first. */
export function withDependencies(file: DescFile): DescFile[] {
  return [file, ...file.dependencies.flatMap(withDependencies)];
}

export function fileBytes(file: DescFile): Uint8Array {
  return toBinary(FileDescriptorProtoSchema, file.proto);
}

export function messageOf(file: DescFile, name: string): DescMessage {
  const found = file.messages.find((message) => message.name === name);
  if (found === undefined) throw new Error(`${file.name} has no message ${name}`);
  return found;
}
