import { z } from 'zod';
import { secretRef } from '../secret.ts';
import { duration, operatorId, webUrl } from '../shapes.ts';
import { DEFAULT_WORKSPACE } from './tenancy.ts';

const webhook = z.strictObject({
  id: operatorId.describe('Name of the webhook in events and dead letters.').meta({ examples: ['chat'] }),
  url: z
    .string()
    .refine((text) => webUrl(text) !== undefined, 'must be an http or https URL without user info')
    .describe(
      'Where requests and their answers are posted as {task, event}. Private addresses need outbound.allow.',
    )
    .meta({ examples: ['https://chat.example.com/hooks/harn'] }),
  secret: secretRef
    .describe('Key of X-Harn-Signature: {env: NAME} or {file: PATH}; read at each use.')
    .meta({ examples: [{ env: 'APPROVALS_SECRET' }] }),
});

const row = z.strictObject({
  workspace: operatorId
    .default(DEFAULT_WORKSPACE)
    .describe('Workspace whose permission requests this is about.'),
  quorum: z
    .int()
    .min(1)
    .max(16)
    .default(1)
    .describe('How many different actors have to approve. One denial decides.'),
  four_eyes: z.boolean().default(false).describe('Whoever submitted the task may not approve.'),
  timeout_ms: duration
    .optional()
    .describe('Time to answer before a request is denied. Unset: limits.permission_timeout_ms.')
    .meta({ examples: [3_600_000] }),
  webhooks: z.array(webhook).max(4).default([]).describe('Who is notified of requests and of their answers.'),
});

export const approvals = z
  .array(row)
  .default([])
  .describe('How the permission requests of a workspace are answered.');
export type ApprovalSettings = z.output<typeof row>;
