type Check = (value: unknown) => boolean;
type Members = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string' && value.length > 0;
const matching =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.some((word) => word === value);
const nullOr =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object with all of the first members, any of the second, and no others. */
function record(required: Members, optional: Members = {}): Check {
  const known = new Map([...Object.entries(required), ...Object.entries(optional)]);
  return (value) =>
    isObject(value) &&
    Object.keys(required).every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) => known.get(name)?.(member) === true);
}

const hash = matching(/^sha256:[0-9a-f]{64}$/);
const amount: Check = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const count: Check = (value) => Number.isSafeInteger(value) && amount(value);
const tier = oneOf('shadow', 'suggest', 'act_with_approval', 'act_auto');

const TIME = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** RFC 3339, on a day that the calendar has. */
const time: Check = (value) => {
  const parts = typeof value === 'string' ? TIME.exec(value) : null;
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
};

const approval = record(
  {
    actor: text,
    action: text,
    decision: oneOf('approved', 'denied', 'canceled', 'timeout'),
    decided_at: time,
  },
  { approval_id: text, quorum_proof: nullOr(isObject), evidence_hash: hash },
);
const budget = record(
  {},
  { usd: amount, input_tokens: count, output_tokens: count, tool_calls: count, wall_time_ms: count },
);
const materialMembers = record(
  { kind: oneOf('llm_provider_response', 'mcp_tool_return', 'event_log', 'artifact', 'host_fact') },
  { id: text, uri: text, sha256: hash, content_type: text, bytes_base64: text, metadata: isObject },
);
const material: Check = (value) => {
  if (!materialMembers(value)) return false;
  const has = (name: string) => Object.hasOwn(value as object, name);
  return has('metadata') || (has('sha256') && (has('uri') || has('bytes_base64')));
};
const model = record({ provider: text, model: text }, { version: text, reason: text });
const providerCost = record(
  { provider: text, amount },
  { model: text, input_tokens: count, output_tokens: count, metadata: isObject },
);
const fileWrite = record(
  { path: text, operation: oneOf('create', 'modify', 'delete', 'rename') },
  { before_sha256: nullOr(hash), after_sha256: nullOr(hash) },
);
const egress = record({ destination: text, purpose: text }, { bytes_sent: count, metadata: isObject });
const toolCall = record(
  { tool: text, call_id: text, status: oneOf('succeeded', 'failed', 'canceled') },
  { input_hash: hash, output_hash: hash, metadata: isObject },
);
const handoff = record(
  { target_agent: text, task_id: text, status: oneOf('accepted', 'rejected', 'failed', 'completed') },
  { receipt_id: text },
);
const artifact = record({ artifact_id: text, kind: text }, { uri: text, sha256: hash });
const delta = record(
  { operation: oneOf('add', 'replace', 'remove'), path: text },
  {
    delta_id: text,
    override_key: text,
    event_id: text,
    before_sha256: nullOr(hash),
    after_sha256: nullOr(hash),
    artifact_id: text,
    reason: text,
  },
);
const redaction = record({ field: text, reason: text }, { proof_hash: hash });
const signature = record({ key_id: text, algorithm: text, signature: text }, { signed_at: time });

const isReceipt = record(
  {
    schema: oneOf('receipt-2026-04-25'),
    receipt_id: text,
    subject: record({
      object: oneOf('task', 'outcome', 'event', 'artifact', 'approval', 'tool_call', 'replay_segment'),
      id: text,
    }),
    issuer: record(
      { id: text, kind: oneOf('harness', 'host', 'agent', 'connector') },
      { name: text, version: text, public_key_id: text },
    ),
    issued_at: time,
    identifiers: record(
      { workspace_ref: text, session_id: text, task_id: text },
      { tenant_id: text, persona_ref: text, branch_id: text, trace_id: text },
    ),
    lifecycle: record(
      { started_at: time, completed_at: time, final_state: oneOf('SUCCEEDED', 'FAILED', 'CANCELED') },
      { created_at: time, failure: nullOr(isObject) },
    ),
    trust: record({ start_tier: tier, end_tier: tier }, { policy_ref: text }),
    autonomy_budget: record({ consumed: budget }, { limit: budget }),
    replay_input: record(
      { determinism: oneOf('byte_deterministic', 'best_effort', 'unavailable'), materials: listOf(material) },
      { unavailable_reason: text },
    ),
    model_route: record({
      chosen_model: model,
      alternatives_considered: listOf(model),
      route_policy_reason: text,
    }),
    cost: record({
      currency: matching(/^[A-Z]{3}$/),
      total: amount,
      provider_breakdown: listOf(providerCost),
    }),
    side_effects: record({
      fs_writes: listOf(fileWrite),
      network_egress: listOf(egress),
      tool_calls: listOf(toolCall),
      a2a_handoffs: listOf(handoff),
    }),
    final_artifacts: listOf(artifact),
    chain: record({ previous_receipt_hash: nullOr(hash), receipt_hash: hash }, { merkle_root: hash }),
  },
  {
    approvals: listOf(approval),
    deltas: listOf(delta),
    redactions: listOf(redaction),
    signatures: listOf(signature),
    metadata: isObject,
  },
);

/** The members of a receipt that its verification reads. */
export interface Receipt {
  subject: { object: string };
  issuer: { public_key_id?: string };
  issued_at: string;
  chain: { previous_receipt_hash: string | null; receipt_hash: string; merkle_root?: string };
  signatures?: { key_id: string; algorithm: string; signature: string; signed_at?: string }[];
}

/** The value as a receipt, or undefined when it is none. Spec: receipt-2026-04-25. */
export function asReceipt(value: unknown): Receipt | undefined {
  return isReceipt(value) ? (value as Receipt) : undefined;
}
