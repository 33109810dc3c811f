import type { Command } from '#core/command.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { submitTaskTo } from './submit-task.ts';

export const submitSessionTask: Command<'submitSessionTask'> = {
  decide({ path, body, sent }, tx, facts) {
    if (body.session_id !== undefined && body.session_id !== path.session_id) {
      const message = 'session_id in the body differs from the session in the path. Leave it out here.';
      throw new ProtocolError('invalid_request', message, { param: 'session_id' });
    }
    return submitTaskTo(path.session_id, { sent, clean: body }, tx, facts);
  },
};
