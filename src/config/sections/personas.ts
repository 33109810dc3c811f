import { z } from 'zod';
import { personaDefinition } from '#resources/persona/schema.ts';
import { filePath, operatorId } from '../shapes.ts';
import { DEFAULT_TENANT } from './tenancy.ts';

export const personas = z
  .strictObject({
    dir: filePath
      .optional()
      .describe(
        'Directory with one YAML file for each persona. Unset: personas/ beside this file, when it is there.',
      )
      .meta({ examples: ['config/personas'] }),
  })
  .prefault({})
  .describe('Roles that tasks and sessions may name.');

/** A persona as its file says it. */
export const personaFile = z.strictObject({
  id: operatorId,
  tenant: operatorId.default(DEFAULT_TENANT),
  ...personaDefinition.shape,
});
