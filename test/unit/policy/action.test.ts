import { describe, expect, it } from 'vitest';
import { type Action, type ActionQuestion, decideAction } from '#policy/action.ts';
import { policySettings } from '#policy/settings.ts';
import { AUTONOMY_TIERS, type AutonomyTier, SIDE_EFFECT_CLASSES } from '#protocol/autonomy.ts';

const DEFAULTS = { default_tier: 'act_auto', tiers: {}, undeclared: 'call' } as const;
const policy = policySettings(DEFAULTS);

const tool: Action = { route: 'mcp:files', skillId: 'files__write_file', sideEffect: 'write' };
const agent: Action = { route: 'a2a:shop', sideEffect: 'delegate' };

function decide(given: Partial<ActionQuestion>) {
  return decideAction({
    policy,
    action: tool,
    tier: 'act_auto',
    session: {},
    workspace: { id: 'workspace_default', capabilities: [] },
    isApproved: false,
    ...given,
  });
}

const persona = (given: Partial<NonNullable<ActionQuestion['persona']>>) => ({
  tools: [],
  capabilities: [],
  handoffs: [],
  entry_workflow: 'mcp:files',
  ...given,
});

/** Copied by hand: what each tier makes of each class of side effects. */
const TABLE: Record<AutonomyTier, string> = {
  shadow: 'withhold withhold withhold withhold withhold withhold',
  suggest: 'ask ask ask ask ask allow',
  act_with_approval: 'allow allow ask ask ask allow',
  act_auto: 'allow allow allow allow ask allow',
};

describe('the table of tiers and side-effect classes', () => {
  it.each(AUTONOMY_TIERS)('%s: every class has its decision, with the cell as its rule', (tier) => {
    const decisions = SIDE_EFFECT_CLASSES.map((sideEffect) =>
      decide({ tier, action: { route: 'mcp:x', sideEffect } }),
    );
    expect(decisions.map(({ effect }) => effect).join(' ')).toBe(TABLE[tier]);
    expect(decisions.map(({ rule }) => rule)).toEqual(
      ['read', 'read_external', 'write_idempotent', 'write', 'destructive', 'delegate'].map(
        (word) => `tier.${tier}.${word}`,
      ),
    );
    for (const { because } of decisions) expect(because).toMatch(/^Under .+\.$/);
  });

  it('an operator sets cells, and the sentence says so; no other cell changes', () => {
    const own = policySettings({
      ...DEFAULTS,
      tiers: { act_auto: { destructive: 'call', delegate: 'ask' } },
    });
    expect(decide({ policy: own, action: { ...tool, sideEffect: 'destructive' } })).toMatchObject({
      effect: 'allow',
      because: expect.stringContaining('by the configuration'),
    });
    expect(decide({ policy: own, action: agent }).effect).toBe('ask');
    expect(decide({ policy: own, tier: 'suggest', action: agent }).effect).toBe('allow');
  });
});

describe('what an operator says of a tool', () => {
  it.each(['operator', 'changed_definition'] as const)('%s: asks in each tier that acts', (hold) => {
    const action: Action = { ...tool, sideEffect: 'read', hold };
    for (const tier of ['suggest', 'act_with_approval', 'act_auto'] as const)
      expect(decide({ tier, action })).toMatchObject({ effect: 'ask', rule: `tool.${hold}` });
    expect(decide({ tier: 'shadow', action }).effect).toBe('withhold');
  });

  it('a tool of which nothing is said is called under act_auto only, and only where the operator leaves it so', () => {
    const action: Action = { ...tool, sideEffect: 'destructive', isDeclared: false };
    expect(decide({ action })).toMatchObject({ effect: 'allow', rule: 'tool.undeclared' });
    expect(decide({ action: { ...action, hold: 'operator' } }).effect).toBe('ask');
    for (const tier of ['suggest', 'act_with_approval'] as const)
      expect(decide({ tier, action })).toMatchObject({ effect: 'ask', rule: `tier.${tier}.destructive` });
    const asks = policySettings({ ...DEFAULTS, undeclared: 'ask' });
    expect(decide({ policy: asks, action }).rule).toBe('tier.act_auto.destructive');
  });
});

describe('an approval', () => {
  it('lets go on what was asked, and nothing that is refused or withheld', () => {
    const action: Action = { ...tool, hold: 'operator' };
    expect(decide({ action, isApproved: true })).toMatchObject({ effect: 'allow', rule: 'approval.given' });
    expect(decide({ action, isApproved: true, tier: 'shadow' }).effect).toBe('withhold');
    const refused = decide({ action, isApproved: true, persona: persona({ tools: ['other'] }) });
    expect(refused).toMatchObject({ effect: 'refuse', rule: 'persona.tools' });
  });
});

describe('a persona', () => {
  it.each([
    [[], 'allow'],
    [['files__write_file'], 'allow'],
    [['files__*'], 'allow'],
    [['*'], 'allow'],
    [['files__write'], 'refuse'],
    [['files__write_file_more'], 'refuse'],
    [['other__*'], 'refuse'],
    [[''], 'refuse'],
  ])('with the tools %j: %s', (tools, effect) => {
    expect(decide({ persona: persona({ tools }) }).effect).toBe(effect);
  });

  it('limits with its tools no agent that it hands work to', () => {
    expect(decide({ action: agent, persona: persona({ tools: ['x'] }) }).effect).toBe('allow');
  });

  it.each([
    [[], 'allow', 'allow'],
    [['research'], 'allow', 'allow'],
    [['tool:write'], 'allow', 'refuse'],
    [['tool:read', 'agent:a2a'], 'refuse', 'allow'],
    [['tool:*'], 'allow', 'refuse'],
    [['agent:*', 'research'], 'refuse', 'allow'],
    [['tool:wriite'], 'refuse', 'refuse'],
  ])(
    'with the capabilities %j: a tool that writes %s, an agent %s',
    (capabilities, toolEffect, agentEffect) => {
      const handoffs: string[] = [];
      expect(decide({ persona: persona({ capabilities }) }).effect).toBe(toolEffect);
      expect(decide({ action: agent, persona: persona({ capabilities, handoffs }) }).effect).toBe(
        agentEffect,
      );
      const workspace = { id: 'workspace_default', capabilities };
      expect(decide({ workspace }).rule === 'workspace.capabilities').toBe(toolEffect === 'refuse');
    },
  );

  it('hands work to its own workflow and to those it lists', () => {
    const hands = (given: object) => decide({ action: agent, persona: persona(given) });
    expect(hands({ handoffs: ['a2a:other'] })).toMatchObject({ effect: 'refuse', rule: 'persona.handoffs' });
    expect(hands({ handoffs: ['a2a:other'], entry_workflow: 'a2a:shop' }).effect).toBe('allow');
    expect(hands({ handoffs: ['a2a:*'] }).effect).toBe('allow');
    expect(hands({ handoffs: [] }).effect).toBe('allow');
  });
});

describe('a session and a workspace', () => {
  it('skills of a session limit tools and named skills, not agents named by their route', () => {
    const session = { skillIds: ['files__read_file'] };
    expect(decide({ session })).toMatchObject({ effect: 'refuse', rule: 'session.skills' });
    expect(decide({ session: { skillIds: ['files__write_file'] } }).effect).toBe('allow');
    expect(decide({ session, action: agent }).effect).toBe('allow');
    expect(decide({ session, action: { ...agent, skillId: 'shop__search' } }).effect).toBe('refuse');
  });

  it('vaults that are needed are those of the session and of the workspace', () => {
    const needs = (id: string, workspaceId: string | null): Action => ({
      ...tool,
      vaults: [{ id, workspaceId }],
    });
    expect(decide({ action: needs('vault_a', null) }).effect).toBe('allow');
    expect(decide({ action: needs('vault_a', 'workspace_other') }).rule).toBe('vault.workspace');
    expect(decide({ action: needs('vault_a', null), session: { vaultIds: ['vault_b'] } }).rule).toBe(
      'vault.session',
    );
    expect(decide({ action: needs('vault_a', null), session: { vaultIds: ['vault_a'] } }).effect).toBe(
      'allow',
    );
  });

  it.each(['hard', 'soft'] as const)(
    'a %s quota without room refuses before anybody is asked',
    (exhausted) => {
      const decision = decide({ exhausted, action: { ...tool, hold: 'operator' } });
      expect(decision).toMatchObject({ effect: 'refuse', rule: `quota.${exhausted}` });
    },
  );
});
