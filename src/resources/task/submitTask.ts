import type { Command } from '#core/command.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { sessionForTask } from '#resources/session/session-for-task.ts';
import { submitTaskTo } from './submit-task.ts';

export const submitTask: Command<'submitTask'> = {
  decide({ body, sent }, tx, facts) {
    const { session_id, session } = body;
    if (session_id !== undefined && session === undefined)
      return submitTaskTo(session_id, { sent, clean: body }, tx, facts);
    if (session_id === undefined && session !== undefined)
      return submitTaskTo(sessionForTask(session, tx, facts), { sent, clean: body }, tx, facts);
    const message =
      'Name one Session here: session_id for one that is there, or session for a new one. Or post to /v1/sessions/{session_id}/tasks.';
    throw new ProtocolError('invalid_request', message, { param: 'session_id' });
  },
};
