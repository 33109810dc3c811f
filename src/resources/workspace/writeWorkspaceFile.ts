import { type Command, type CommandInput, metadataOf } from '#core/command.ts';
import { loadWorkspace } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import { sha256Hex } from '#json/sha256.ts';
import { own } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { namesOfFile } from './file-path.ts';

/**
 * The file is durable before its event. A crash in between leaves a file without an event; sending the same request again
 * records it. The content is never in the log.
 */
export const writeWorkspaceFile: Command<'writeWorkspaceFile'> = {
  mutexKey: ({ workspace_id }) => `files/${workspace_id}`,
  decide(input, tx, facts) {
    const { id, root } = loadWorkspace(tx, facts.caller, input.path.workspace_id).resource;
    const { names, bytes } = fileOf(input);
    if (bytes.length > facts.limits.fileBytes) throw tooLarge(facts.limits.fileBytes);
    return { effect: { kind: 'write_file', root: { id, root }, names, bytes } };
  },
  conclude(input, tx, facts) {
    const { id } = loadWorkspace(tx, facts.caller, input.path.workspace_id).resource;
    const { path, bytes } = fileOf(input);
    const metadata = metadataOf(input.body);
    const told = facts.redact(path).value;
    const payload = { path: told, bytes: bytes.length, sha256: own(sha256Hex(bytes)), metadata };
    const pointer = { object: 'workspace', id };
    const place = { workspace_id: id };
    const event = tx.append(newEvent('vendor.harn_gateway.file_written', pointer, place, payload));
    // As the log has it: the answer may be kept under an idempotency key.
    const { metadata: _, ...written } = event.payload;
    return { body: { object: 'file', ...place, encoding: 'utf-8', ...written } };
  },
};

/** The path of the body goes before that of the query. */
function fileOf({ asked, sent }: CommandInput<'writeWorkspaceFile'>) {
  const names = namesOfFile(sent.path ?? asked.path);
  return { names, path: names.join('/'), bytes: Buffer.from(sent.content) };
}

function tooLarge(limit: number): ProtocolError {
  return new ProtocolError(
    'payload_too_large',
    `The content is larger than ${limit} bytes. Use an artifact.`,
    {
      param: 'content',
      details: { limit_bytes: limit },
    },
  );
}
