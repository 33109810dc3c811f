import type { MessageInput } from '../../protocol/resources/message.ts';
import { appendMessage, buildMessage } from '../append-message.ts';
import type { Command } from '../command.ts';
import { load } from '../load.ts';
import { makeRoom } from '../make-room.ts';
import { refuseForeignArtifacts } from '../message-references.ts';
import { placeOfSession } from '../new-event.ts';
import { refuseClosed } from '../refuse-closed.ts';

export const appendSessionMessage: Command<'appendSessionMessage'> = {
  decide({ path, body }, tx, facts) {
    const session = load(tx, facts.caller, 'session', path.session_id).resource;
    refuseClosed(session, tx.time);
    const place = placeOfSession(session);
    const message = body.message as MessageInput;
    refuseForeignArtifacts(message, 'message', session.workspace_id, tx, facts);
    makeRoom(tx, facts, session.id, message);
    const built = buildMessage(tx, facts, message, place);
    appendMessage(tx, built, { place, pending: true });
    return { body: built.message };
  },
};
