import { z } from 'zod';
import { AUTONOMY_TIERS, type AutonomyTier, type SideEffectClass, TIER_TABLE } from '#protocol/autonomy.ts';
import { REMEMBER_SCOPES } from '#resources/permission/schema.ts';
import { approvals } from './approvals.ts';

const cell = z.enum(['call', 'ask']);

/** The cells of one tier; their defaults are the built-in table. */
function row(tier: Exclude<AutonomyTier, 'shadow'>) {
  const is = (word: SideEffectClass, what: string) => {
    const built = TIER_TABLE[tier][word];
    return cell.default(built === 'withhold' ? 'ask' : built).describe(`${what}.`);
  };
  return z
    .strictObject({
      read: is('read', 'Tools that only read what the gateway reaches'),
      read_external: is('read_external', 'Tools that read beyond it'),
      write_idempotent: is('write_idempotent', 'Tools that write, and change nothing when they are repeated'),
      write: is('write', 'Tools that write'),
      destructive: is('destructive', 'Tools whose effect cannot be undone, and all of an untrusted server'),
      delegate: is('delegate', 'Whole runs of agents'),
    })
    .prefault({})
    .describe(`Cells of the tier ${tier}: call or ask.`);
}

const memory = (tier: AutonomyTier) =>
  z.enum(REMEMBER_SCOPES).default('never').describe(`Tasks of the tier ${tier}.`);

const remember = z
  .strictObject({
    suggest: memory('suggest'),
    act_with_approval: memory('act_with_approval'),
    act_auto: memory('act_auto'),
  })
  .prefault({})
  .describe(
    'How far an answer may hold beyond its own request: never, session, workspace, user or always. It bounds what an answer "always" to an ACP agent is remembered for (its workspace at most), and in which scopes permission rules, and from workspace on the permission policy, may allow anything. What they deny is denied in any case.',
  );

export const policy = z
  .strictObject({
    default_tier: z
      .enum(AUTONOMY_TIERS)
      .default('act_auto')
      .describe('Autonomy tier of tasks that name no persona. shadow completes them without calling.'),
    tiers: z
      .strictObject({
        suggest: row('suggest'),
        act_with_approval: row('act_with_approval'),
        act_auto: row('act_auto'),
      })
      .prefault({})
      .describe(
        'What each tier calls at once, and what it asks a permission for, by the side-effect class of the tool.',
      ),
    undeclared: cell
      .default('call')
      .describe('What act_auto makes of a tool of a trusted server that says nothing of its side effects.'),
    remember,
    approvals,
  })
  .prefault({})
  .describe('What tasks may do by themselves.');
