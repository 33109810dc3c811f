import type { DecisionTools, Facts } from '#core/facts.ts';
import { newEvent } from '#core/new-event.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { contentHash } from '#json/canonical.ts';
import { type Clean, type CleanText, word } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Task } from '#resources/task/schema.ts';
import type { CleanTaskState } from '#resources/task/state.ts';
import { tierOf } from './action-question.ts';
import type { Recalled } from './draft.ts';
import type { Verdict } from './read-verdict.ts';
import type { PermissionRequest, RememberScope } from './schema.ts';
import {
  type CleanPermissionRequestState,
  type CleanRememberedRequestState,
  type CleanRememberedState,
  permissionKeys,
} from './state.ts';

/** Reason of an answer that nobody gave just now. */
export const REMEMBERED = word('remembered');

/** How far a remembered answer reaches, narrowest first, by what the policy allows now. */
const REACH = {
  never: [],
  session: ['session'],
  workspace: ['session', 'workspace'],
} as const satisfies Record<RememberScope, readonly RememberScope[]>;

/**
 * Whether an answer for good to this question would be remembered now, and the one that is: of the task's own actor, about the
 * same agent and the same subject. A subject with a secret in it is shown to nobody, so nothing is remembered of it.
 */
export function recall(
  tools: DecisionTools,
  reader: StateReader,
  { resource, internal }: CleanTaskState,
  subject: JsonObject,
): Recalled {
  const reach = REACH[rememberScope(tools, reader, resource)];
  if (reach.length === 0 || tools.redact(subject).hit) return { remembers: false };
  const about = { actor: resource.created_by, route: internal.route, subject_sha256: contentHash(subject) };
  for (const scope of reach) {
    const owner = scope === 'session' ? resource.session_id : resource.workspace_id;
    const answer = reader.get<CleanRememberedState>(permissionKeys.rememberedPermission(owner, about));
    if (answer !== undefined) return { remembers: true, answer };
  }
  return { remembers: true };
}

/**
 * How far the answer that somebody gives now is remembered; undefined: not at all. Whoever answers for a task of another actor
 * answers that one request.
 */
export function rememberedFor(
  tx: Transaction,
  facts: Facts,
  { resource }: CleanTaskState,
  request: CleanPermissionRequestState,
  { optionId }: Verdict,
): Exclude<RememberScope, 'never'> | undefined {
  const chosen = request.resource.request.options.find(({ option_id }) => option_id === optionId);
  if (!chosen?.kind.endsWith('_always') || request.internal.subject_sha256 === undefined) return undefined;
  if (resource.created_by !== facts.by.actor) return undefined;
  const scope = rememberScope(facts, tx, resource);
  return scope === 'never' ? undefined : scope;
}

/** Keeps an answer for good, in the place of the one before it. Both are events of the workspace and of no session. */
export function remember(
  tx: Transaction,
  { resource, internal }: CleanTaskState,
  request: CleanPermissionRequestState,
  { scope, approved }: { scope: RememberScope; approved: boolean },
): void {
  append(tx, resource.workspace_id, 'vendor.harn_gateway.permission_remembered', {
    request_id: request.resource.id,
    approved,
    owner: scope === 'session' ? resource.session_id : resource.workspace_id,
    actor: resource.created_by,
    route: internal.route,
    subject_sha256: request.internal.subject_sha256 ?? word(''),
  });
}

/** From now on the question is asked again. */
export function forget(tx: Transaction, { id, workspace_id }: Clean<PermissionRequest>): void {
  append(tx, workspace_id, 'vendor.harn_gateway.permission_forgotten', { request_id: id });
}

export function isRemembered(reader: StateReader, { id }: PermissionRequest): boolean {
  return reader.get<CleanRememberedRequestState>(permissionKeys.rememberedRequest(id)) !== undefined;
}

function append<Kind extends `vendor.harn_gateway.permission_${'remembered' | 'forgotten'}`>(
  tx: Transaction,
  workspace_id: CleanText,
  kind: Kind,
  payload: Parameters<typeof newEvent<Kind>>[3],
): void {
  tx.append(newEvent(kind, { object: 'workspace', id: workspace_id }, { workspace_id }, payload));
}

/** What several have to approve, or somebody else, is asked every time. */
function rememberScope(
  { approvals, self }: Pick<DecisionTools, 'approvals' | 'self'>,
  reader: StateReader,
  task: Task,
): RememberScope {
  const { quorum, fourEyes } = approvals.termsOf(task.workspace_id);
  return quorum > 1 || fourEyes ? 'never' : self.policy.remember[tierOf(reader, self, task)];
}
