import { z } from 'zod';

/** Source: Agents Protocol v1 (2026-10-11), session inputs. */
export const INPUT_LIMITS = {
  names: 256,
  valueBytes: 65_536,
  /** Of all values of a Session, those that are hidden only included. */
  sessionBytes: 1_048_576,
  entries: 4_096,
  /** Of all values of all Sessions, each of which takes its room several times over. */
  allBytes: 67_108_864,
  /** Of one call. */
  bodyBytes: 2_097_152,
  /** A shorter secret would hit ordinary words, so that it could not be kept out of the log. */
  secretCharacters: 8,
} as const;

const name = z
  .string()
  .max(128)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a letter or _, then letters, digits and _');

const httpsOrigin = z.string().refine((text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'https:' && url.origin === text && !text.includes('*');
}, 'must be an origin such as https://api.example.com, without a path');

const lifetime = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('session') }),
  z.strictObject({ kind: z.literal('saved') }),
  z.strictObject({ kind: z.literal('until'), unix_ms: z.int().positive() }),
]);

const usage = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('session_tools') }),
  z.strictObject({ kind: z.literal('websites'), origins: z.array(httpsOrigin).min(1).max(32) }),
]);

const spec = z.strictObject({
  name,
  kind: z.enum(['secret', 'variable']).default('secret'),
  lifetime: lifetime.default({ kind: 'session' }),
  usage: usage.default({ kind: 'session_tools' }),
});
export type InputSpec = z.infer<typeof spec>;
/** An input as it is handed to an agent that keeps it itself. */
export type GivenInput = { spec: InputSpec; value: string };
/** An input as it is shown: a secret without its value. */
export type InputDescription = InputSpec & { value?: string };

const value = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= INPUT_LIMITS.valueBytes, 'must have at most 64 KiB')
  .refine((text) => !text.includes('\0'), 'must have no NUL');

const snapshot = z.strictObject({
  sourceId: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be 1 to 128 letters, digits, - and _'),
  revision: z.int().min(0),
  inputs: z.array(z.strictObject({ spec, value })).max(INPUT_LIMITS.names).default([]),
  /** Texts that are hidden besides. */
  redactions: z.array(value).max(INPUT_LIMITS.entries).default([]),
});
export type InputSnapshot = z.infer<typeof snapshot>;

export const sessionInputsRequest = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('list') }),
    z.strictObject({ kind: z.literal('put'), spec, value, replace: z.boolean().default(false) }),
    z.strictObject({ kind: z.literal('remove'), name }),
    z.strictObject({ kind: z.literal('sync'), snapshot }),
  ])
  .meta({ id: 'SessionInputsRequest' });
export type SessionInputsRequest = z.infer<typeof sessionInputsRequest>;

const description = spec.extend({
  /** Of variables alone. */
  value: z.string().optional(),
});

export const sessionInputsResponse = z
  .object({
    inputs: z.array(description).optional(),
    input: description.optional(),
    removed: z.boolean().optional(),
    applied: z.boolean().optional(),
    /** How long values are kept, and which routes take which of them. */
    delivery: z.object({
      kept: z.literal('memory'),
      taken_by: z.array(z.object({ name: z.string(), routes: z.array(z.string()) })),
      /** Routes whose agents run with the Session, keep its inputs, and have them as they are now. */
      told: z.array(z.string()),
      message: z.string(),
    }),
  })
  .meta({ id: 'SessionInputsResponse' });
