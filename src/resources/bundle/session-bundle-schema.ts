import { z } from 'zod';
import { jsonObject, jsonValue } from '#protocol/envelope.ts';

export const BUNDLE_TYPE = 'harn_session_bundle';
export const SCHEMA_VERSION = 1;
/** Names the schema that the bundle follows; nothing is fetched from there. */
export const SCHEMA_ID = 'https://harnlang.com/schemas/session-bundle.v1.json';

/** Sanitized: secrets and local paths are replaced. Local: nothing is. Replay-only: payloads are withheld too. */
export const BUNDLE_MODES = ['sanitized', 'local', 'replay_only'] as const;
export type BundleMode = (typeof BUNDLE_MODES)[number];

const nullableText = z.string().nullable().optional();
const object = z.looseObject({});

/** One thing of a list in the run record, with its place there. */
const entry = z.looseObject({ source: z.string(), index: z.int().min(0), value: jsonValue });

export const transcriptSection = z.looseObject({
  id: z.string(),
  label: z.string(),
  scope: z.string(),
  location: z.string(),
  messages: z.array(jsonValue),
  events: z.array(jsonValue),
  assets: z.array(jsonValue),
  metadata: object,
  summary: nullableText,
});

/** One replacement; see document/README.md, The three passes. */
export const redactionEntry = z.object({
  path: z.string(),
  class: z.enum(['sensitive_field', 'secret_pattern', 'prompt_or_tool_payload']),
  action: z.enum(['replaced', 'withheld']),
  replacement: z.string(),
});
export type RedactionEntry = z.infer<typeof redactionEntry>;

const source = z.looseObject({
  kind: z.string(),
  run_record_id: z.string(),
  workflow_id: z.string(),
  workflow_name: nullableText,
  task: z.string(),
  status: z.string(),
  started_at: z.string().optional(),
  finished_at: nullableText,
  parent_run_id: nullableText,
  root_run_id: nullableText,
  persisted_path: nullableText,
  child_run_count: z.int().min(0).optional(),
});

const runtime = z.looseObject({
  harn_version: z.string(),
  provider_models: z.array(z.string()),
  metadata: object.optional(),
  usage: object.nullable().optional(),
});

const replay = z.looseObject({
  event_log_pointers: z.array(object),
  transitions: z.array(object),
  checkpoints: z.array(object),
  trace_spans: z.array(object),
  deterministic_events: z.array(entry),
  verification_outcomes: z.array(object).optional(),
  replay_fixture: object.nullable().optional(),
  run_record: object.nullable().optional(),
  observability: object.nullable().optional(),
  /** States of workers, of newer producers; as they were written. */
  worker_snapshots: z.array(object).optional(),
});

const redaction = z.looseObject({
  mode: z.enum(BUNDLE_MODES),
  policy: z.string(),
  placeholder: z.string(),
  entries: z.array(object),
  unsafe_secret_markers_rejected: z.boolean(),
});

/** What every bundle has. Source: "Session bundles", schema_version 1; members it does not name are kept. */
export const sessionBundle = z
  .looseObject({
    _type: z.literal(BUNDLE_TYPE),
    schema_version: z.int().min(1).max(SCHEMA_VERSION),
    bundle_id: z.string().min(1),
    created_at: z.string().min(1),
    producer: z.looseObject({ name: z.string(), version: z.string(), schema_id: z.string() }),
    source,
    runtime,
    transcript: z.looseObject({ sections: z.array(transcriptSection) }),
    tools: z.looseObject({ schemas: z.array(entry), calls: z.array(object) }),
    permissions: z.array(object),
    replay,
    redaction,
    attachments: z.array(object),
    workspace: object.nullable().optional(),
    metadata: jsonObject.optional(),
  })
  .meta({ id: 'SessionBundle' });
export type SessionBundle = z.infer<typeof sessionBundle>;

/** Members that every bundle has, in the order in which the first missing one is named. */
export const REQUIRED_MEMBERS = [
  '_type',
  'schema_version',
  'bundle_id',
  'created_at',
  'producer',
  'source',
  'runtime',
  'transcript',
  'tools',
  'permissions',
  'replay',
  'redaction',
  'attachments',
] as const satisfies readonly (keyof SessionBundle)[];
