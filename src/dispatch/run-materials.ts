import type { Transaction } from '../eventlog/event-log.ts';
import type { ReceiptRedaction, ReplayMaterial } from '../protocol/resources/receipt-parts.ts';
import { wholeText } from '../receipts/canonical-order.ts';
import type { FrameList } from '../replay/frame-list.ts';
import { listOfFrames } from '../replay/recorded-frame.ts';
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

/**
 * Frames that a receipt names one by one: some 250 bytes each, so that a receipt stays far below a megabyte and the commit that
 * ends a long run is as short as any. More are named together.
 */
const LISTED_FRAMES = 500;
/** Frames after which it is asked whether there are too many to list. */
const SHORT_RUN = 16;

/** The members that a recorded frame begins with; the frame itself, which may be large, is not parsed. */
const HEAD_OF_FRAME =
  /^\{"key":("(?:[^"\\]|\\.)*"),"at":"[^"]*","sha256":"([^"]*)"(?:,"redaction_proof":"([^"]*)")?(?:,"list":(\{[^}]*\}))?/;
/** Long enough for every override key and the members after it. */
const HEAD_BYTES = 2_048;
const REASON = 'A secret was replaced before the frame was recorded.';

/** What a run recorded, and where secrets were replaced in it. */
export interface RunMaterials {
  /** How many frames the materials stand for. */
  frames: number;
  materials: ReplayMaterial[];
  redactions: ReceiptRedaction[];
}

/**
 * The recorded frames of a task as replay materials, in the order of their recording; above a bound one material for all of
 * them, by the hash of their list (src/replay/frame-list.ts). Their hashes were made when they were recorded, so that the end
 * of a long task hashes nothing again. A replay finds every frame by its override key, listed or not.
 */
export function materialsOf(tx: Transaction, taskId: string, route: string): RunMaterials {
  return listed(tx, taskId, route) ?? together(tx, taskId);
}

/** Undefined when there are too many. A read of what is not there costs as much as ten others: a short run pays for one. */
function listed(tx: Transaction, taskId: string, route: string): RunMaterials | undefined {
  const protocol = route.slice(0, route.indexOf(':'));
  const kind = KIND_OF_ROUTE[protocol as keyof typeof KIND_OF_ROUTE] ?? 'llm_provider_response';
  const found: RunMaterials = { frames: 0, materials: [], redactions: [] };
  for (let n = 1; ; n += 1) {
    const record = tx.recorded(frameKey(taskId, n));
    if (record === undefined) return { ...found, frames: found.materials.length };
    if (n === SHORT_RUN && tx.recorded(frameKey(taskId, LISTED_FRAMES + 1)) !== undefined) return undefined;
    const { key, sha256, proof } = headOf(record);
    const uri = `harn://tasks/${taskId}/frames/${n}`;
    const material = key.startsWith('host:') ? 'host_fact' : kind;
    found.materials.push({ content_type: 'application/json', id: key, kind: material, sha256, uri });
    if (proof !== undefined)
      found.redactions.push({
        field: `/replay_input/materials/${n - 1}`,
        proof_hash: proof,
        reason: REASON,
      });
  }
}

/** The proofs of what was redacted are in the frames, and the hash of the list covers them. */
function together(tx: Transaction, taskId: string): RunMaterials {
  const frames = newestFrame(tx, taskId);
  const recordOf = (n: number) => tx.recorded(frameKey(taskId, n));
  const { redacted, sha256 } = headOf(recordOf(frames)).list ?? listOfFrames(frames, recordOf);
  const uri = `harn://tasks/${taskId}/frames`;
  const material = {
    content_type: 'application/json',
    kind: 'event_log',
    metadata: { frames },
    sha256,
    uri,
  } as const;
  const reason = `Secrets were replaced in ${redacted} frames before they were recorded.`;
  const redactions = redacted === 0 ? [] : [{ field: '/replay_input/materials/0', reason }];
  return { frames, materials: [material], redactions };
}

/** Frames are numbered without gaps, so a few reads find the last one: strides that double, then halves. */
function newestFrame(tx: Transaction, taskId: string): number {
  const isThere = (n: number) => tx.recorded(frameKey(taskId, n)) !== undefined;
  let there = LISTED_FRAMES + 1;
  let absent = 2 * there;
  while (isThere(absent)) [there, absent] = [absent, 2 * absent];
  while (absent - there > 1) {
    const middle = Math.floor((there + absent) / 2);
    if (isThere(middle)) there = middle;
    else absent = middle;
  }
  return there;
}

interface FrameHead {
  key: string;
  sha256: string;
  proof: string | undefined;
  /** Absent in records of early gateways. */
  list: FrameList | undefined;
}

function headOf(record: Buffer | undefined): FrameHead {
  const head = HEAD_OF_FRAME.exec(record?.toString('utf8', 0, HEAD_BYTES) ?? '');
  const [, key, sha256 = '', proof, list] = head ?? [];
  if (key === undefined) throw new Error('A recorded frame begins with its key, its time and its hash.');
  const listed = list === undefined ? undefined : JSON.parse(list);
  return { key: wholeText(String(JSON.parse(key))), sha256, proof, list: listed };
}
