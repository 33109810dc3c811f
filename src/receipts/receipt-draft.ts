import type { AutonomyTier } from '#protocol/autonomy.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { UsageTotals } from '#protocol/usage.ts';
import type {
  ReceiptApproval,
  ReceiptArtifact,
  ReceiptDelta,
  ReceiptFileWrite,
  ReceiptHandoff,
  ReceiptRedaction,
  ReceiptToolCall,
  ReplayMaterial,
} from '#resources/receipt/parts-schema.ts';
import type { WireReceipt } from '#resources/receipt/schema.ts';

/** A receipt before it is hashed and signed. */
export type ReceiptContent = Omit<WireReceipt, 'chain' | 'signatures'> & {
  chain: Omit<WireReceipt['chain'], 'receipt_hash'>;
};

type Tier = AutonomyTier;

/** Who issues, and where in the chain of its session the receipt stands. */
export interface ReceiptPlace {
  receiptId: string;
  /** RFC 3339; a replay repeats the recorded time. */
  issuedAt: string;
  issuer: { id: string; name: string | null };
  /** Key that will sign; null leaves it out, as a replay does. */
  keyId: string | null;
  /** Null for the first of a chain. A replay follows the receipt of its source. */
  previousHash: string | null;
  /** Over the chain before this receipt; null for the first, and for a replay; see README.md, Chain. */
  merkleRoot: string | null;
}

/** What a run did, as its receipt states it. Lists keep the order in which things happened. */
export interface RunRecord {
  subject: WireReceipt['subject'];
  identifiers: {
    tenantId: string | null;
    personaRef: string | null;
    workspaceId: string;
    sessionId: string;
    taskId: string;
    branchId: string | null;
    traceId: string | null;
  };
  lifecycle: {
    createdAt: string;
    startedAt: string;
    completedAt: string;
    finalState: WireReceipt['lifecycle']['final_state'];
    failure: JsonObject | null;
  };
  trust: { startTier: Tier; endTier: Tier; policyRef: string };
  wallTimeMs: number;
  /** What the agent says that it used, and the route it runs at; null where it says nothing. */
  usage: (UsageTotals & { agent: string }) | null;
  /** The model that the Session wished for and the agent took. */
  wished?: { provider: string; model: string };
  /** All of them, listed or not. */
  toolCallCount: number;
  approvals: readonly ReceiptApproval[];
  materials: readonly ReplayMaterial[];
  toolCalls: readonly ReceiptToolCall[];
  fileWrites: readonly ReceiptFileWrite[];
  networkEgress: WireReceipt['side_effects']['network_egress'];
  handoffs: readonly ReceiptHandoff[];
  artifacts: readonly ReceiptArtifact[];
  redactions: readonly ReceiptRedaction[];
  metadata: JsonObject;
}

/** What a replay adds: the substitutions it made and how it ended. */
export interface ReplayRecord {
  deltas: readonly ReceiptDelta[];
  /** Merged into the metadata: verdict, mode, source. */
  metadata: JsonObject;
}
