import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import type { Copies } from '#resources/room.ts';
import { foldOpenArtifact } from '#resources/task/fold.ts';
import { addRunFact } from '#resources/task/fold-run.ts';
import { type ArtifactState, artifactKeys, type UpstreamArtifactState } from './state.ts';
import { contentOfArtifact, foldReference } from './stored-content.ts';

export const folds: Folds = {
  'artifact.created': [foldArtifactCreated],
  'artifact.updated': [foldArtifactUpdated],
  'artifact.redacted': [foldArtifactRedacted],
};

function foldArtifactCreated(event: Event, states: StateWriter): void {
  const said = payload(event, 'artifact.created');
  const { artifact } = said;
  const state: ArtifactState = {
    resource: closed(artifact, said),
    internal: {
      store: said.store,
      first_piece: 0,
      pieces: said.pieces,
      all_text: said.all_text,
      size: said.size,
      upstream_id: said.upstream_artifact_id,
      name: said.name,
      closed: said.last_chunk,
      ...tenantOf(event),
    },
  };
  states.set(artifactKeys.artifact(artifact.id), state);
  foldReference(states, undefined, contentOfArtifact(state));
  indexArtifact(state, states);
  if (said.original_artifact_id !== undefined) foldAsset(event, states, said.original_artifact_id);
  addRunFact(event, states, { kind: 'artifact', id: artifact.id });
  if (event.task_id === null || said.upstream_artifact_id === null) return;
  const key = artifactKeys.upstreamArtifact(event.task_id, said.upstream_artifact_id);
  states.set(key, { artifact_id: artifact.id } satisfies UpstreamArtifactState);
  foldOpenArtifact(event, states, artifact.id, !said.last_chunk);
}

function foldArtifactUpdated(event: Event, states: StateWriter): void {
  const said = payload(event, 'artifact.updated');
  const key = artifactKeys.artifact(said.artifact_id);
  const state = states.get<ArtifactState>(key);
  if (!state) return;
  const { resource, internal } = state;
  const after: ArtifactState = {
    resource: {
      ...closed(resource, said),
      ...(said.name === undefined ? {} : { metadata: said.metadata ?? {} }),
      updated_at: event.created_at,
    },
    internal: {
      ...internal,
      ...(said.name === undefined ? {} : { name: said.name }),
      store: said.store,
      first_piece: said.append ? internal.first_piece : internal.pieces,
      pieces: said.pieces,
      all_text: said.all_text,
      size: said.size,
      closed: said.last_chunk,
      ...(internal.closed && said.append && !said.last_chunk ? { reopened: true } : {}),
    },
  };
  states.set(key, after);
  foldReference(states, contentOfArtifact(state), contentOfArtifact(after));
  if (internal.upstream_id !== null) foldOpenArtifact(event, states, said.artifact_id, !said.last_chunk);
}

/** The reason by which an Artifact loses what was said of it too. */
export const ERASED = 'erased';

/** The description stays, so that readers understand that content existed; of an erased one that it was there. */
function foldArtifactRedacted(event: Event, states: StateWriter): void {
  const key = artifactKeys.artifact(event.resource.id);
  const state = states.get<ArtifactState>(key);
  if (!state) return;
  const { resource, internal } = state;
  const isErased = payload(event, 'artifact.redacted').reason === ERASED;
  const metadata = { ...(isErased ? {} : resource.metadata), redacted: true };
  states.set(key, {
    resource: { ...resource, ...(isErased && { uri: null }), metadata, updated_at: event.created_at },
    internal: {
      ...internal,
      ...(isErased && { name: null }),
      store: 'none',
      first_piece: 0,
      pieces: 0,
      size: 0,
    },
  } satisfies ArtifactState);
  foldReference(states, contentOfArtifact(state), undefined);
}

/** An import brought it under another id, which the turns of its Workspace know it by. */
function foldAsset({ workspace_id, resource }: Event, states: StateWriter, originalId: string): void {
  if (workspace_id === null) return;
  const key = artifactKeys.asset(originalId);
  const copies = { ...states.get<Copies>(key)?.copies, [workspace_id]: resource.id };
  states.set(key, { copies } satisfies Copies);
}

function tenantOf({ workspace_id, metadata }: Event): { tenant?: string } {
  const tenant = metadata['tenant_id'];
  return workspace_id === null && typeof tenant === 'string' ? { tenant } : {};
}

/** The last chunk fixes hash and media type; until then the content may still grow. */
function closed(
  artifact: ArtifactState['resource'],
  said: { sha256?: string | undefined; mime_type?: string | undefined; last_chunk: boolean },
): ArtifactState['resource'] {
  return {
    ...artifact,
    mime_type: said.mime_type ?? artifact.mime_type,
    sha256: said.sha256 ?? (said.last_chunk ? artifact.sha256 : null),
  };
}

function indexArtifact({ resource }: ArtifactState, states: StateWriter): void {
  const { id, workspace_id, session_id, task_id } = resource;
  if (workspace_id) states.index(artifactKeys.artifactsOfWorkspace(workspace_id) + id);
  if (session_id) states.index(artifactKeys.artifactsOfSession(session_id) + id);
  if (task_id) states.index(artifactKeys.artifactsOfTask(task_id) + id);
}
