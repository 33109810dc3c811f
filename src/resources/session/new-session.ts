import type { Command } from '#core/command.ts';
import { metadataOf } from '#core/decode-input.ts';
import { expiryOf } from '#core/expiry.ts';
import type { Facts } from '#core/facts.ts';
import { load, loadWorkspace } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { type Clean, type CleanObject, type CleanText, word } from '#protocol/clean.ts';
import { refuseUnknownRoute } from '#resources/agent/choose-route.ts';
import { appendMessage, buildMessage, refuseForeignArtifacts } from '#resources/message/append-message.ts';
import { refuseUnknownProvider } from '#resources/runtime/provider-catalog.ts';
import { referencesOf, type SessionReferences } from './references.ts';
import type { Session, SessionModelPolicy } from './schema.ts';
import { refuseUnknownTier, withMode } from './session-tier.ts';
import { modeShown, shownSession } from './shown-session.ts';
import { withOwnBudget } from './transcript/budget.ts';
import { makeRoom } from './transcript/make-room.ts';

export const createSession: Command<'createSession'> = {
  decide({ body, sent }, tx, facts) {
    const workspace = loadWorkspace(tx, facts.caller, body.workspace_id, 'workspace_id').resource;
    const references = referencesOf(body, tx, facts);
    const { id } = newSession(tx, facts, {
      workspaceId: workspace.id,
      personaId: body.persona_id ?? null,
      metadata: withMode(metadataOf(body), body.mode_id),
      modelPolicy: body.model_policy ?? undefined,
      references,
    });
    const place = { workspace_id: workspace.id, session_id: id };
    for (const [at, clean] of (body.initial_messages ?? []).entries()) {
      const message = { sent: sent.initial_messages?.[at] ?? clean, clean };
      refuseForeignArtifacts(message.sent, `initial_messages[${at}]`, workspace.id, tx, facts);
      makeRoom(tx, facts, id, message.sent);
      appendMessage(tx, buildMessage(tx, facts, message, place), { place, pending: true });
    }
    return { body: shownSession(tx, facts, load(tx, facts.caller, 'session', id)) };
  },
};

interface NewSession {
  workspaceId: CleanText;
  personaId: CleanText | null;
  metadata: CleanObject;
  modelPolicy?: Clean<SessionModelPolicy> | undefined;
  /** What else the event says of what the session was given. */
  references?: SessionReferences;
  /** The name its actor knows it by. */
  key?: CleanText | undefined;
}

/** Makes a Session and appends its event. */
export function newSession(tx: Transaction, facts: Facts, given: NewSession): Clean<Session> {
  const { key } = given;
  const metadata = withOwnBudget(given.metadata);
  refuseUnknownRoute(facts.routes, metadata);
  refuseUnknownTier(metadata);
  refuseUnknownProvider(facts, given.modelPolicy);
  const session: Clean<Session> = {
    id: facts.newId('session'),
    object: 'session',
    created_at: tx.time,
    updated_at: tx.time,
    metadata,
    workspace_id: given.workspaceId,
    state: 'IDLE',
    transcript: { object: word('transcript'), message_count: 0 },
    persona_id: given.personaId,
    root_session_id: null,
    parent_session_id: null,
    branch_id: null,
    last_event_id: null,
    summary: null,
    expires_at: expiryOf(metadata),
    ...(given.modelPolicy === undefined ? {} : { model_policy: given.modelPolicy }),
  };
  const place = { workspace_id: session.workspace_id, session_id: session.id };
  const payload = {
    session: modeShown(tx, facts.self, session),
    ...given.references,
    ...(key === undefined ? {} : { key }),
  };
  tx.append(newEvent('session.created', { object: 'session', id: session.id }, place, payload));
  return session;
}
