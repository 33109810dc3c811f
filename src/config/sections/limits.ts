import { z } from 'zod';
import { RECOVERY_POLICIES } from '#resources/session/transcript/schema.ts';
import { duration, pause, positive } from '../shapes.ts';

const requestLimits = {
  max_body_bytes: positive.default(4_194_304).describe('Largest JSON body; more is 413.'),
  max_json_depth: positive
    .max(64, 'must be 64 or less: deeper values overflow the canonical form')
    .default(64)
    .describe('Deepest nesting of a JSON body.'),
  max_header_bytes: positive.default(16_384).describe('Largest header block of a request; more is 413.'),
  max_headers: positive.default(100).describe('Most headers of a request.'),
  headers_timeout_ms: duration.default(10_000).describe('Time for a client to send its headers.'),
  request_timeout_ms: duration.default(30_000).describe('Time for a client to send its whole request.'),
  keep_alive_timeout_ms: duration
    .default(5_000)
    .describe('Time an idle connection stays open for the next request.'),
  max_requests_per_connection: positive
    .default(1_000)
    .describe('Requests on one connection before it is closed.'),
  max_connections: positive.default(12_000).describe('Open client connections, streams included.'),
  failed_logins_per_minute: positive
    .default(600)
    .describe('Bad credentials that one address may send in a minute; more are 429. Good ones pass.'),
};

const contentLimits = {
  inline_payload_bytes: positive
    .default(65_536)
    .describe('Larger payloads become an Artifact and a reference, on every way in.'),
  max_file_bytes: positive
    .default(1_048_576)
    .describe('Largest file that is read or written under a workspace root.'),
  max_artifact_bytes: positive.default(67_108_864).describe('Largest content of one Artifact.'),
  max_bundle_bytes: positive
    .default(268_435_456)
    .describe(
      'Largest session bundle that is imported or validated, and all of them at work together; more is 429.',
    ),
};

const transcriptLimits = {
  max_transcript_messages: positive
    .default(10_000)
    .describe('Messages that the transcript of a Session holds; a Session may say less.'),
  max_transcript_events: positive
    .default(1_000_000)
    .describe('Events of a Session since its transcript was last compacted.'),
  max_transcript_bytes: positive
    .optional()
    .describe('Bytes of the Messages of a transcript, approximately. Unset: not counted.')
    .meta({ examples: [16_777_216] }),
  transcript_recovery: z
    .enum(RECOVERY_POLICIES)
    .default('compact')
    .describe(
      'A full transcript: `compact` summarises old turns, `trim` archives them, `reject` takes nothing more.',
    ),
};

const streamLimits = {
  max_streams: positive.default(10_000).describe('Open event streams; more are refused with 503.'),
  stream_buffer_bytes: positive
    .default(1_048_576)
    .describe('Unsent bytes at which a slow stream is closed; its client resumes.'),
  heartbeat_interval_ms: duration.default(15_000).describe('Time between heartbeats of a quiet stream.'),
};

const workLimits = {
  max_running_tasks: positive.default(256).describe('Tasks that run at a time over all upstreams.'),
  max_queued_tasks: positive
    .default(10_000)
    .describe(
      'Accepted tasks that wait; more are refused with 429, but for tenants that have less than their share in the queue.',
    ),
  cancel_wait_ms: duration
    .default(5_000)
    .describe('Time an upstream has to confirm a cancel before the task is canceled anyway.'),
  accept_wait_ms: pause
    .default(150)
    .describe(
      'Time an accepted task that is next behind one other of its session may take to start before it is answered as SUBMITTED. 0: none.',
    ),
  permission_timeout_ms: duration
    .optional()
    .describe('Time a permission request waits for an answer before it is denied. Unset: for ever.')
    .meta({ examples: [86_400_000] }),
  idempotency_window_ms: duration.default(86_400_000).describe('Time an Idempotency-Key is remembered.'),
  drain_timeout_ms: duration
    .default(8_000)
    .describe('Time to finish after SIGTERM before connections are cut.'),
};

export const limits = z
  .strictObject({ ...requestLimits, ...contentLimits, ...transcriptLimits, ...streamLimits, ...workLimits })
  .prefault({})
  .describe('Bounds that keep one caller from starving the others.');
export type Limits = z.output<typeof limits>;
