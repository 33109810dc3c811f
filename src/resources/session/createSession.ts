import { type Command, metadataOf } from '#core/command.ts';
import { load, loadWorkspace } from '#core/load.ts';
import { appendMessage, buildMessage } from '#resources/message/append-message.ts';
import { refuseForeignArtifacts } from '#resources/message/references.ts';
import { newSession } from './new-session.ts';
import { referencesOf } from './references.ts';
import { makeRoom } from './transcript/make-room.ts';

export const createSession: Command<'createSession'> = {
  decide({ body, sent }, tx, facts) {
    const workspace = loadWorkspace(tx, facts.caller, body.workspace_id, 'workspace_id').resource;
    const references = referencesOf(body, tx, facts);
    const { id } = newSession(tx, facts, {
      workspaceId: workspace.id,
      personaId: body.persona_id ?? null,
      metadata: metadataOf(body),
      references,
    });
    const place = { workspace_id: workspace.id, session_id: id };
    for (const [at, clean] of (body.initial_messages ?? []).entries()) {
      const message = { sent: sent.initial_messages?.[at] ?? clean, clean };
      refuseForeignArtifacts(message.sent, `initial_messages[${at}]`, workspace.id, tx, facts);
      makeRoom(tx, facts, id, message.sent);
      appendMessage(tx, buildMessage(tx, facts, message, place), { place, pending: true });
    }
    return { body: load(tx, facts.caller, 'session', id).resource };
  },
};
