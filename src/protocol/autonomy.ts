/** How much a Persona may do by itself, least first. Source: Agents Protocol v1, "Persona". */
export const AUTONOMY_TIERS = ['shadow', 'suggest', 'act_with_approval', 'act_auto'] as const;
export type AutonomyTier = (typeof AUTONOMY_TIERS)[number];

/**
 * What a tool may do, mildest first: read; read beyond the gateway's own reach; write so that a repetition changes
 * nothing; write; write what cannot be undone.
 */
export const TOOL_SIDE_EFFECTS = [
  'read',
  'read_external',
  'write_idempotent',
  'write',
  'destructive',
] as const;
export type ToolSideEffect = (typeof TOOL_SIDE_EFFECTS)[number];

/** The classes that the policy distinguishes; a whole run of an agent is `delegate`. */
export const SIDE_EFFECT_CLASSES = [...TOOL_SIDE_EFFECTS, 'delegate'] as const;
export type SideEffectClass = (typeof SIDE_EFFECT_CLASSES)[number];

/** What a tier makes of a class. `ask`: it waits for a permission. `withhold`: the Task completes without it. */
const TIER_ACTIONS = ['call', 'ask', 'withhold'] as const;
export type TierAction = (typeof TIER_ACTIONS)[number];

/** Why calls of a tool wait for a permission in every tier that acts. */
export const HOLD_REASONS = ['operator', 'changed_definition'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

export type TierTable = Readonly<Record<AutonomyTier, Readonly<Record<SideEffectClass, TierAction>>>>;

/**
 * What each tier makes of each class. A whole agent run needs no approval by default: an agent that acts asks for each of
 * its own steps. Source: Agents Protocol v1, "Persona".
 */
export const TIER_TABLE: TierTable = {
  shadow: {
    read: 'withhold',
    read_external: 'withhold',
    write_idempotent: 'withhold',
    write: 'withhold',
    destructive: 'withhold',
    delegate: 'withhold',
  },
  suggest: {
    read: 'ask',
    read_external: 'ask',
    write_idempotent: 'ask',
    write: 'ask',
    destructive: 'ask',
    delegate: 'call',
  },
  act_with_approval: {
    read: 'call',
    read_external: 'call',
    write_idempotent: 'ask',
    write: 'ask',
    destructive: 'ask',
    delegate: 'call',
  },
  act_auto: {
    read: 'call',
    read_external: 'call',
    write_idempotent: 'call',
    write: 'call',
    destructive: 'ask',
    delegate: 'call',
  },
};

/** Words of ACP for how far a Session may go: another spelling of the tiers. Source: OpenAPI of agents-protocol-2026-10-11, Session. */
export const SESSION_MODES = ['ask', 'architect', 'code', 'shadow'] as const;
export type SessionMode = (typeof SESSION_MODES)[number];

export const TIER_OF_MODE = {
  shadow: 'shadow',
  architect: 'suggest',
  ask: 'act_with_approval',
  code: 'act_auto',
} as const satisfies Record<SessionMode, AutonomyTier>;

export const MODE_OF_TIER = {
  shadow: 'shadow',
  suggest: 'architect',
  act_with_approval: 'ask',
  act_auto: 'code',
} as const satisfies Record<AutonomyTier, SessionMode>;
