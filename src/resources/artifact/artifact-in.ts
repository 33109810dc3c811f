import type { StateReader } from '#eventlog/event-log.ts';
import { fromLog } from '#protocol/clean.ts';
import type { Copies } from '#resources/room.ts';
import { contentUri } from './large-content.ts';
import { artifactKeys, type CleanArtifactState } from './state.ts';

/**
 * The Artifact that turns of a Workspace mean by an id: one of that Workspace, or its own copy of what an import brought under
 * this id. Undefined for an id that only another Workspace knows.
 */
export function artifactIn(
  reader: StateReader,
  workspaceId: string,
  id: string,
): CleanArtifactState | undefined {
  const state = reader.get<CleanArtifactState>(artifactKeys.artifact(id));
  if (state?.resource.workspace_id === workspaceId) return state;
  const copy = reader.get<Copies>(artifactKeys.asset(id))?.copies[workspaceId];
  return copy === undefined ? undefined : reader.get<CleanArtifactState>(artifactKeys.artifact(copy));
}

/** The same under the id that the turns know, as transcripts and bundles name it. */
export function assetIn(
  reader: StateReader,
  workspaceId: string,
  id: string,
): CleanArtifactState | undefined {
  const state = artifactIn(reader, workspaceId, id);
  if (state === undefined || state.resource.id === id) return state;
  const { resource, internal } = state;
  // The id is a name that an import brought, and is in the log under it.
  const known = fromLog(id);
  const uri = resource.uri === contentUri(resource.id) ? contentUri(known) : resource.uri;
  return { resource: { ...resource, id: known, uri }, internal };
}
