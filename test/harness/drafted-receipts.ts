import { sign } from 'node:crypto';
import { buildReceipt, type ReceiptKey, sealReceipt } from '#receipts/build-receipt.ts';
import { privateKeyOf, rawPublicKey, thumbprint } from '#receipts/ed25519.ts';
import { appendLeaf, rootOf } from '#receipts/merkle.ts';
import type { ReceiptPlace, RunRecord } from '#receipts/receipt-draft.ts';
import type { WireReceipt } from '#resources/receipt/schema.ts';

const SEED_BYTES = 32;
const privateKey = privateKeyOf(Buffer.alloc(SEED_BYTES, 7));
const publicKey = rawPublicKey(privateKey);
const AT = '2026-11-21T09:00:00.000Z';

/** A key whose private half everybody knows. */
export const TEST_KEY: ReceiptKey = {
  keyId: thumbprint(publicKey),
  sign: (bytes) => sign(null, bytes, privateKey),
};

export const TEST_JWKS = {
  keys: [
    {
      kty: 'OKP',
      crv: 'Ed25519',
      x: publicKey.toString('base64url'),
      kid: TEST_KEY.keyId,
      alg: 'EdDSA',
      use: 'sig',
      not_before: '2026-01-01T00:00:00.000Z',
    },
  ],
  revoked_keys: [],
};

const COUNTED = { wallTimeMs: 1_250, usage: null, toolCallCount: 1 } as const;

/** A run that did one of everything. */
export function runRecord(n: number, changes: Partial<RunRecord> = {}): RunRecord {
  const taskId = `task_${n}`;
  const hash = `sha256:${String(n % 10).repeat(64)}`;
  return {
    subject: { object: 'task', id: taskId },
    identifiers: {
      tenantId: 'tenant_shop',
      personaRef: 'persona_clerk@1',
      workspaceId: 'workspace_default',
      sessionId: 'session_1',
      taskId,
      branchId: null,
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    },
    lifecycle: { createdAt: AT, startedAt: AT, completedAt: AT, finalState: 'SUCCEEDED', failure: null },
    trust: { startTier: 'act_with_approval', endTier: 'act_auto', policyRef: 'persona:persona_clerk' },
    ...COUNTED,
    approvals: [
      {
        action: 'send_mail',
        actor: 'developer',
        approval_id: `permission_request_${n}`,
        decided_at: AT,
        decision: 'approved',
        evidence_hash: hash,
      },
    ],
    materials: [
      {
        content_type: 'application/json',
        id: 'a2a:shop:1',
        kind: 'llm_provider_response',
        sha256: hash,
        uri: `harn://tasks/${taskId}/frames/1`,
      },
    ],
    toolCalls: [
      { call_id: 'call_1', input_hash: hash, output_hash: hash, status: 'succeeded', tool: 'send_mail' },
    ],
    fileWrites: [{ after_sha256: hash, operation: 'modify', path: 'notes/é.txt' }],
    networkEgress: [{ destination: 'a2a:shop', purpose: 'agent run' }],
    handoffs: [{ status: 'completed', target_agent: 'shop', task_id: 'remote_1' }],
    artifacts: [
      { artifact_id: 'artifact_1', kind: 'file', sha256: hash, uri: '/v1/artifacts/artifact_1/content' },
    ],
    redactions: [{ field: '/replay_input/materials/0', proof_hash: hash, reason: 'secret replaced' }],
    metadata: { turns: 1, route: 'a2a:shop' },
    ...changes,
  };
}

export function placeOf(n: number, before: Partial<ReceiptPlace> = {}): ReceiptPlace {
  return {
    receiptId: `receipt_${n}`,
    issuedAt: AT,
    issuer: { id: 'harness_test', name: 'Test' },
    keyId: TEST_KEY.keyId,
    previousHash: null,
    merkleRoot: null,
    ...before,
  };
}

/** A chain of so many receipts, as a session makes them. */
export function draftedChain(count: number): WireReceipt[] {
  const receipts: WireReceipt[] = [];
  let frontier: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const previousHash = receipts.at(-1)?.chain.receipt_hash ?? null;
    const merkleRoot = n === 0 ? null : `sha256:${rootOf(frontier)}`;
    const { bytes, hash } = sealReceipt(
      buildReceipt(runRecord(n), placeOf(n, { previousHash, merkleRoot })),
      TEST_KEY,
    );
    frontier = appendLeaf(frontier, n, hash.slice('sha256:'.length));
    receipts.push(JSON.parse(bytes.toString('utf8')));
  }
  return receipts;
}
