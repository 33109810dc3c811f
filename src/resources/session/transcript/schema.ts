import { z } from 'zod';
import { jsonObject, metadata, time } from '#protocol/envelope.ts';
import { ROLES, visibility } from '#resources/message/schema.ts';
import { session } from '../schema.ts';

/** What a Session of any state says of its transcript. */
const TRANSCRIPT_STATES = ['active', 'closed', 'failed'] as const;

/** A block of a Message: what a Part is, with an Asset named by `asset_id` where the Part names an Artifact. */
const transcriptBlock = z.looseObject({ type: z.string(), visibility }).meta({ id: 'TranscriptBlock' });
export type TranscriptBlock = z.infer<typeof transcriptBlock>;

export const transcriptMessage = z
  .object({
    id: z.string(),
    role: z.enum(ROLES),
    content: z.array(transcriptBlock),
    /** Place among all turns of the Session, from 0; compaction changes no place. */
    position: z.int().min(0),
    created_at: time,
    task_id: z.string().nullable(),
    metadata: jsonObject.optional(),
  })
  .meta({ id: 'TranscriptMessage' });
export type TranscriptMessage = z.infer<typeof transcriptMessage>;

/** One fact of the audit history; `event_id` and `event` lead back to the Event it was made of. */
const transcriptEvent = z
  .looseObject({
    kind: z.string(),
    visibility,
    event_id: z.string().nullable(),
    event: z.string().nullable(),
    created_at: time.nullable(),
  })
  .meta({ id: 'TranscriptEvent' });
export type TranscriptEvent = z.infer<typeof transcriptEvent>;

/** A descriptor; the bytes are under `storage.uri`, and what they have to be is `storage.sha256`. */
export const transcriptAsset = z
  .object({
    _type: z.literal('transcript_asset'),
    id: z.string(),
    kind: z.string(),
    mime_type: z.string(),
    visibility,
    storage: z.object({
      /** Content address, `sha256/<hex>`; null while an agent still adds to it, or nobody said its hash. */
      path: z.string().nullable(),
      sha256: z.string().nullable(),
      uri: z.string().nullable(),
      /** Bytes; null where they are kept elsewhere or gone. */
      size: z.int().min(0).nullable(),
    }),
    name: z.string().nullable(),
    created_at: time,
    task_id: z.string().nullable(),
    metadata: jsonObject.optional(),
  })
  .meta({ id: 'TranscriptAsset' });
export type TranscriptAsset = z.infer<typeof transcriptAsset>;

/**
 * The transcript of a Session as one value of three layers: `messages` continue the conversation, `events` are the audit
 * history, `assets` describe what is too large for either. Source: Transcript architecture.
 */
export const transcript = z
  .object({
    _type: z.literal('transcript'),
    version: z.literal(2),
    id: z.string(),
    state: z.enum(TRANSCRIPT_STATES),
    summary: z.string().nullable().describe('What compaction says of the archived turns.'),
    metadata,
    messages: z.array(transcriptMessage),
    events: z.array(transcriptEvent),
    assets: z.array(transcriptAsset),
  })
  .meta({ id: 'Transcript' });
export type Transcript = z.infer<typeof transcript>;

const SUMMARY_SOURCES = ['caller', 'extract'] as const;

/** Turns that compaction took out of the transcript. Nothing of them is lost: Messages and Events stay readable. */
export const transcriptArchive = z.object({
  /** Turns from the first one on that are archived, all compactions together. */
  turns: z.int().min(0),
  first_message_id: z.string().nullable(),
  last_message_id: z.string().nullable(),
  /** The Events of the Session up to this one belong to archived turns; null: none of its own do. */
  through_event_id: z.string().nullable(),
  summary: z.string().nullable(),
  summary_source: z.enum(SUMMARY_SOURCES).nullable(),
  /** Archived turns that stay in the messages layer: recent ones with images or files, oldest first. */
  kept: z.array(z.object({ message_id: z.string(), position: z.int().min(0) })),
  /** Events and bytes of the Session that the budget no longer counts. */
  counted: z.object({ events: z.int().min(0), bytes: z.int().min(0) }),
});
export type TranscriptArchive = z.infer<typeof transcriptArchive>;

export const compactSessionRequest = z
  .object({
    summary: z
      .string()
      .min(1)
      .max(20_000)
      .optional()
      .describe('Of the turns that are archived; without it the gateway extracts one.'),
    keep_last: z.int().min(0).max(100_000).default(10).describe('Newest turns that stay as they are.'),
    reason: z.string().max(2000).optional(),
  })
  .meta({ id: 'CompactSessionRequest' });

export const compactSessionResponse = z
  .object({
    object: z.literal('session.compact_result'),
    session_id: z.string(),
    compacted_turn_count: z.int().min(0).describe('Turns archived by this call.'),
    retained_turn_count: z.int().min(0).describe('Messages that the transcript has now.'),
    summary: z.string().nullable(),
    summary_source: z.enum(SUMMARY_SOURCES).nullable(),
    session,
  })
  .meta({ id: 'CompactSessionResponse' });

/** What becomes of a Session whose transcript is full. `compact` summarises old turns, `trim` only archives them. */
export const RECOVERY_POLICIES = ['reject', 'compact', 'trim'] as const;
export type RecoveryPolicy = (typeof RECOVERY_POLICIES)[number];

const BUDGET_REASONS = ['messages', 'events', 'bytes'] as const;
export type BudgetReason = (typeof BUDGET_REASONS)[number];

const MOST = 1_000_000_000;

/** Member `transcript_budget` of the metadata of a Session: its own budget, at most the configured one. */
export const sessionBudget = z.strictObject({
  max_messages: z.int().min(2).max(MOST).optional(),
  max_events: z.int().min(100).max(MOST).optional(),
  /** Of the messages as JSON, approximately. */
  max_bytes: z.int().min(1024).max(MOST).optional(),
  recovery: z.enum(RECOVERY_POLICIES).optional(),
  /** Written by the gateway alone; what a caller says here is not taken. */
  last_action: z.unknown().optional(),
});

const usage = z.object({ messages: z.int().min(0), events: z.int().min(0), bytes: z.int().min(0) });
export type TranscriptUsage = z.infer<typeof usage>;

const transcriptBudgetApplied = z.object({
  action: z.enum(['compacted', 'trimmed']),
  reason: z.enum(BUDGET_REASONS),
  limits: z.object({ messages: z.int(), events: z.int(), bytes: z.int().nullable() }),
  before: usage,
  after: usage,
  /** Set where turns were archived without a `session.compacted` of their own. */
  archive: transcriptArchive.optional(),
});

/** Payloads of what happens to a transcript as a whole. */
export const TRANSCRIPT_EVENTS = {
  'session.compacted': z.object({
    archive: transcriptArchive,
    compacted_turn_count: z.int().min(1),
    reason: z.string().nullable(),
  }),
  'vendor.harn_gateway.transcript_budget': transcriptBudgetApplied,
} as const;
