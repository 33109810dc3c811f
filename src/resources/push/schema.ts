import { z } from 'zod';
import { type CleanText, sentence, word } from '#protocol/clean.ts';
import { envelope, time } from '#protocol/envelope.ts';

/** Printable ASCII: what may stand in a header, so that no value adds another one. */
const headerText = (max: number) =>
  z
    .string()
    .regex(/^[!-~]([ -~]*[!-~])?$/, 'must be printable ASCII')
    .max(max);

/** How what happens is posted: in the words of the Harn protocol, or those of a bridge. */
const form = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,31}$/);

/** Where the events of a Task are posted. What proves the sender is never given back. */
export const pushConfig = envelope('push_config', {
  task_id: z.string(),
  /** The name that the caller gave it; unique in its Task. */
  client_id: z.string().nullable(),
  url: z.string(),
  form,
  /** Whether posts carry a token, an Authorization header, a signature: an HMAC or a JWT of the gateway. */
  has_token: z.boolean(),
  authentication_scheme: z.string().nullable(),
  is_signed: z.boolean(),
}).meta({ id: 'PushConfig' });
export type PushConfig = z.infer<typeof pushConfig>;

/** The scheme for which the gateway can make credentials itself. */
const SIGNED_SCHEME = /^bearer$/i;

export const setPushConfigRequest = z
  .object({
    client_id: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,64}$/)
      .optional()
      .describe('Name of the caller; the config of this name, if any, is replaced.'),
    url: z
      .string()
      .min(1)
      .max(2048)
      .describe(
        'Receiver: https, at a public address; a host that does not resolve yet is tried at each delivery.',
      ),
    form: form.default('harn').describe('How events are posted; harn posts {task, event}.'),
    from: z
      .enum(['now', 'beginning'])
      .default('now')
      .describe(
        'now: what happens from now on, which is nothing when the Task is over; beginning: all events of the Task.',
      ),
    token: headerText(1024)
      .optional()
      .describe('Sent as X-A2A-Notification-Token and A2A-Notification-Token.'),
    authentication: z
      .object({ scheme: headerText(64), credentials: headerText(4096).optional() })
      .refine(({ scheme, credentials }) => credentials !== undefined || SIGNED_SCHEME.test(scheme), {
        path: ['credentials'],
        message: 'is required for this scheme; with Bearer alone the gateway signs a token itself',
      })
      .optional()
      .describe(
        'Sent as "Authorization: <scheme> <credentials>". Bearer without credentials: a JWT (EdDSA, keys at /.well-known/jwks.json) with iss, aud (origin of the URL), sub (id of the Task), iat, exp, jti and request_body_sha256.',
      ),
    secret: z
      .string()
      .min(16)
      .max(1024)
      .optional()
      .describe('Key of X-Harn-Signature: t=<unix s>,v1=<hex HMAC-SHA256 over "<t>.<body>">.'),
  })
  .meta({ id: 'SetPushConfigRequest' });
export type SetPushConfigRequest = z.infer<typeof setPushConfigRequest>;

/** The form that posts permission requests and their answers, and nothing else. */
export const APPROVALS_FORM = 'approvals';

const WEBHOOK = 'approval-webhook:';
/** What stands in the place of a URL where the configuration names the receiver. */
export const webhookUrl = (id: CleanText): CleanText => sentence`${word(WEBHOOK)}${id}`;
/** The webhook that a config names; undefined for a receiver that a caller named. */
export const webhookOf = ({ url }: PushConfig): string | undefined =>
  url.startsWith(WEBHOOK) ? url.slice(WEBHOOK.length) : undefined;

/** What is sealed of a config. */
export type PushSecrets = Pick<SetPushConfigRequest, 'token' | 'authentication' | 'secret'>;

export const DEAD_LETTER_STATUSES = ['dead', 'retrying', 'delivered'] as const;

/** A delivery that was given up. Retried, it is posted once more under the same delivery id. */
export const deadLetter = envelope('dead_letter', {
  workspace_id: z.string(),
  task_id: z.string(),
  push_config_id: z.string(),
  /** The event that was to be posted. */
  event_id: z.string(),
  status: z.enum(DEAD_LETTER_STATUSES),
  /** Why the last attempt failed: a word, or the HTTP status. */
  reason: z.string(),
  attempts: z.int().min(1),
  last_attempt_at: time,
}).meta({ id: 'DeadLetter' });
export type DeadLetter = z.infer<typeof deadLetter>;
