import { z } from 'zod';
import { secretRef } from '../secret.ts';

/** Headers that frame the message or belong to the connection; a credential in one of them would break the request. */
const RESERVED_HEADERS = [
  'host',
  'content-length',
  'content-type',
  'connection',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
];

export const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, 'must be a header name')
  .refine(
    (name) => !RESERVED_HEADERS.includes(name.toLowerCase()),
    'must not be a header that HTTP itself uses',
  );

export const upstreamAuth = z
  .strictObject({
    type: z
      .enum(['bearer', 'header'], { error: (issue) => authTypeRefusal(issue.input) })
      .describe('bearer sends "Authorization: Bearer <value>"; header sends the value in the header `name`.')
      .meta({ examples: ['header'] }),
    name: headerName
      .optional()
      .describe('Header that carries the value; for type header only.')
      .meta({ examples: ['X-Api-Key'] }),
    value: secretRef
      .describe('Where the secret is: {env: NAME}, {file: PATH} or {vault: ID/NAME}; read at each use.')
      .meta({ examples: [{ env: 'SHOP_AGENT_TOKEN' }] }),
  })
  .superRefine((auth, context) => {
    if (auth.type === 'header' && auth.name === undefined) {
      context.addIssue({ code: 'custom', path: ['name'], message: 'is required when type is header' });
    }
    if (auth.type === 'bearer' && auth.name !== undefined) {
      context.addIssue({ code: 'custom', path: ['name'], message: 'is for type header only' });
    }
  });
export type UpstreamAuth = z.output<typeof upstreamAuth>;

function authTypeRefusal(input: unknown): string {
  return input === 'oauth2'
    ? 'oauth2 is not available in this version; use bearer or header'
    : 'must be bearer or header';
}
