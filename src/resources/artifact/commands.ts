import type { Command, Handlers } from '#core/command.ts';
import { metadataOf } from '#core/decode-input.ts';
import type { Facts } from '#core/facts.ts';
import { load, loadWorkspace } from '#core/load.ts';
import { newEvent, type Place, placeOfArtifact } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { sha256Hex } from '#json/canonical.ts';
import { defaultWorkspace } from '#policy/access.ts';
import { type Clean, own } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { contentScope } from '#resources/states.ts';
import { blankArtifact, contentUri } from './large-content.ts';
import { downloadArtifactContent, getArtifact, listArtifacts } from './queries.ts';
import type { Artifact, RegisterArtifactRequest } from './schema.ts';
import type { CleanArtifactState } from './state.ts';
import { keepBytes } from './stored-bytes.ts';

const registerArtifact: Command<'registerArtifact'> = {
  decide({ body }, tx, facts) {
    const place = placeOf(body, tx, facts);
    const id = facts.newId('artifact');
    const blank = blankArtifact(id, tx.time, place);
    const sha256 = body.sha256 ? own(body.sha256.replace(/^sha256:/, '').toLowerCase()) : null;
    const artifact: Clean<Artifact> = {
      ...blank,
      kind: body.kind,
      mime_type: body.mime_type,
      uri: body.uri ?? blank.uri,
      visibility: body.visibility,
      sha256,
      metadata: { ...metadataOf(body), ...blank.metadata },
    };
    tx.append(
      newEvent('artifact.created', { object: 'artifact', id }, place, {
        artifact,
        upstream_artifact_id: null,
        name: null,
        store: 'none',
        append: false,
        chunk_index: 0,
        last_chunk: Boolean(body.uri),
        parts: [],
        all_text: false,
        size: 0,
        pieces: 0,
        ...(sha256 === null ? {} : { sha256 }),
      }),
    );
    return { body: load(tx, facts.caller, 'artifact', id).resource };
  },
};

/** Task decides session and workspace, session decides workspace; a contradiction is an absent resource. */
function placeOf(body: Clean<RegisterArtifactRequest>, tx: Transaction, facts: Facts): Place {
  const task = body.task_id ? load(tx, facts.caller, 'task', body.task_id, 'task_id').resource : undefined;
  const sessionId = body.session_id ?? task?.session_id;
  const session = sessionId ? load(tx, facts.caller, 'session', sessionId, 'session_id').resource : undefined;
  const workspaceId = body.workspace_id ?? session?.workspace_id ?? defaultWorkspace(facts.caller);
  const workspace = loadWorkspace(tx, facts.caller, workspaceId, 'workspace_id').resource;
  refuseContradiction(task !== undefined && session?.id !== task.session_id, 'session_id');
  refuseContradiction(session !== undefined && workspace.id !== session.workspace_id, 'workspace_id');
  const branch_id = task?.branch_id ?? session?.branch_id ?? null;
  return {
    workspace_id: workspace.id,
    session_id: session?.id ?? null,
    task_id: task?.id ?? null,
    branch_id,
  };
}

function refuseContradiction(contradicts: boolean, param: string): void {
  if (!contradicts) return;
  const message = `${param} does not fit the other ids of the request. Leave it out or name the right one.`;
  throw new ProtocolError('invalid_request', message, { param });
}

/** Takes the bytes of a registered Artifact once; the same bytes again change nothing. */
const uploadArtifactContent: Command<'uploadArtifactContent'> = {
  decide({ path, body }, tx, facts) {
    const state = load(tx, facts.caller, 'artifact', path.artifact_id);
    const sha256 = own(body.sha256 ?? sha256Hex(body.bytes));
    if (state.internal.closed) return repeatedUpload(state, sha256);
    refuseOtherBytes(state, sha256);
    if (body.bytes.length > facts.limits.artifactBytes) throw tooLarge(facts.limits.artifactBytes);
    const { resource, internal } = state;
    const scope = contentScope(resource.workspace_id, internal.tenant);
    const pieces = keepBytes(tx, { scope, sha256 }, body.bytes);
    tx.append(
      newEvent('artifact.updated', { object: 'artifact', id: resource.id }, placeOfArtifact(resource), {
        artifact_id: resource.id,
        store: 'bytes',
        append: false,
        chunk_index: 0,
        last_chunk: true,
        parts: [],
        all_text: false,
        size: body.bytes.length,
        pieces,
        sha256,
      }),
    );
    return { body: load(tx, facts.caller, 'artifact', path.artifact_id).resource };
  },
};

function repeatedUpload({ resource }: CleanArtifactState, sha256: string) {
  const isElsewhere = resource.uri !== contentUri(resource.id);
  if (resource.sha256 === sha256 && !isElsewhere) return { body: resource };
  if (isElsewhere) {
    const message =
      'The content of this artifact lives at its uri. Register another artifact without a uri to upload.';
    throw new ProtocolError('conflict', message, { details: { uri: resource.uri } });
  }
  throw new ProtocolError(
    'conflict',
    'This artifact has its content already. Register another artifact for other bytes.',
  );
}

function refuseOtherBytes({ resource }: CleanArtifactState, sha256: string): void {
  if (resource.sha256 === null || resource.sha256 === sha256) return;
  const message =
    'The uploaded bytes do not have the sha256 the artifact was registered with. Upload the right bytes.';
  throw new ProtocolError('invalid_request', message, {
    param: 'sha256',
    details: { expected: resource.sha256, observed: sha256 },
  });
}

function tooLarge(limit: number): ProtocolError {
  return new ProtocolError('payload_too_large', `The content is larger than ${limit} bytes. Split it.`, {
    details: { limit_bytes: limit },
  });
}

export const handlers = {
  registerArtifact,
  uploadArtifactContent,
  downloadArtifactContent,
  getArtifact,
  listArtifacts,
} satisfies Partial<Handlers>;
