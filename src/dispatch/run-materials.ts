import type { Transaction } from '../eventlog/event-log.ts';
import type { ReceiptRedaction, ReplayMaterial } from '../protocol/resources/receipt-parts.ts';
import { wholeText } from '../receipts/canonical-order.ts';
import { frameKey } from '../store/keys.ts';

/**
 * What a recorded frame is in words of the receipt, by the protocol of its route. An agent's answer has no word of its own;
 * that it came from a model, or which, is not said by it.
 */
const KIND_OF_ROUTE = {
  a2a: 'llm_provider_response',
  acp: 'llm_provider_response',
  mcp: 'mcp_tool_return',
} as const;

/** The members that a recorded frame begins with; the frame itself, which may be large, is not parsed. */
const HEAD_OF_FRAME =
  /^\{"key":("(?:[^"\\]|\\.)*"),"at":"[^"]*","sha256":"([^"]*)"(?:,"redaction_proof":"([^"]*)")?/;
/** Long enough for every override key and the members after it. */
const HEAD_BYTES = 2_048;
const REASON = 'A secret was replaced before the frame was recorded.';

/** What a run recorded, and where secrets were replaced in it. */
export interface RunMaterials {
  materials: ReplayMaterial[];
  redactions: ReceiptRedaction[];
}

/**
 * The recorded frames of a task as replay materials, in the order of their recording. Their hashes were made when they were
 * recorded, so that the end of a long task reads them once and hashes nothing again.
 */
export function materialsOf(tx: Transaction, taskId: string, route: string): RunMaterials {
  const protocol = route.slice(0, route.indexOf(':'));
  const kind = KIND_OF_ROUTE[protocol as keyof typeof KIND_OF_ROUTE] ?? 'llm_provider_response';
  const found: RunMaterials = { materials: [], redactions: [] };
  for (let n = 1; ; n += 1) {
    const record = tx.recorded(frameKey(taskId, n));
    if (record === undefined) return found;
    const { key, sha256, proof } = headOf(record);
    const uri = `harn://tasks/${taskId}/frames/${n}`;
    found.materials.push({ content_type: 'application/json', id: key, kind, sha256, uri });
    if (proof !== undefined)
      found.redactions.push({
        field: `/replay_input/materials/${n - 1}`,
        proof_hash: proof,
        reason: REASON,
      });
  }
}

function headOf(record: Buffer): { key: string; sha256: string; proof: string | undefined } {
  const [, key, sha256 = '', proof] = HEAD_OF_FRAME.exec(record.toString('utf8', 0, HEAD_BYTES)) ?? [];
  if (key === undefined) throw new Error('A recorded frame begins with its key, its time and its hash.');
  return { key: wholeText(String(JSON.parse(key))), sha256, proof };
}
