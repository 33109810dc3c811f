import { z } from 'zod';

const inputName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be the name of a session input: letters, digits and _');

const headers = z
  .record(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'must be the name of a header'), inputName)
  .default({})
  .describe('Headers that carry session inputs, by the names of the inputs, such as X-Token: SHOP_TOKEN.');

/** Which inputs of a Session (POST /v1/sessions/{id}/inputs) an agent gets with what is sent to it. */
export const headerInputs = z.strictObject({ headers });

export const toolInputs = z.strictObject({
  headers,
  arguments: z
    .record(z.string().min(1).max(128), inputName)
    .default({})
    .describe('Arguments of tools that have them, unless the call has its own.')
    .meta({ examples: [{ token: 'SHOP_TOKEN' }] }),
});

const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be the name of an environment variable');

/** Of an agent that keeps inputs itself, or finds them in the environment of a process that is of its Session alone. */
export const agentInputs = z.strictObject({
  names: z
    .array(z.union([z.literal('*'), inputName]))
    .default([])
    .describe(
      'Inputs that the agent is told by session/inputs, where it knows that method, "*" for all. It has to keep what is for websites to their origins.',
    )
    .meta({ examples: [['SHOP_TOKEN']] }),
  env: z
    .record(variable, inputName)
    .default({})
    .describe('Variables of its program that carry inputs; a Session that has any gets a process of its own.')
    .meta({ examples: [{ SHOP_TOKEN: 'SHOP_TOKEN' }] }),
});
