import { z } from 'zod';
import { givenId, jsonObject, jsonValue, metadata } from '#protocol/envelope.ts';

export const REPLAY_MODES = ['exact', 'with_overrides', 'from_checkpoint'] as const;
const replayMode = z.enum(REPLAY_MODES).meta({ id: 'ReplayMode' });
export type ReplayMode = (typeof REPLAY_MODES)[number];

const OVERRIDE_KINDS = [
  'llm_provider_response',
  'mcp_tool_return',
  'secret_value',
  'time',
  'host_fact',
  'tool_result',
  'event_payload',
  'checkpoint_value',
] as const;
export type OverrideKind = (typeof OVERRIDE_KINDS)[number];

const overrideVisibility = z.enum(['public', 'internal', 'receipt_only']);
/** With or without the prefix `sha256:`. */
const claimedHash = z.string().regex(/^(sha256:)?[0-9a-fA-F]{64}$/, 'must be sha256: and 64 hex digits');

const replayOverride = z
  .object({
    kind: z.enum(OVERRIDE_KINDS),
    event_id: givenId.nullable().optional(),
    target: z.string().max(500).nullable().optional(),
    value: jsonValue.optional(),
    artifact_id: givenId.nullable().optional(),
    sha256: claimedHash.nullable().optional(),
    visibility: overrideVisibility.default('receipt_only'),
    reason: z.string().min(1).max(2000).nullable().optional(),
  })
  .meta({ id: 'ReplayOverride' });
export type ReplayOverride = z.infer<typeof replayOverride>;

/** Source: Harn replay contract, "REST entrypoint". */
export const replayTaskRequest = z
  .object({
    mode: replayMode.default('exact'),
    override: z.record(z.string(), replayOverride).default({}),
    checkpoint_id: givenId.nullable().optional(),
    checkpoint_event_id: givenId.nullable().optional(),
    reason: z.string().min(1).max(2000).nullable().optional(),
    /** `refresh` lists what may be new: `memory`, `secrets`, `host_facts`. */
    metadata: metadata.optional(),
  })
  .meta({ id: 'ReplayTaskRequest' });
export type ReplayTaskRequest = z.infer<typeof replayTaskRequest>;

/** The same for all Tasks of a Session, or for those of one trace. */
export const replaySessionRequest = replayTaskRequest
  .extend({
    trace_id: z
      .string()
      .regex(/^[0-9a-f]{32}$/, 'must be 32 lower-case hex digits')
      .nullable()
      .optional()
      .describe('Replays only the Tasks of this W3C trace.'),
  })
  .meta({ id: 'ReplaySessionRequest' });

export const REFRESHABLE = ['memory', 'secrets', 'host_facts'] as const;
export type Refreshable = (typeof REFRESHABLE)[number];

/** Source: Harn replay contract, "EventLog use". */
export const replayEventMetadata = z
  .object({
    source_task_id: z.string(),
    replay_task_id: z.string(),
    original_event_id: z.string().nullable(),
    replay_cursor: z.string().nullable(),
    mode: replayMode,
    override_key: z.string().nullable(),
    receipt_delta_id: z.string().nullable(),
  })
  .meta({ id: 'ReplayEventMetadata' });
export type ReplayEventMetadata = z.infer<typeof replayEventMetadata>;

/** Source: Harn replay contract, "Receipt deltas"; the JSON Schema of a receipt, `receiptDelta`. */
const replayDelta = z.object({
  delta_id: z.string(),
  operation: z.enum(['add', 'replace', 'remove']),
  path: z.string(),
  override_key: z.string().optional(),
  event_id: z.string().optional(),
  before_sha256: z.string().nullable().optional(),
  after_sha256: z.string().nullable().optional(),
  artifact_id: z.string().optional(),
  reason: z.string().optional(),
});
export type ReplayDelta = z.infer<typeof replayDelta>;

/** What a replay task was asked, as its submission keeps it: hashes of substitutes, never the substitutes. */
export const replayTerms = z.object({
  source_task_id: z.string(),
  /** How many replays of this source were asked for before, and this one. */
  ordinal: z.int().min(1),
  mode: replayMode,
  /** The checkpoint it goes on from, by its id, by its event, or both; null: the whole run is replayed. */
  checkpoint_id: z.string().nullable(),
  checkpoint_event_id: z.string().nullable(),
  /** What it may know of the source: nothing that the log took later. */
  through_event_id: z.string(),
  refresh: z.array(z.enum(REFRESHABLE)),
  overrides: z.array(
    z.object({
      key: z.string(),
      kind: z.enum(OVERRIDE_KINDS),
      visibility: overrideVisibility,
      /** Number of the frame that holds the substitute; null where it is recorded only. */
      frame: z.int().min(1).nullable(),
      delta_id: z.string(),
    }),
  ),
  deltas: z.array(replayDelta),
  reason: z.string().nullable(),
});
export type ReplayTerms = z.infer<typeof replayTerms>;

const hash = z.string().nullable();

/** What a replay found. See README.md, Verdict. */
const replayVerdict = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('byte_equal'),
    /** Over the RFC 8785 bytes of the events of the run. */
    record_hash: z.string(),
  }),
  z.object({
    status: z.literal('diverged'),
    index: z.int().min(0),
    event_id: z.string().nullable(),
    path: z.string(),
    expected: hash,
    observed: hash,
    /** The material that led there had secrets replaced in it, which alone may explain it. */
    redacted_material: z.string().optional(),
  }),
  z.object({
    status: z.literal('tamper_detected'),
    /** Place from 0: in the history of the source, events and frames in the order of the log, or in its Session's receipts. */
    index: z.int().min(0),
    /** Event id, override key, or the receipt and the step of its verification. */
    where: z.string(),
    /** Last event id, where events are stored and hashed together: the fault lies in one of `where` to `through`. */
    through: z.string().optional(),
    expected: z.string(),
    observed: z.string(),
  }),
]);
export type ReplayVerdict = z.infer<typeof replayVerdict>;

/** Tasks of which a check names what was found; the counts go on. */
export const MAX_CHECK_FINDINGS = 1000;

/** Which ended Tasks a check replays. The same request on the same log takes the same ones. */
export const replayCheckRequest = z
  .object({
    sample: z.number().gt(0).max(1).default(0.01).describe('Share of the ended Tasks, for example 0.01.'),
    since: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('Only Tasks that ended at this time or later. Default: 24 hours ago.'),
    seed: z
      .string()
      .min(1)
      .max(200)
      .default('harn')
      .describe('Another seed takes other Tasks; they are drawn by a hash of it and their id.'),
  })
  .meta({ id: 'ReplayCheckRequest' });
export type ReplayCheckRequest = z.infer<typeof replayCheckRequest>;

/** What a check says of one Task. */
export const CHECK_OUTCOMES = ['byte_equal', 'diverged', 'tampered', 'incomplete', 'failed'] as const;
export type CheckOutcome = (typeof CHECK_OUTCOMES)[number];

const outcomeCount = z.int().min(0);

/** A run of many replays that leave nothing in the log. */
export const replayCheck = z
  .object({
    object: z.literal('replay_check'),
    id: z.string(),
    status: z.enum(['RUNNING', 'COMPLETED', 'FAILED']).describe('FAILED: it ended before its last Task.'),
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
    sample: z.number(),
    since: z.iso.datetime({ offset: true }),
    seed: z.string(),
    tasks: z.object({
      sampled: outcomeCount.describe('Replayed so far.'),
      byte_equal: outcomeCount,
      diverged: outcomeCount,
      tampered: outcomeCount,
      incomplete: outcomeCount.describe('Not all that a replay needs is there, for example after retention.'),
      failed: outcomeCount.describe('The gateway itself failed; its log says why.'),
    }),
    findings: z
      .array(
        z.object({
          task_id: z.string(),
          outcome: z.enum(['diverged', 'tampered', 'failed']),
          verdict: replayVerdict.nullable().describe('The first difference; null where the gateway failed.'),
        }),
      )
      .describe(`The first ${MAX_CHECK_FINDINGS}, in the order of the ids.`),
  })
  .meta({ id: 'ReplayCheck' });
export type ReplayCheck = z.infer<typeof replayCheck>;

const replayed = { source_task_id: z.string(), mode: replayMode };

export const REPLAY_PAYLOADS = {
  'replay.started': z.object({
    ...replayed,
    checkpoint_id: z.string().nullable(),
    checkpoint_event_id: z.string().nullable(),
    override_keys: z.array(z.string()),
    refresh: z.array(z.enum(REFRESHABLE)),
    reason: z.string().nullable(),
  }),
  /** One event of the source as the replay made it; only its hash where it came of a substitute that nobody may read. */
  'replay.event_replayed': z.object({
    event: z.string(),
    resource: z.object({ object: z.string(), id: z.string() }),
    payload: jsonObject.nullable(),
    /** Over the RFC 8785 bytes of the whole event. */
    sha256: z.string(),
    /** Whether the recorded event has the same bytes. */
    equal: z.boolean(),
  }),
  'replay.completed': z.object({
    ...replayed,
    verdict: replayVerdict,
    events: z.int().min(0),
    deltas: z.array(replayDelta),
  }),
  'replay.failed': z.object({
    ...replayed,
    verdict: replayVerdict.nullable(),
    /** The first thing that the replay needed and did not find. */
    missing: z.object({ kind: z.string(), id: z.string() }).nullable(),
    message: z.string(),
  }),
  'session.replayed': z.object({ task_ids: z.array(z.string()), mode: replayMode }),
} as const;
