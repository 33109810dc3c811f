import type { Clean } from '#protocol/clean.ts';
import type { RememberRule } from '#resources/permission-rule/schema.ts';
import { type Folded, foreign, idKey, idList, idTextKey } from '#resources/states.ts';
import type { Review } from '#resources/trust/schema.ts';
import type { RememberedAnswer } from './draft.ts';
import type { PermissionRequest } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const permissionKeys = {
  permissionRequest: idKey<CleanPermissionRequestState>('r/permission_request/'),
  /** By task. */
  approvedCall: idTextKey('x/ac/'),
  /** By task. */
  upstreamRequest: idTextKey('x/up/'),
  rememberedPermission: (owner: string, { actor, route, subject_sha256 }: RememberedSubject) =>
    `x/rp/${owner}/${foreign(JSON.stringify([actor, route, subject_sha256]))}`,
  rememberedRequest: idKey('x/rq/'),
  requestsOfWorkspace: idList('l/permission/w/'),
  requestsOfSession: idList('l/permission/s/'),
  requestsOfTask: idList('l/permission/t/'),
  /** Permission requests whose answer is remembered. */
  rememberedInWorkspace: idList('l/remembered/'),
  /** Pending permission requests that have an `expires_at`, ordered by it. */
  expiringRequests: 'l/permission-expiry/',
} as const;

export type PermissionRequestState = Folded<
  PermissionRequest,
  {
    /** The agent's id of a request that it waits for inside its running turn; null when the answer is a next turn. */
    upstream_id: string | null;
    /** The agent took nothing of the turn; an approval sends it again. */
    resends?: true;
    /** Who has approved so far, where one approval is not enough. */
    votes?: Review[];
    /** What it is about, where its answer may be remembered. */
    subject_sha256?: string;
  }
>;

/** The newest answer for good about one subject. */
export type RememberedState = RememberedAnswer;

/** A permission request whose answer is remembered, and the key it is remembered under. */
export type RememberedRequestState = Folded<
  { id: string; workspace_id: string | null },
  {
    key: string;
    /** The same as a rule; absent in what was remembered before there were rules. */
    rule?: RememberRule;
  }
>;

/** Permission request made of an upstream's request id within a task. */
export interface UpstreamRequestState {
  request_id: string;
}

/** The arguments that a tool call of a task was approved with. */
export interface ApprovedCallState {
  input_sha256: string;
}

/** Whose question an answer for good is about, and which. */
export interface RememberedSubject {
  actor: string;
  route: string;
  subject_sha256: string;
}

/** As they are read: what was folded of clean events is clean. */
export type CleanPermissionRequestState = Clean<PermissionRequestState>;
export type CleanRememberedState = Clean<RememberedState>;
export type CleanRememberedRequestState = Clean<RememberedRequestState>;
export type CleanUpstreamRequestState = Clean<UpstreamRequestState>;
export type CleanApprovedCallState = Clean<ApprovedCallState>;
