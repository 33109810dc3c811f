import type { Command } from '../command.ts';
import { load, notFound } from '../load.ts';
import { forget } from '../remembered-permission.ts';

/** What is forgotten already, or was never remembered, is absent. */
export const forgetPermission: Command<'forgetPermission'> = {
  decide({ path }, tx, facts) {
    const request = load(tx, facts.caller, 'permission_request', path.request_id);
    if (request.internal.remembered_as === undefined) throw notFound('remembered answer', 'request_id');
    forget(tx, request);
    return { body: load(tx, facts.caller, 'permission_request', path.request_id).resource };
  },
};
