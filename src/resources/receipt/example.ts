import type { JsonObject } from '#protocol/json.ts';
import { resource, TASK_ID, whole } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

/** A receipt whose hash and signature are right; the public key of its signature is that of a test. */
export const RECEIPT_PAYLOAD: JsonObject = {
  autonomy_budget: {
    consumed: {
      tool_calls: 0,
      usd: 0,
      wall_time_ms: 0,
    },
  },
  chain: {
    previous_receipt_hash: null,
    receipt_hash: 'sha256:a458d834223e87fedaad42f8acfba356dae581e8aa22b1027aaad96e84fada07',
  },
  cost: {
    currency: 'USD',
    provider_breakdown: [],
    total: 0,
  },
  final_artifacts: [],
  identifiers: {
    session_id: 'session_01KAHG5Y3TQ8W0M2Z4N6B8D0F2',
    task_id: 'task_01KAHG62E4R9X1P3A5C7E9G1J3',
    trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
    workspace_ref: 'workspace_default',
  },
  issued_at: '2026-11-21T09:00:00.000Z',
  issuer: {
    id: 'harness_example',
    kind: 'harness',
    public_key_id: '--6IM5l0OosLj9yWskISYhUA3n_3CURQkmrYMSha_ck',
    version: 'agents-protocol-2026-04-25',
  },
  lifecycle: {
    completed_at: '2026-11-21T09:00:00.000Z',
    created_at: '2026-11-21T09:00:00.000Z',
    failure: null,
    final_state: 'SUCCEEDED',
    started_at: '2026-11-21T09:00:00.000Z',
  },
  metadata: {
    frames: 1,
    route: 'a2a:sample',
    turns: 1,
  },
  model_route: {
    alternatives_considered: [],
    chosen_model: {
      model: 'none',
      provider: 'none',
    },
    route_policy_reason: 'The gateway made no model call of its own.',
  },
  receipt_id: 'receipt_01KAHG6TQ3V5X7Z9B1D3F5H7K9',
  replay_input: {
    determinism: 'byte_deterministic',
    materials: [
      {
        content_type: 'application/json',
        id: 'a2a:sample:1',
        kind: 'llm_provider_response',
        sha256: 'sha256:5eb63bbbe01eeed093cb22bb8f5acdc3b94ccf0b0a0b6d0c1b0a8e1e2f3a4b5c',
        uri: 'harn://tasks/task_01KAHG62E4R9X1P3A5C7E9G1J3/frames/1',
      },
    ],
  },
  schema: 'receipt-2026-04-25',
  side_effects: {
    a2a_handoffs: [
      {
        status: 'completed',
        target_agent: 'sample',
        task_id: '9d6f1a52',
      },
    ],
    fs_writes: [],
    network_egress: [
      {
        destination: 'a2a:sample',
        purpose: 'agent run',
      },
    ],
    tool_calls: [],
  },
  signatures: [
    {
      algorithm: 'ed25519',
      key_id: '--6IM5l0OosLj9yWskISYhUA3n_3CURQkmrYMSha_ck',
      signature:
        'base64:plX9qENBPnhYt7w3NCguamIia2BI1h9WzghBHHOnhi6OfZAYXJeV7vmC7nRHVyu7POafQkuI8BFb4WxTvHH+Ag==',
    },
  ],
  subject: {
    id: 'task_01KAHG62E4R9X1P3A5C7E9G1J3',
    object: 'task',
  },
  trust: {
    end_tier: 'act_auto',
    policy_ref: 'policy.default_tier',
    start_tier: 'act_auto',
  },
};

const { receipt_id, subject, issued_at, signatures } = RECEIPT_PAYLOAD as unknown as WireParts;
const [{ algorithm, key_id, signature }] = signatures;

interface WireParts {
  receipt_id: string;
  subject: JsonObject;
  issued_at: string;
  signatures: [{ algorithm: string; key_id: string; signature: string }];
}

/** What the resource has besides its envelope and its place. */
const RECEIPT_MEMBERS: JsonObject = {
  subject,
  format: 'receipt-2026-04-25',
  summary: `task ${String(subject['id'])}: SUCCEEDED`,
  issued_at,
  issuer: 'harness_example',
  wire: {
    schema_version: 'receipt-2026-04-25',
    subject,
    issued_at,
    payload: RECEIPT_PAYLOAD,
    signature: { algorithm, key_id, value: signature },
  },
  verification: null,
};

const HASH = `sha256:${'5'.repeat(64)}`;

const LOG_HEAD = {
  object: 'receipt_log_head',
  log_id: 'log_01KAHG6QJC3G0Z2K4N6Q8S0V2X',
  size: 1,
  root: HASH,
  timestamp: '2026-11-21T09:00:00.000Z',
  algorithm: 'ed25519',
  key_id: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  signature: `base64:${'A'.repeat(86)}==`,
};

const SIGNING_KEY = resource('signing_key', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k', {
  algorithm: 'Ed25519',
  public_key: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  status: 'current',
  not_before: '2026-11-21T09:00:00.000Z',
  not_after: null,
  revoked_at: null,
});

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Receipt: resource('receipt', receipt_id, { ...whole, task_id: TASK_ID, ...RECEIPT_MEMBERS }),
  ReceiptPayload: RECEIPT_PAYLOAD,
  SigningKey: SIGNING_KEY,
  VerifyReceiptRequest: { at_time: '2026-11-21T10:00:00.000Z' },
  ReceiptVerification: {
    valid: false,
    checked_at: '2026-11-21T09:00:00.000Z',
    reason: 'The step compare fails at receipt 2 of the chain.',
    details: { ok: false, step: 'compare', index: 2, expected: HASH, observed: HASH, skipped: [] },
  },
  ReceiptLogHead: LOG_HEAD,
  ReceiptLogInclusion: {
    object: 'receipt_log_inclusion',
    receipt_id: 'receipt_01KAHG6QJC3G0Z2K4N6Q8S0V2X',
    receipt_hash: HASH,
    leaf_hash: HASH,
    index: 0,
    size: 1,
    root: HASH,
    proof: [],
    head: LOG_HEAD,
  },
  TaskMaterial: {
    object: 'task_material',
    id: 'a2a:sample:1',
    n: 1,
    kind: 'llm_provider_response',
    sha256: HASH,
  },
  ReceiptLogConsistency: {
    object: 'receipt_log_consistency',
    first: { size: 1, root: HASH },
    second: { size: 1, root: HASH },
    proof: [],
    head: LOG_HEAD,
  },
} satisfies Examples;
