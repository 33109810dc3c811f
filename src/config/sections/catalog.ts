import { z } from 'zod';
import { filePath } from '../shapes.ts';

export const catalog = z
  .strictObject({
    file: filePath
      .optional()
      .describe(
        "JSON file in the form of Harn's provider catalog, version 6. Unset: only what agents offer is listed.",
      )
      .meta({ examples: ['./provider-catalog.json'] }),
  })
  .prefault({})
  .describe(
    'Providers and models that GET /v1/provider-catalog lists; a model_policy may name no other provider then.',
  );
