import { appendMessage, buildMessage } from '../append-message.ts';
import type { Command } from '../command.ts';
import { load } from '../load.ts';
import { makeRoom } from '../make-room.ts';
import { refuseForeignArtifacts } from '../message-references.ts';
import { placeOfSession } from '../new-event.ts';
import { refuseClosed } from '../refuse-closed.ts';

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
