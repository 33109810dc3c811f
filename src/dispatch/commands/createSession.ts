import type { MessageInput } from '../../protocol/resources/message.ts';
import { appendMessage, buildMessage } from '../append-message.ts';
import { type Command, metadataOf } from '../command.ts';
import { load, loadWorkspace } from '../load.ts';
import { makeRoom } from '../make-room.ts';
import { refuseForeignArtifacts } from '../message-references.ts';
import { newSession } from '../new-session.ts';
import { referencesOf } from '../session-references.ts';

export const createSession: Command<'createSession'> = {
  decide({ body }, tx, facts) {
    const workspace = loadWorkspace(tx, facts.caller, body.workspace_id, 'workspace_id').resource;
    const references = referencesOf(body, tx, facts);
    const { id } = newSession(tx, facts, {
      workspaceId: workspace.id,
      personaId: body.persona_id ?? null,
      metadata: metadataOf(body),
      references,
    });
    const place = { workspace_id: workspace.id, session_id: id };
    (body.initial_messages ?? []).forEach((draft, at) => {
      const message = draft as MessageInput;
      refuseForeignArtifacts(message, `initial_messages[${at}]`, workspace.id, tx, facts);
      makeRoom(tx, facts, id, message);
      appendMessage(tx, buildMessage(tx, facts, message, place), { place, pending: true });
    });
    return { body: load(tx, facts.caller, 'session', id).resource };
  },
};
