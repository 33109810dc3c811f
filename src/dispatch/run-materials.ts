import type { Transaction } from '../eventlog/event-log.ts';
import { sha256Hex } from '../json/sha256.ts';
import type { ReplayMaterial } from '../protocol/resources/receipt-parts.ts';
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

/** The frame that begins with its override key, as the recorder wrote it. */
const KEY_OF_FRAME = /^\{"key":("(?:[^"\\]|\\.)*")/;
/** Long enough for every override key. */
const KEY_BYTES = 2_048;

/**
 * The recorded frames of a task as replay materials, in the order of their recording. The hash is over the bytes of the
 * frame as it is stored, which a replay reads.
 */
export function materialsOf(tx: Transaction, taskId: string, route: string): ReplayMaterial[] {
  const protocol = route.slice(0, route.indexOf(':'));
  const kind = KIND_OF_ROUTE[protocol as keyof typeof KIND_OF_ROUTE] ?? 'llm_provider_response';
  const materials: ReplayMaterial[] = [];
  for (let n = 1; ; n += 1) {
    const frame = tx.recorded(frameKey(taskId, n));
    if (frame === undefined) return materials;
    materials.push({
      content_type: 'application/json',
      id: keyOf(frame, n),
      kind,
      sha256: `sha256:${sha256Hex(frame)}`,
      uri: `harn://tasks/${taskId}/frames/${n}`,
    });
  }
}

function keyOf(frame: Buffer, n: number): string {
  const [, quoted = '""'] = KEY_OF_FRAME.exec(frame.toString('utf8', 0, KEY_BYTES)) ?? [];
  return wholeText(String(JSON.parse(quoted))) || `frame:${n}`;
}
