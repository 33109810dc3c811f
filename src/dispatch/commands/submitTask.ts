import { ProtocolError } from '../../protocol/errors.ts';
import type { Command } from '../command.ts';
import { submitTaskTo } from '../submit-task.ts';

export const submitTask: Command<'submitTask'> = {
  decide({ body }, tx, facts) {
    if (body.session_id === undefined) {
      const message =
        'session_id is required here. Create a session first, or post to /v1/sessions/{session_id}/tasks.';
      throw new ProtocolError('invalid_request', message, { param: 'session_id' });
    }
    return submitTaskTo(body.session_id, body, tx, facts);
  },
};
