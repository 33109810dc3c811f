import type { DecisionTools } from '#core/facts.ts';
import type { StateReader } from '#eventlog/event-log.ts';
import { contentHash } from '#json/canonical.ts';
import { decidePermission, type PermissionAbout, type PermissionTerms } from '#policy/permission.ts';
import type { AutonomyTier } from '#protocol/autonomy.ts';
import { type Clean, fromLog } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import { tierOf } from '#resources/permission/action-question.ts';
import { REACH, rememberedRule, rememberScope } from '#resources/permission/remembered-permission.ts';
import type { Task } from '#resources/task/schema.ts';
import { type CleanWorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import { rulesOf } from './fold.ts';
import { EMPTY_POLICY, EMPTY_POLICY_VERSION } from './policy-version.ts';
import type { PermissionDecision, PermissionPolicy, RuleScope } from './schema.ts';
import { type CleanPermissionsState, type PermissionsState, permissionRuleKeys } from './state.ts';

/** Whose task, and where. */
export type Asker = Pick<Task, 'persona_id' | 'session_id' | 'workspace_id' | 'created_by'>;

/** A question of an agent whose answer for good would be about exactly it. */
export interface ExactQuestion {
  route: string;
  subject_sha256: string;
}

type Tools = Pick<DecisionTools, 'approvals' | 'self'>;
type Now = StateReader & { time: string };

/** The policy of a tenant, and its version. */
export function policyOf(state: Pick<PermissionsState, 'policy'> | undefined): {
  version: string;
  document: PermissionPolicy;
} {
  return state?.policy ?? { version: EMPTY_POLICY_VERSION, document: EMPTY_POLICY };
}

/** What rules and policy make of something that a task of this asker wants now. */
export function permissionFor(
  reader: Now,
  tools: Tools,
  asker: Asker,
  about: PermissionAbout,
  exact?: ExactQuestion,
): Clean<PermissionDecision> {
  const { workspace_id: workspaceId, session_id: sessionId, created_by: actor } = asker;
  const tenant = reader.get<CleanWorkspaceState>(workspaceKeys.workspace(workspaceId))?.internal.tenant ?? '';
  const subject = { tenant, workspaceId, sessionId, actor, time: reader.time };
  return fromLog(decidePermission({ about, subject, terms: termsOf(reader, tools, asker, tenant, exact) }));
}

function termsOf(
  reader: Now,
  tools: Tools,
  asker: Asker,
  tenant: string,
  exact: ExactQuestion | undefined,
): PermissionTerms {
  const owners: [RuleScope, string][] = [
    ['session', asker.session_id],
    ['workspace', asker.workspace_id],
    ['user', asker.created_by],
    ['always', ''],
  ];
  const kept = owners.flatMap(([scope, value]) =>
    rulesOf(reader, permissionRuleKeys.rulesOf(tenant, scope, value)).map(({ resource }) => resource),
  );
  const remembered = exact === undefined ? [] : rememberedAnswers(reader, asker, exact, tenant);
  const scope = rememberScope(tools, reader, asker);
  return {
    rules: [...kept, ...remembered],
    exact: new Set(remembered.map(({ id }) => id)),
    policy: policyOf(reader.get<CleanPermissionsState>(permissionRuleKeys.permissions(tenant))),
    reach: REACH[scope],
    limit: limitOf(tierOf(reader, tools.self, asker), tools, asker.workspace_id),
  };
}

function rememberedAnswers(
  reader: StateReader,
  { session_id, workspace_id, created_by: actor }: Asker,
  exact: ExactQuestion,
  tenant: string,
) {
  return [session_id, workspace_id].flatMap(
    (owner) => rememberedRule(reader, { owner, about: { actor, ...exact }, tenant }) ?? [],
  );
}

/** Why an answer that is there does not hold. */
function limitOf(tier: AutonomyTier, { approvals, self }: Tools, workspaceId: string): string {
  const { quorum, fourEyes } = approvals.termsOf(workspaceId);
  if (quorum > 1 || fourEyes)
    return 'Several people, or another one than who asked, have to approve in this workspace (policy.approvals).';
  return `The operator lets answers for tasks of the tier ${tier} hold no wider than: ${self.policy.remember[tier]} (policy.remember).`;
}

/** The same by what an agent asks about, as it names it. */
export function exactOf(route: string, subject: JsonObject | undefined): ExactQuestion | undefined {
  return subject === undefined ? undefined : { route, subject_sha256: contentHash(subject) };
}
