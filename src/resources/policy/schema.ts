import { z } from 'zod';
import { AUTONOMY_TIERS, SIDE_EFFECT_CLASSES } from '#protocol/autonomy.ts';
import { REMEMBER_SCOPES } from '#resources/permission/schema.ts';

const name = z.string().min(1).max(200);
const list = z
  .string()
  .min(1)
  .max(2000)
  .transform((text) => text.split(',').map((word) => word.trim()));

/** Whose call, of which operation, on what; and for Tasks the Skill or route, and who acts. */
export const explainPolicyQuery = z.object({
  actor: name.describe('Who would call.'),
  operation: name.describe('Its operationId, for example submitTask.'),
  resource: name.optional().describe('Id of what the call names; left out for a call that names nothing.'),
  skill: name
    .optional()
    .describe('Id of a Skill, or the route of an agent, that a Task would use; its policy is explained too.'),
  persona: name.optional().describe('Persona that the Task would name.'),
  session: name.optional().describe('Session that the Task would be in.'),
  scopes: list
    .optional()
    .describe('Scopes of an access token, separated by commas, for an actor that has no API key here.'),
  workspaces: list.optional().describe('Workspaces of that token. Default: workspace_default.'),
});
export type ExplainPolicyQuery = z.infer<typeof explainPolicyQuery>;

/** A decision with the rule that makes it. Vendor resource. */
export const policyExplanation = z
  .object({
    object: z.literal('policy_explanation'),
    actor: z.string(),
    operation: z.string(),
    resource: z.string().nullable(),
    skill: z.string().nullable(),
    /** The API key that was judged, of several the one that may do most; null for the scopes of a token. */
    credential: z.string().nullable(),
    decision: z.object({
      effect: z.enum(['allow', 'ask', 'withhold', 'refuse']),
      rule: z.string(),
      because: z.string(),
    }),
    /** Every check in order; those after the deciding one were not asked. */
    checks: z.array(z.object({ check: z.string(), result: z.enum(['passed', 'decided', 'not_asked']) })),
    tier: z.enum(AUTONOMY_TIERS).nullable(),
    side_effect: z.enum(SIDE_EFFECT_CLASSES).nullable(),
    /** How far the tier lets an answer for good be remembered; where several have to approve, none is. */
    remembers: z.enum(REMEMBER_SCOPES).nullable(),
  })
  .meta({ id: 'PolicyExplanation' });
export type PolicyExplanation = z.infer<typeof policyExplanation>;
