import { z } from 'zod';
import { AUTONOMY_TIERS } from '#protocol/autonomy.ts';
import { envelope, givenId, jsonObject, metadata } from '#protocol/envelope.ts';

export const RECEIPT_POLICIES = ['required', 'optional', 'disabled'] as const;

const names = z.array(z.string().min(1).max(200)).max(200);
const rules = z.array(jsonObject).max(200);
const RECORDED = 'Recorded and shown; nothing of this gateway runs or reads it.';

/** What a Persona is made of besides its identity; a file in the directory of personas has the same members. */
const definition = {
  name: z.string().min(1).max(200),
  version: z.string().min(1).max(100),
  entry_workflow: z
    .string()
    .min(1)
    .max(1024)
    .describe(
      'Route of its Tasks when it is one, for example a2a:shop; any other text is kept and chooses none.',
    ),
  description: z.string().max(4000),
  autonomy_tier: z
    .enum(AUTONOMY_TIERS)
    .describe(
      'shadow calls nothing, suggest asks before each tool, act_with_approval before tools that write, act_auto before destructive ones.',
    ),
  receipt_policy: z
    .enum(RECEIPT_POLICIES)
    .describe(
      'disabled: its Tasks have no Receipts. optional: each has one of its end. required: one of its acceptance too.',
    ),
  tools: names.describe(
    'Ids of the Skills its Tasks may call; files__* is every tool of a server. Empty: all of them.',
  ),
  capabilities: names.describe(
    'tool:<side-effect class>, agent:<protocol>, tool:* and agent:* say what its Tasks may use, once one of them is listed. Other words are shown and limit nothing.',
  ),
  triggers: rules.describe(RECORDED),
  schedules: rules.describe(RECORDED),
  handoffs: names.describe(
    'Routes of the agents its Tasks may be given to besides its own workflow, for example a2a:shop or a2a:*. Empty: all of them.',
  ),
  context_packs: names.describe(RECORDED),
  evals: names.describe(RECORDED),
  owner: z.string().max(200).nullable(),
  model_policy: jsonObject.describe(RECORDED),
  rollout_policy: jsonObject.describe(RECORDED),
  quota_id: givenId.max(200).nullable().describe('Quota that the Tasks of this Persona count against.'),
} as const;

/** Source: Agents Protocol v1, "Persona". Belongs to a tenant, not to a workspace. */
export const persona = envelope('persona', definition).meta({ id: 'Persona' });
export type Persona = z.infer<typeof persona>;

/** A Persona as it is written down: what is left out is empty. */
export const personaDefinition = z.object({
  ...definition,
  tools: definition.tools.default([]),
  capabilities: definition.capabilities.default([]),
  triggers: definition.triggers.default([]),
  schedules: definition.schedules.default([]),
  handoffs: definition.handoffs.default([]),
  context_packs: definition.context_packs.default([]),
  evals: definition.evals.default([]),
  owner: definition.owner.default(null),
  model_policy: definition.model_policy.default({}),
  rollout_policy: definition.rollout_policy.default({}),
  quota_id: definition.quota_id.default(null),
  metadata: metadata.default({}),
});
export type PersonaDefinition = z.output<typeof personaDefinition>;

export const createPersonaRequest = personaDefinition
  .extend({
    module_ref: z.string().max(1024).optional().describe('Kept in the metadata; nothing is loaded.'),
  })
  .meta({ id: 'CreatePersonaRequest' });

export const updatePersonaRequest = z
  .object({
    description: definition.description.optional(),
    receipt_policy: definition.receipt_policy.optional(),
    quota_id: definition.quota_id.optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'UpdatePersonaRequest' });
