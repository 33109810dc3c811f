import { z } from 'zod';
import { envelope, jsonObject, time } from '#protocol/envelope.ts';

/**
 * What was found out about the signature of a card. Only `verified` says anything good: every other word means that the card
 * proves nothing about who wrote it. Source: A2A 1.0, 8.4.
 */
export const CARD_SIGNATURE_STATUS = {
  verified: 'A trusted key signed exactly this card.',
  unsigned: 'The card carries no signature.',
  malformed:
    'A signature is not readable: it needs a protected header with alg and kid, and nothing critical.',
  algorithm_refused:
    'The signature uses an algorithm that is not accepted: none, a symmetric or an unknown one.',
  embedded_key_refused: 'The signature brings its own key, which proves nothing.',
  key_url_refused: 'The signature names keys on another origin than the card, or without TLS.',
  keys_unavailable: 'The keys of the origin of the card could not be read.',
  unknown_key: 'No trusted key has the id that the signature names.',
  key_not_valid: 'The key was revoked, or its time is over.',
  invalid_signature: 'The card is not the one that was signed.',
} as const;
export type CardSignatureStatus = keyof typeof CARD_SIGNATURE_STATUS;

const WORDS = Object.keys(CARD_SIGNATURE_STATUS) as [CardSignatureStatus, ...CardSignatureStatus[]];

/** The verdict about the signature of a card. `covers`: all of the card, or only the members that A2A 1.0 knows. */
export const cardVerdict = z
  .object({
    status: z.enum(WORDS),
    reason: z.string(),
    key_id: z.string().nullable(),
    algorithm: z.string().nullable(),
    keys: z.enum(['pinned', 'origin']).nullable(),
    covers: z.enum(['card', 'a2a_members']).nullable(),
  })
  .meta({ id: 'CardVerdict' });
export type CardVerdict = z.infer<typeof cardVerdict>;

/**
 * `current`: as the agent gave it when last asked; `kept`: the last good one of an agent that does not answer; `missing`: it
 * never answered; `none`: its protocol has no cards.
 */
const cardState = z.enum(['current', 'kept', 'missing', 'none']);

/** `open`: nothing is sent; `half_open`: one Task at a time is let through. Source: M. Nygard, "Release It!", "Circuit Breaker". */
export const CIRCUIT_STATES = ['closed', 'half_open', 'open'] as const;
export type CircuitState = (typeof CIRCUIT_STATES)[number];

/** An agent that Tasks can run on, and what is known of its card. */
export const agent = envelope('agent', {
  route: z.string(),
  name: z.string().nullable(),
  description: z.string().nullable(),
  version: z.string().nullable(),
  streaming: z.boolean().nullable(),
  /** Set while `streaming` is false although the card says otherwise: what the agent answered, and when it is asked again. */
  streaming_refused: z.object({ because: z.string(), until: time }).nullable(),
  card_state: cardState,
  card_fetched_at: time.nullable(),
  card_signature: cardVerdict.nullable(),
  halt_id: z.string().nullable().describe('The halt that stops all of it; null for none.'),
  circuit: z
    .object({
      state: z.enum(CIRCUIT_STATES),
      failures: z.int().describe('Failures in a row.'),
      until: time.nullable().describe('When an open one lets a Task through; null while it is not open.'),
    })
    .nullable()
    .describe('Its circuit breaker; null where it has none.'),
  fallback: z
    .string()
    .nullable()
    .describe('Route of the agent that takes what this one cannot; null for none.'),
}).meta({ id: 'Agent' });
export type Agent = z.infer<typeof agent>;

/** The card as the agent gave it; the one that clients of the gateway read is another one, signed by the gateway. */
export const upstreamCard = envelope('upstream_card', {
  route: z.string(),
  url: z.string(),
  fetched_at: time,
  state: cardState.exclude(['missing', 'none']),
  sha256: z.string(),
  signature: cardVerdict,
  card: jsonObject,
}).meta({ id: 'UpstreamCard' });
export type UpstreamCardResource = z.infer<typeof upstreamCard>;
