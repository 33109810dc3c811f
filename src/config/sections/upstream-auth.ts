import { z } from 'zod';
import { secretRef } from '../secret.ts';
import { webUrl } from '../shapes.ts';

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

const text = z.string().min(1).max(1000);

/** What each type needs and takes besides `value`. */
const MEMBERS = {
  bearer: { needs: [], takes: [] },
  header: { needs: ['name'], takes: ['name'] },
  oauth2: {
    needs: ['token_url', 'client_id'],
    takes: ['token_url', 'client_id', 'scope', 'audience'],
  },
} as const;
const ALL_MEMBERS = ['name', 'token_url', 'client_id', 'scope', 'audience'] as const;

export const upstreamAuth = z
  .strictObject({
    type: z
      .enum(['bearer', 'header', 'oauth2'], 'must be bearer, header or oauth2')
      .describe(
        'bearer sends "Authorization: Bearer <value>"; header sends the value in the header `name`; oauth2 sends a token that the gateway gets by client credentials and renews.',
      )
      .meta({ examples: ['header'] }),
    name: headerName
      .optional()
      .describe('Header that carries the value; for type header only.')
      .meta({ examples: ['X-Api-Key'] }),
    value: secretRef
      .describe(
        'Where the secret is, of oauth2 that of the client: {env: NAME}, {file: PATH} or {vault: ID/NAME}; read at each use.',
      )
      .meta({ examples: [{ env: 'SHOP_AGENT_TOKEN' }] }),
    token_url: z
      .string()
      .refine(
        (url) => webUrl(url) !== undefined,
        'must be an http or https URL without fragment or user info',
      )
      .optional()
      .describe('Token endpoint of the authorization server; for type oauth2.')
      .meta({ examples: ['https://login.example.com/oauth/token'] }),
    client_id: text
      .optional()
      .describe('Client that asks for tokens; for type oauth2.')
      .meta({ examples: ['gateway'] }),
    scope: text
      .optional()
      .describe('Scopes to ask for, separated by spaces; for type oauth2.')
      .meta({ examples: ['tasks:write'] }),
    audience: text
      .optional()
      .describe('Audience to ask for, where the server wants one; for type oauth2.')
      .meta({ examples: ['https://agent.example.com'] }),
  })
  .superRefine((auth, context) => {
    const { needs, takes }: { needs: readonly string[]; takes: readonly string[] } = MEMBERS[auth.type];
    for (const name of ALL_MEMBERS) {
      const add = (message: string) => context.addIssue({ code: 'custom', path: [name], message });
      if (auth[name] === undefined && needs.includes(name)) add(`is required when type is ${auth.type}`);
      if (auth[name] !== undefined && !takes.includes(name)) add(`is not for type ${auth.type}`);
    }
  });
export type UpstreamAuth = z.output<typeof upstreamAuth>;
