import type { Examples } from '#resources/room.ts';

const SESSION = 'session_01KAHG5B9Q2M4S6V8X0Z1B3D5F';
const TASK = 'task_01KAHG62E4R9X1P3A5C7E9G1J3';
const BUNDLE = 'bundle_5F1C02A96D3E4B7788990A1B2C';

/** Examples of session bundles. */
export const examples = {
  ExportBundleRequest: { session_id: SESSION, mode: 'sanitized' },
  BundleValidation: {
    object: 'bundle_validation',
    valid: true,
    bundle_id: BUNDLE,
    mode: 'sanitized',
    step: null,
    path: null,
    reason: null,
    signed_by: 'brought_key',
  },
  BundleImport: {
    object: 'bundle_import',
    bundle_id: BUNDLE,
    mode: 'local',
    session_id: SESSION,
    workspace_id: 'workspace_9B1C3D5E7F90A2B4C6D8E0F1A3',
    created: true,
    events: 14,
    tasks: [{ id: TASK, status: 'FAILED' }],
  },
  SessionBundle: {
    _type: 'harn_session_bundle',
    schema_version: 1,
    bundle_id: BUNDLE,
    created_at: '2026-11-21T09:00:00.000Z',
    producer: {
      name: 'harn-gateway',
      version: '1.0.0',
      schema_id: 'https://harnlang.com/schemas/session-bundle.v1.json',
    },
    source: {
      kind: 'run_record',
      run_record_id: SESSION,
      workflow_id: 'a2a:sample',
      task: 'Say hello.',
      status: 'completed',
    },
    runtime: { harn_version: '1.0.0', provider_models: [] },
    transcript: { sections: [] },
    tools: { schemas: [], calls: [] },
    permissions: [],
    replay: {
      event_log_pointers: [],
      transitions: [],
      checkpoints: [],
      trace_spans: [],
      deterministic_events: [],
    },
    redaction: {
      mode: 'sanitized',
      policy: 'harn_vm::redact::RedactionPolicy::default+session_bundle_local_paths',
      placeholder: '[redacted]',
      entries: [],
      unsafe_secret_markers_rejected: true,
    },
    attachments: [],
  },
} satisfies Examples;
