import type { Command } from '#core/command.ts';
import { load } from '#core/load.ts';
import { placeOfSession } from '#core/new-event.ts';
import { refuseClosed } from '#resources/session/refuse-closed.ts';
import { makeRoom } from '#resources/session/transcript/make-room.ts';
import { appendMessage, buildMessage } from './append-message.ts';
import { refuseForeignArtifacts } from './references.ts';

export const appendSessionMessage: Command<'appendSessionMessage'> = {
  decide({ path, body, sent }, tx, facts) {
    const session = load(tx, facts.caller, 'session', path.session_id).resource;
    refuseClosed(session, tx.time);
    const place = placeOfSession(session);
    const message = { sent: sent.message, clean: body.message };
    refuseForeignArtifacts(message.sent, 'message', session.workspace_id, tx, facts);
    makeRoom(tx, facts, session.id, message.sent);
    const built = buildMessage(tx, facts, message, place);
    appendMessage(tx, built, { place, pending: true });
    return { body: built.message };
  },
};
