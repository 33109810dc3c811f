import type { SelfFacts } from '#core/facts.ts';
import type { StateReader } from '#eventlog/event-log.ts';
import { type Action, type ActionQuestion, decideAction, tierWithin } from '#policy/action.ts';
import type { Decision } from '#policy/decision.ts';
import { haltOn } from '#policy/halts.ts';
import type { AutonomyTier } from '#protocol/autonomy.ts';
import type { CleanPermissionsState } from '#resources/permission-rule/state.ts';
import { permissionRuleKeys } from '#resources/permission-rule/state.ts';
import { type PersonaState, personaKeys } from '#resources/persona/state.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import type { Task } from '#resources/task/schema.ts';
import { type CleanWorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';

/** Who acts and where, as a Task says it. */
export type Actor = Pick<Task, 'persona_id' | 'session_id' | 'workspace_id'>;

/** The question of an action of a task, with what holds for it now: a policy that changed while it ran is the newer one. */
export function actionQuestion(
  reader: StateReader,
  { policy, vaultsOf, halts }: Pick<SelfFacts, 'policy' | 'vaultsOf' | 'halts'>,
  { persona_id, session_id, workspace_id }: Actor,
  action: Action,
): ActionQuestion {
  const persona =
    persona_id === null ? undefined : reader.get<PersonaState>(personaKeys.persona(persona_id))?.resource;
  const fold = reader.get<CleanSessionFold>(sessionKeys.session(session_id));
  const session = fold?.internal;
  const workspace = reader.get<CleanWorkspaceState>(workspaceKeys.workspace(workspace_id))?.resource;
  return {
    policy,
    action: { ...action, vaults: vaultsOf(action.route) },
    tier: tierWithin(persona?.autonomy_tier ?? policy.defaultTier, fold?.resource.metadata ?? {}),
    ...(halts.inForce && { halt: haltOn(halts, action) }),
    persona,
    session: { skillIds: session?.skill_ids, vaultIds: session?.vault_ids },
    workspace: { id: workspace_id, capabilities: workspace?.capabilities ?? [] },
    isApproved: false,
  };
}

/** The tier that holds for a task now. */
export function tierOf(
  reader: StateReader,
  { policy }: Pick<SelfFacts, 'policy'>,
  { persona_id, session_id }: Pick<Actor, 'persona_id' | 'session_id'>,
): AutonomyTier {
  const persona =
    persona_id === null ? undefined : reader.get<PersonaState>(personaKeys.persona(persona_id))?.resource;
  const session = reader.get<CleanSessionFold>(sessionKeys.session(session_id))?.resource;
  return tierWithin(persona?.autonomy_tier ?? policy.defaultTier, session?.metadata ?? {});
}

/** What refuses an action in a Workspace already, before anybody says in which Session, by whom and with what. */
export function refusalIn(
  reader: StateReader,
  self: Pick<SelfFacts, 'policy' | 'vaultsOf' | 'halts'>,
  workspaceId: string,
  action: Action,
): Decision | undefined {
  const nobody = { persona_id: null, session_id: '', workspace_id: workspaceId };
  const decided = decideAction(actionQuestion(reader, self, nobody, action));
  return decided.effect === 'refuse' ? decided : undefined;
}

/** What a tenant has said; undefined where it has said nothing, so that nothing has to be asked. */
export function permissionsOf(reader: StateReader, workspaceId: string): CleanPermissionsState | undefined {
  const tenant = reader.get<CleanWorkspaceState>(workspaceKeys.workspace(workspaceId))?.internal.tenant;
  return tenant === undefined
    ? undefined
    : reader.get<CleanPermissionsState>(permissionRuleKeys.permissions(tenant));
}
