import { join } from 'node:path';
import { z } from 'zod';
import { secretRef } from '../secret.ts';
import { operatorId, positive, webUrl } from '../shapes.ts';
import { DEFAULT_WORKSPACE } from './tenancy.ts';
import { headerName } from './upstream-auth.ts';

const auth = z.strictObject({
  type: z
    .literal('hmac-sha256')
    .describe('How deliveries are signed.')
    .meta({ examples: ['hmac-sha256'] }),
  header: headerName.default('X-Harn-Signature').describe('Header that carries the signature.'),
  signed: z
    .enum(['timestamp_body', 'body'])
    .default('timestamp_body')
    .describe(
      'timestamp_body: "t=<unix s>,v1=<hex>" over "<t>.<body>"; body: "sha256=<hex>" over the body, without a time.',
    ),
  tolerance_seconds: positive
    .max(86_400)
    .default(300)
    .describe('How far the time of a delivery may be off; for timestamp_body.'),
  secret: secretRef
    .describe('Where the shared secret is: {env: NAME}, {file: PATH} or {vault: ID/NAME}; read at each use.')
    .meta({ examples: [{ env: 'SHOP_WEBHOOK_SECRET' }] }),
});

const dedupe = z.union(
  [
    z.strictObject({ header: headerName }),
    z.strictObject({
      path: z
        .string()
        .regex(/^[^.]+(\.[^.]+)*$/)
        .max(200),
    }),
  ],
  { error: 'must be {header: NAME} or {path: name.of.member}' },
);

const polling = z.strictObject({
  url: z
    .string()
    .refine(
      (text) => webUrl(text) !== undefined,
      'must be an http or https URL without fragment or user info',
    )
    .describe('What is asked for news.')
    .meta({ examples: ['https://shop.example.com/orders'] }),
  interval_seconds: positive.default(300).describe('How often.'),
});

const connectorRow = z.strictObject({
  id: operatorId
    .describe('Id of the connector; it is called at /v1/connectors/<id>/deliveries.')
    .meta({ examples: ['shop-orders'] }),
  provider: z
    .string()
    .min(1)
    .max(200)
    .describe('Who delivers, for people.')
    .meta({ examples: ['shop'] }),
  workspace: operatorId.default(DEFAULT_WORKSPACE).describe('Workspace that its work belongs to.'),
  auth: auth.optional().describe('How a delivery proves where it comes from.'),
  polling: polling
    .optional()
    .describe(
      'In place of auth, for a provider that has to be asked: it is described in /v1/connectors as DISABLED, and this version never asks it.',
    ),
  dedupe: dedupe
    .optional()
    .describe(
      'Where the id of a delivery is; one that comes again gets the first answer. Unset: every one counts.',
    )
    .meta({ examples: [{ header: 'X-Shop-Delivery' }] }),
  deliver_as: z
    .enum(['task', 'message'])
    .default('task')
    .describe('task starts work; message is appended and precedes the next task.'),
  target_session: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe('Session that takes the deliveries. Unset: one of its own, made at the first.')
    .meta({ examples: ['session_01KAHG5Y3TQ8W0M2Z4N6B8D0F2'] }),
  target_persona: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe('Persona of its tasks.')
    .meta({ examples: ['concierge'] }),
  route: z
    .string()
    .min(1)
    .optional()
    .describe('Agent that takes its tasks. Unset: that of persona, session or gateway.')
    .meta({ examples: ['a2a:shop'] }),
});
const connector = connectorRow.superRefine(({ auth: signed, polling: polled }, context) => {
  if ((signed === undefined) !== (polled === undefined)) return;
  context.addIssue({ code: 'custom', path: ['auth'], message: 'set one of auth and polling' });
});
export type ConnectorSettings = z.output<typeof connector>;

export const connectors = z
  .array(connector)
  .optional()
  .describe(
    'Providers that bring work by signed deliveries. Unset, on loopback and beside the bundled agent: one to try, `sample`.',
  )
  .transform((rows) => rows ?? []);

/** The connector to try; its secret is made at the first start, beside the development key. */
export function sampleConnector(data: string): ConnectorSettings {
  return connectorRow.parse({
    id: 'sample',
    provider: 'sample',
    auth: { type: 'hmac-sha256', secret: { file: join(data, 'sample-connector-secret') } },
  });
}
