import { z } from 'zod';

export const consolePage = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe('Serve the console at /console. It shows each user what that user may call.'),
    client_id: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'Name under which the issuers of auth.oauth know the console, as a public client with PKCE that returns to <public_url>/console/. Unset: people sign in with a key.',
      )
      .meta({ examples: ['harn-console'] }),
  })
  .prefault({})
  .describe('The page that operators and newcomers look at.');
