import { createPublicKey, sign } from 'node:crypto';
import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { privateKeyOf } from '#receipts/ed25519.ts';
import { appendLeaf, rootOf } from '#receipts/merkle.ts';
import type { WireReceipt } from '#resources/receipt/schema.ts';
import type { SeededRandom } from '../faults/seeded-random.ts';

export const FIRST_MS = Date.parse('2026-11-21T10:00:00.000Z');
/** The second key takes over here; both may sign in this very millisecond. */
export const ROTATED_MS = FIRST_MS + 10_000;
export const REVOKED_MS = FIRST_MS + 60_000;

const KEYS = [1, 2, 3].map((seed) => privateKeyOf(Buffer.alloc(32, seed)));
const keyId = (n: number) => `key_${n}`;
const at = (ms: number) => new Date(ms).toISOString();

/** What a gateway serves after one rotation; the third key is of somebody else. */
export const JWKS: JsonObject = {
  keys: [
    { ...publicHalf(0), kid: keyId(0), not_before: at(FIRST_MS), not_after: at(ROTATED_MS) },
    { ...publicHalf(1), kid: keyId(1), not_before: at(ROTATED_MS) },
  ],
};

function publicHalf(n: number): JsonObject {
  const { x = '' } = createPublicKey(KEYS[n] ?? '').export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x, alg: 'EdDSA', use: 'sig' };
}

/** The content of a receipt as a sealer gets it. */
export type Draft = Omit<WireReceipt, 'signatures'>;

/** Puts in the hash, and the signature of the key with this number. */
export function sealed(draft: Draft, keyNumber: number): WireReceipt {
  const { receipt_hash: _hash, ...links } = draft.chain;
  const hash = `sha256:${sha256Hex(canonicalJson({ ...draft, chain: links } as unknown as JsonValue))}`;
  return signed({ ...draft, chain: { ...links, receipt_hash: hash } }, keyNumber);
}

/** The same with the hash that is there, right or wrong. */
export function signed(draft: Draft, keyNumber: number): WireReceipt {
  const signature = sign(null, Buffer.from(draft.chain.receipt_hash), KEYS[keyNumber] ?? '');
  const one = {
    key_id: keyId(keyNumber),
    algorithm: 'ed25519',
    signature: `base64:${signature.toString('base64')}`,
  };
  return { ...draft, signatures: [one] };
}

/** A good chain of one session, every second receipt signed by the key that took over. */
export function goodChain(random: SeededRandom, length: number): WireReceipt[] {
  const receipts: WireReceipt[] = [];
  let frontier: string[] = [];
  for (let index = 0; index < length; index += 1) {
    const previous = receipts.at(-1)?.chain.receipt_hash ?? null;
    const root = index === 0 ? {} : { merkle_root: `sha256:${rootOf(frontier)}` };
    const chain = { previous_receipt_hash: previous, receipt_hash: '', ...root };
    const issuedMs = FIRST_MS + Math.floor((20_000 * index) / length);
    const receipt = sealed({ ...content(random, index, issuedMs), chain }, issuedMs < ROTATED_MS ? 0 : 1);
    receipts.push(receipt);
    frontier = appendLeaf(frontier, index, receipt.chain.receipt_hash.slice('sha256:'.length));
  }
  return receipts;
}

/** A replay of the receipt: it follows its source, has no root and is no link of the chain. */
export function replayOf(source: WireReceipt, random: SeededRandom): WireReceipt {
  const chain = { previous_receipt_hash: source.chain.receipt_hash, receipt_hash: '' };
  const copy = content(random, 900, Date.parse(source.issued_at));
  const subject = { object: 'replay_segment' as const, id: `task_replay_${random.between(1, 1e6)}` };
  return sealed({ ...copy, subject, chain }, Date.parse(source.issued_at) < ROTATED_MS ? 0 : 1);
}

/** What it cost and touched; the same for all. */
const NO_CHARGE = {
  model_route: {
    chosen_model: { provider: 'none', model: 'none' },
    alternatives_considered: [],
    route_policy_reason: 'no model call was made',
  },
  cost: { currency: 'USD', total: 0, provider_breakdown: [] },
  side_effects: {
    fs_writes: [{ path: 'a/ß.txt', operation: 'create', before_sha256: null }],
    network_egress: [],
    tool_calls: [{ tool: 'shell', call_id: 'call_1', status: 'succeeded' }],
    a2a_handoffs: [],
  },
} satisfies Partial<Draft>;

function content(random: SeededRandom, index: number, issuedMs: number): Draft {
  const time = at(issuedMs);
  const maybe = (members: object) => (random.chance(0.5) ? members : {});
  return {
    schema: 'receipt-2026-04-25',
    receipt_id: `receipt_${index}_${random.between(1, 1e9)}`,
    subject: { object: random.pick(['task', 'event'] as const), id: `task_${index}` },
    issuer: {
      id: 'harness_test',
      kind: 'harness',
      ...maybe({ public_key_id: keyId(issuedMs < ROTATED_MS ? 0 : 1) }),
    },
    issued_at: time,
    identifiers: {
      workspace_ref: 'workspace_default',
      session_id: 'session_1',
      task_id: `task_${index}`,
      ...maybe({ trace_id: 'ab'.repeat(16), persona_ref: 'persona_ü@v1' }),
    },
    lifecycle: {
      started_at: time,
      completed_at: time,
      final_state: random.pick(['SUCCEEDED', 'FAILED', 'CANCELED'] as const),
      failure: random.pick([null, { code: 'refused', message: 'not\ntoday "really" \\ €' }]),
    },
    trust: { start_tier: 'act_auto', end_tier: 'act_with_approval' },
    autonomy_budget: { consumed: { usd: random.pick([0, 0.1842, 2]), tool_calls: random.between(0, 9) } },
    replay_input: {
      determinism: 'byte_deterministic',
      materials: [
        { kind: 'artifact', uri: 'artifact://a', sha256: `sha256:${'ab'.repeat(32)}` },
        { kind: 'host_fact', id: 'time:start', metadata: { value: time } },
      ],
    },
    ...NO_CHARGE,
    final_artifacts: [{ artifact_id: 'artifact_1', kind: 'patch' }],
    chain: { previous_receipt_hash: null, receipt_hash: '' },
    ...maybe({
      metadata: {
        nested: { deep: [{ 10: 'ten', 9: 'nine', '€': '😀', text: 'x' }], n: random.between(-5, 1e9) },
      },
    }),
  };
}
