import type { Examples } from '#resources/room.ts';

export const examples = {
  PolicyExplanation: {
    object: 'policy_explanation',
    actor: 'ci-bot',
    operation: 'submitTask',
    resource: null,
    skill: 'files__write_file',
    credential: 'ci',
    decision: {
      effect: 'ask',
      rule: 'tier.act_auto.destructive',
      because: 'Under act_auto, a tool of class destructive waits for a permission.',
    },
    checks: [
      { check: 'scope', result: 'passed' },
      { check: 'tier', result: 'decided' },
    ],
    tier: 'act_auto',
    side_effect: 'destructive',
    remembers: 'never',
  },
} satisfies Examples;
