import {
  AUTONOMY_TIERS,
  type AutonomyTier,
  type HoldReason,
  type SideEffectClass,
} from '#protocol/autonomy.ts';
import { type Clean, type CleanText, sentence, word } from '#protocol/clean.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { PermissionDecision } from '#resources/permission-rule/schema.ts';
import type { Persona } from '#resources/persona/schema.ts';
import { type Checks, type Decision, decideBy } from './decision.ts';
import { decisionOfHalt, type HaltedTarget } from './halts.ts';
import { RULES } from './rules.ts';
import type { PolicySettings } from './settings.ts';

/** What a task is about to do, as its adapter says it before it is done. */
export interface Action {
  /** Route, for example `mcp:files`. */
  route: string;
  /** Id of the Skill, for example `files__write_file`; left out for an agent that was named by its route alone. */
  skillId?: string;
  sideEffect: SideEffectClass;
  /** False: the class is the worst one for want of any word of a trusted server. Default: true. */
  isDeclared?: boolean;
  hold?: HoldReason;
  /** Vaults that hold what the call needs, with the workspace each belongs to; null is every workspace. */
  vaults?: readonly { id: string; workspaceId: string | null }[];
}

/** Who acts, and where. Lists that are empty or left out limit nothing. */
export interface ActionQuestion {
  policy: PolicySettings;
  action: Action;
  tier: AutonomyTier;
  /** The halt that stops it; left out where none does. */
  halt?: HaltedTarget | undefined;
  persona?: Pick<Persona, 'tools' | 'capabilities' | 'handoffs' | 'entry_workflow'> | undefined;
  session: { skillIds?: readonly string[] | undefined; vaultIds?: readonly string[] | undefined };
  workspace: { id: string; capabilities: readonly string[] };
  /** The quota that has no room; undefined when all have. */
  exhausted?: 'hard' | 'soft' | undefined;
  /** The Session has cost what the policy of the tenant lets it; left out where it has not, or where that is unknown. */
  isAtCeiling?: boolean;
  /** A permission was given for this very action. */
  isApproved: boolean;
  /** What rules and the policy of the tenant make of it; left out where they say nothing. */
  permission?: Clean<PermissionDecision> | undefined;
}

/** The policy of actions, in order: what refuses comes before what asks, so that nobody is asked for what is refused. */
export const ACTION_CHECKS = [
  ['halts', halts],
  ['persona_tools', personaTools],
  ['persona_capabilities', personaCapabilities],
  ['persona_handoffs', personaHandoffs],
  ['session_skills', sessionSkills],
  ['workspace_capabilities', workspaceCapabilities],
  ['vaults', vaults],
  ['quotas', quotas],
  ['cost_ceiling', costCeiling],
  ['shadow', shadow],
  ['permission_denied', permissionDenied],
  ['approval', approval],
  ['operator', operator],
  ['undeclared', undeclared],
  ['permission_granted', permissionGranted],
  ['tier', byTier],
] as const satisfies Checks<ActionQuestion>;

export function decideAction(question: ActionQuestion): Decision {
  return decideBy(ACTION_CHECKS, question);
}

function halts({ halt }: ActionQuestion): Decision | undefined {
  return halt === undefined ? undefined : decisionOfHalt(halt);
}

/** Skills by id: `files__*` is every tool of a server, `*` is every tool. Agents are no tools. */
function personaTools({ persona, action }: ActionQuestion): Decision | undefined {
  if (action.sideEffect === 'delegate' || isListed(persona?.tools, action.skillId)) return undefined;
  return RULES['persona.tools'];
}

function personaCapabilities({ persona, action }: ActionQuestion): Decision | undefined {
  return covers(persona?.capabilities, action) ? undefined : RULES['persona.capabilities'];
}

/** Running an agent other than the persona's own workflow is a handover. */
function personaHandoffs({ persona, action }: ActionQuestion): Decision | undefined {
  if (action.sideEffect !== 'delegate' || persona === undefined) return undefined;
  const isOwn = persona.entry_workflow === action.route || persona.entry_workflow === skillRoute(action);
  return isOwn || isListed(persona.handoffs, action.route) ? undefined : RULES['persona.handoffs'];
}

/** A child Task of another Persona, or of an agent without one, is handed over too. A tool that it calls is not. */
export function refusedHandoff(
  { id, handoffs, entry_workflow }: Pick<Persona, 'id' | 'handoffs' | 'entry_workflow'>,
  { route, personaId }: { route: string; personaId: string | undefined },
): Decision | undefined {
  const isOwn = personaId === undefined ? isTool(route) || route === entry_workflow : personaId === id;
  return isOwn || isListed(handoffs, personaId ?? route) ? undefined : RULES['persona.handoffs'];
}

function isTool(route: string): boolean {
  return route.startsWith('mcp:');
}

function sessionSkills({ session, action }: ActionQuestion): Decision | undefined {
  if (action.skillId === undefined && action.sideEffect === 'delegate') return undefined;
  return isListed(session.skillIds, action.skillId) ? undefined : RULES['session.skills'];
}

function workspaceCapabilities({ workspace, action }: ActionQuestion): Decision | undefined {
  return covers(workspace.capabilities, action) ? undefined : RULES['workspace.capabilities'];
}

function vaults({ session, workspace, action }: ActionQuestion): Decision | undefined {
  for (const { id, workspaceId } of action.vaults ?? []) {
    if (workspaceId !== null && workspaceId !== workspace.id) return RULES['vault.workspace'];
    if (!isListed(session.vaultIds, id)) return RULES['vault.session'];
  }
  return undefined;
}

function quotas({ exhausted }: ActionQuestion): Decision | undefined {
  return exhausted === undefined ? undefined : RULES[`quota.${exhausted}`];
}

/** A tool costs nothing; what runs a model may. */
function costCeiling({ isAtCeiling, action }: ActionQuestion): Decision | undefined {
  return isAtCeiling && action.sideEffect === 'delegate' ? RULES['policy.cost_ceiling'] : undefined;
}

/** A shadow never acts, whatever else allows it. */
function shadow({ tier, policy, action }: ActionQuestion): Decision | undefined {
  const decision = policy.tiers[tier][action.sideEffect];
  return decision.effect === 'withhold' ? decision : undefined;
}

/** Whoever made a rule that denies is asked no more, and neither is anybody else. */
function permissionDenied({ permission }: ActionQuestion): Decision | undefined {
  if (permission?.outcome !== 'denied') return undefined;
  return byPermission('refuse', permission.rule_id ?? word('policy'), word('A permission rule denies this.'));
}

/** Stands for whoever would be asked by the tier; what the operator wants to be asked one by one still is. */
function permissionGranted(question: ActionQuestion): Decision | undefined {
  const { permission } = question;
  if (permission?.outcome !== 'granted' || byTier(question).effect !== 'ask') return undefined;
  const { rule_id, policy_version } = permission;
  const because = word(
    rule_id === null ? 'The permission policy allows this.' : 'A permission rule allows this.',
  );
  return byPermission('allow', rule_id ?? policy_version, because);
}

const BY_PERMISSION = 'permission.';

function byPermission(effect: 'allow' | 'refuse', id: CleanText, because: CleanText): Decision {
  return { effect, rule: sentence`${word(BY_PERMISSION)}${id}`, because };
}

/** Whether a rule, or the permission policy, decided. */
export function isByPermission({ rule }: Pick<Decision, 'rule'>): boolean {
  return rule.startsWith(BY_PERMISSION);
}

function approval({ isApproved }: ActionQuestion): Decision | undefined {
  return isApproved ? RULES['approval.given'] : undefined;
}

function operator({ action }: ActionQuestion): Decision | undefined {
  return action.hold === undefined ? undefined : RULES[`tool.${action.hold}`];
}

/** Only for the tier `act_auto`. The other tiers ask about unknown tools. */
function undeclared({ action, tier, policy }: ActionQuestion): Decision | undefined {
  const isSilent = action.isDeclared === false && tier === 'act_auto';
  return isSilent && policy.callsUndeclared ? RULES['tool.undeclared'] : undefined;
}

function byTier({ policy, tier, action }: ActionQuestion): Decision {
  return policy.tiers[tier][action.sideEffect];
}

/** An empty list limits nothing. `x*` is everything that begins with `x`. */
function isListed(list: readonly string[] | undefined, name: string | undefined): boolean {
  if (list === undefined || list.length === 0) return true;
  return list.some((item) => {
    if (!item.endsWith('*')) return item === name;
    return name?.startsWith(item.slice(0, -1)) ?? false;
  });
}

/** Capabilities of this form limit actions. Others are stored and shown, and limit nothing. */
const CAPABILITY = /^(tool|agent):/;

/**
 * Whether a list of capabilities covers an action: `tool:<class>` a tool of that class, `agent:<protocol>` a run of an agent,
 * `tool:*` and `agent:*` all of them. A list without such words limits nothing.
 */
function covers(list: readonly string[] | undefined, { sideEffect, route }: Action): boolean {
  if (list === undefined || !list.some((word) => CAPABILITY.test(word))) return true;
  const needed =
    sideEffect === 'delegate' ? `agent:${route.slice(0, route.indexOf(':'))}` : `tool:${sideEffect}`;
  return list.includes(needed) || list.includes(`${needed.slice(0, needed.indexOf(':'))}:*`);
}

function skillRoute({ skillId }: Action): string | undefined {
  return skillId === undefined ? undefined : `skill:${skillId}`;
}

/** Member of the metadata of a Session: the most that its tasks may do by themselves; null or absent limits nothing. */
export const SESSION_TIER = 'autonomy_tier';

export function isTier(word: JsonValue | undefined): word is AutonomyTier {
  return AUTONOMY_TIERS.includes(word as AutonomyTier);
}

/**
 * The tier of a task: what its persona or the operator allows, or less where its Session asks for less. A Session can lower it,
 * never raise it: only the persona or the configuration can.
 */
export function tierWithin(allowed: AutonomyTier, session: JsonObject): AutonomyTier {
  const asked = session[SESSION_TIER];
  if (!isTier(asked)) return allowed;
  return AUTONOMY_TIERS.indexOf(asked) < AUTONOMY_TIERS.indexOf(allowed) ? asked : allowed;
}
