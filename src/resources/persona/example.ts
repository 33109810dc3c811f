import { resource } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Persona: resource('persona', 'persona_01KAHG6NGB2F9Y1J3M5P7R9T1', {
    name: 'Concierge',
    version: '1.0.0',
    entry_workflow: 'a2a:sample',
    description: 'Answers questions of guests.',
    autonomy_tier: 'suggest',
    receipt_policy: 'optional',
    tools: [],
    capabilities: [],
    triggers: [],
    schedules: [],
    handoffs: [],
    context_packs: [],
    evals: [],
    owner: null,
    model_policy: {},
    rollout_policy: {},
    quota_id: null,
  }),
  CreatePersonaRequest: {
    name: 'Concierge',
    version: '1.0.0',
    entry_workflow: 'a2a:sample',
    description: 'Answers questions of guests.',
    autonomy_tier: 'suggest',
    receipt_policy: 'optional',
  },
  UpdatePersonaRequest: { description: 'Answers questions of guests and books tables.' },
} satisfies Examples;
