import type { StateReader } from '../eventlog/event-log.ts';
import type { MessageInput } from '../protocol/resources/message.ts';
import { artifactIn } from './artifact-in.ts';
import type { Facts } from './facts.ts';
import { load, notFound } from './load.ts';

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
