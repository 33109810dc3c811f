import type { Command } from '#core/command.ts';
import { load, notFound } from '#core/load.ts';
import { forget, isRemembered } from './remembered-permission.ts';

/** What is forgotten already, or was never remembered, is absent. */
export const forgetPermission: Command<'forgetPermission'> = {
  decide({ path }, tx, facts) {
    const request = load(tx, facts.caller, 'permission_request', path.request_id);
    if (!isRemembered(tx, request.resource)) throw notFound('remembered answer', 'request_id');
    forget(tx, request.resource);
    return { body: request.resource };
  },
};
