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
