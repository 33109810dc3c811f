import { type Command, metadataOf } from '#core/command.ts';
import type { Facts } from '#core/facts.ts';
import { load, loadWorkspace } from '#core/load.ts';
import { newEvent, type Place } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { defaultWorkspace } from '#policy/access.ts';
import { type Clean, own } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { blankArtifact } from './large-content.ts';
import type { Artifact, RegisterArtifactRequest } from './schema.ts';

export const registerArtifact: Command<'registerArtifact'> = {
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
