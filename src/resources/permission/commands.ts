import type { Command, Handlers } from '#core/command.ts';
import type { Expiry } from '#core/expiry.ts';
import { load, notFound } from '#core/load.ts';
import { type Clean, word } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { listPermissionRequests, listTaskPermissionRequests } from './queries.ts';
import { readVerdict } from './read-verdict.ts';
import { forget, isRemembered } from './remembered-permission.ts';
import type { PermissionResponseRequest } from './schema.ts';
import {
  denyRequest,
  refuseOtherArguments,
  refuseSettled,
  settleRequest,
  type WantedRule,
} from './settle-request.ts';
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
    const rule = wantedRule(body, sent);
    settleRequest(tx, facts, request, { ...verdict, reviewer, reason, metadata, rule });
    return { body: load(tx, facts.caller, 'permission_request', path.request_id).resource };
  },
};

/** What is said of a rule counts where the answer is to become one. */
function wantedRule(
  body: Clean<PermissionResponseRequest>,
  sent: PermissionResponseRequest,
): WantedRule | undefined {
  if (body.remember !== true) return undefined;
  const { scope, expires_at, action_pattern, target_pattern, class: permissionClass } = body;
  for (const name of ['action_pattern', 'target_pattern'] as const) {
    if (sent[name] === body[name]) continue;
    const message = `${name}: holds a secret, which a rule never does. Use a pattern without it.`;
    throw new ProtocolError('policy_violation', message, { param: name });
  }
  return {
    ...(scope ? { scope } : {}),
    ...(permissionClass ? { class: permissionClass } : {}),
    ...(action_pattern ? { action_pattern } : {}),
    ...(target_pattern ? { target_pattern } : {}),
    ...(expires_at ? { expires_at } : {}),
  };
}

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
