import type { Command, Handlers } from '#core/command.ts';
import type { Expiry } from '#core/expiry.ts';
import { load, notFound } from '#core/load.ts';
import { word } from '#protocol/clean.ts';
import { listPermissionRequests, listTaskPermissionRequests } from './queries.ts';
import { readVerdict } from './read-verdict.ts';
import { forget, isRemembered } from './remembered-permission.ts';
import { denyRequest, refuseOtherArguments, refuseSettled, settleRequest } from './settle-request.ts';
import { type CleanPermissionRequestState, permissionKeys } from './state.ts';

/** The first answer wins. What it does to the task is the same as when the answer came as a task message. */
const respondPermissionRequest: Command<'respondPermissionRequest'> = {
  decide({ path, body, sent }, tx, facts) {
    const request = load(tx, facts.caller, 'permission_request', path.request_id);
    refuseSettled(request, tx.time);
    refuseOtherArguments(request, body.input_sha256);
    const { reviewer, metadata } = body;
    const reason = { sent: sent.reason, clean: body.reason };
    const verdict = readVerdict(request.resource.request, { sent, clean: body });
    settleRequest(tx, facts, request, { ...verdict, reviewer, reason, metadata });
    return { body: load(tx, facts.caller, 'permission_request', path.request_id).resource };
  },
};

/** What is forgotten already, or was never remembered, is absent. */
const forgetPermission: Command<'forgetPermission'> = {
  decide({ path }, tx, facts) {
    const request = load(tx, facts.caller, 'permission_request', path.request_id);
    if (!isRemembered(tx, request.resource)) throw notFound('remembered answer', 'request_id');
    forget(tx, request.resource);
    return { body: request.resource };
  },
};

/** A request that nobody answered in time is denied. */
export const expiry: Expiry = {
  prefix: permissionKeys.expiringRequests,
  end(tx, tools, id) {
    const request = tx.get<CleanPermissionRequestState>(permissionKeys.permissionRequest(id));
    if (request?.resource.status === 'pending') denyRequest(tx, tools, request, word('timeout'));
  },
};

export const handlers = {
  forgetPermission,
  respondPermissionRequest,
  listPermissionRequests,
  listTaskPermissionRequests,
} satisfies Partial<Handlers>;
