import type { MessageInput } from '../../protocol/resources/message.ts';
import type { Session } from '../../protocol/resources/session.ts';
import { appendMessage, buildMessage } from '../append-message.ts';
import { refuseUnknownRoute } from '../choose-route.ts';
import { type Command, metadataOf } from '../command.ts';
import { expiryOf } from '../expiry.ts';
import { load, loadWorkspace } from '../load.ts';
import { refuseForeignArtifacts } from '../message-references.ts';
import { newEvent } from '../new-event.ts';
import { referencesOf } from '../session-references.ts';

export const createSession: Command<'createSession'> = {
  decide({ body }, tx, facts) {
    const workspace = loadWorkspace(tx, facts.caller, body.workspace_id, 'workspace_id').resource;
    const references = referencesOf(body, tx, facts);
    const metadata = metadataOf(body);
    refuseUnknownRoute(facts.routes, metadata);
    const session: Session = {
      id: facts.newId('session'),
      object: 'session',
      created_at: tx.time,
      updated_at: tx.time,
      metadata,
      workspace_id: workspace.id,
      state: 'IDLE',
      transcript: { object: 'transcript', message_count: 0 },
      persona_id: body.persona_id ?? null,
      root_session_id: null,
      parent_session_id: null,
      branch_id: null,
      last_event_id: null,
      summary: null,
      expires_at: expiryOf(metadata),
    };
    const place = { workspace_id: workspace.id, session_id: session.id };
    tx.append(
      newEvent('session.created', { object: 'session', id: session.id }, place, { session, ...references }),
    );
    (body.initial_messages ?? []).forEach((draft, at) => {
      const message = draft as MessageInput;
      refuseForeignArtifacts(message, `initial_messages[${at}]`, workspace.id, tx, facts);
      appendMessage(tx, buildMessage(tx, facts, message, place), { place, pending: true });
    });
    return { body: load(tx, facts.caller, 'session', session.id).resource };
  },
};
