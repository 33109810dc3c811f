import type { Facts } from '#core/facts.ts';
import { load, notFound } from '#core/load.ts';
import type { StateReader } from '#eventlog/event-log.ts';
import { artifactIn } from '#resources/artifact/artifact-in.ts';
import type { MessageInput } from './schema.ts';

/**
 * Refuses a Message that refers to an artifact the caller may not see, or of another workspace: the agent gets the bytes
 * of what a Message refers to. `path` names the Message in the request.
 */
export function refuseForeignArtifacts(
  message: MessageInput,
  path: string,
  workspaceId: string,
  reader: StateReader,
  { caller }: Pick<Facts, 'caller'>,
): void {
  message.parts.forEach((part, at) => {
    if (part.type !== 'artifact_ref' && part.type !== 'image_ref') return;
    const param = `${path}.parts[${at}].artifact_id`;
    load(reader, caller, 'artifact', part.artifact_id, param);
    if (!artifactIn(reader, workspaceId, part.artifact_id)) throw notFound('artifact', param);
  });
}
