import type { Examples } from '#resources/room.ts';

const HASH = `sha256:${'5'.repeat(64)}`;
const AT = '2026-11-21T09:00:00.000Z';

/** An approval of a tool call, as a link of the chain of its Workspace. */
export const TRUST_RECORD = {
  schema: 'opentrustgraph/v0',
  record_id: 'trust_record_01KAHG6QJC3G0Z2K4N6Q8S0V2X',
  agent: 'clerk@1',
  action: 'tool:files__write_file',
  approver: 'developer',
  outcome: 'success',
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  autonomy_tier: 'act_with_approval',
  timestamp: AT,
  chain_index: 1,
  previous_hash: null,
  entry_hash: HASH,
  metadata: {
    topic: 'workspace:workspace_default',
    issuer: 'harness_01KAHG6QJC3G0Z2K4N6Q8S0V2X',
    workspace_id: 'workspace_default',
    request_id: 'permission_request_01KAHG6KDA1E8X0H2K4N6Q8S0',
    event: 'tool.approved',
    event_id: '00000000000000000042',
    input_sha256: HASH,
    approval: {
      required: true,
      quorum: 1,
      signatures: [
        {
          approved: true,
          input_sha256: HASH,
          request_id: 'permission_request_01KAHG6KDA1E8X0H2K4N6Q8S0',
          reviewer: 'developer',
          signed_at: AT,
          algorithm: 'ed25519',
          key_id: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
          signature: `base64:${'A'.repeat(86)}==`,
        },
      ],
    },
  },
};

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = { TrustRecord: TRUST_RECORD } satisfies Examples;
