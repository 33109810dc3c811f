import type { Transaction } from '../eventlog/event-log.ts';
import type { TaskState } from '../projections/states.ts';
import type { ReceiptRedaction, ReplayMaterial } from '../protocol/resources/receipt-parts.ts';
import { type Rules, rulesOf } from '../protocol/rules.ts';
import { wholeText } from '../receipts/canonical-order.ts';
import type { FrameList, ListedFrame } from '../replay/frame-list.ts';
import { type FrameBlock, listOfFrames } from '../replay/recorded-frame.ts';
import { frameKey } from '../store/keys.ts';
import { BLOCK_FRAMES, blockOf, treeOf } from './frame-tree.ts';

/**
 * What a recorded frame is in words of the receipt, by the protocol of its route. An agent's answer has no word of its own;
 * that it came from a model, or which, is not said by it.
 */
const KIND_OF_ROUTE = {
  a2a: 'llm_provider_response',
  acp: 'llm_provider_response',
  mcp: 'mcp_tool_return',
} as const;

/** Frames after which it is asked whether there are too many to list. */
const SHORT_RUN = 16;

/** The members that a recorded frame begins with; the frame itself, which may be large, is not parsed. */
const HEAD_OF_FRAME =
  /^\{"key":("(?:[^"\\]|\\.)*"),"at":"[^"]*","sha256":"([^"]*)"(?:,"redaction_proof":"([^"]*)")?(?:,"(list|block)":(\{[^}]*\}))?/;
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
 * them, by one hash. Their own hashes were made when they were recorded. A replay finds every frame by its override key, listed
 * or not; `GET /v1/tasks/{id}/materials` lists them all.
 */
export function materialsOf(tx: Transaction, { resource, internal }: TaskState): RunMaterials {
  const rules = rulesOf(internal.rules);
  return listed(tx, resource.id, internal.route, rules) ?? together(tx, resource.id, rules);
}

/** A recorded frame in words of a receipt. */
export interface FrameMaterial extends ListedFrame {
  n: number;
  kind: 'host_fact' | (typeof KIND_OF_ROUTE)[keyof typeof KIND_OF_ROUTE];
}

/** Frames of a task from number `from` on, at most `limit`. */
export function frameMaterials(
  recordOf: (key: string) => Buffer | undefined,
  { resource, internal: { route } }: Pick<TaskState, 'resource' | 'internal'>,
  from: number,
  limit: number,
): FrameMaterial[] {
  const found: FrameMaterial[] = [];
  for (let n = from; found.length < limit; n += 1) {
    const record = recordOf(frameKey(resource.id, n));
    if (record === undefined) break;
    const { listed } = headOf(record);
    found.push({ n, kind: kindOf(listed.key, route), ...listed });
  }
  return found;
}

export function kindOf(key: string, route: string): FrameMaterial['kind'] {
  if (key.startsWith('host:')) return 'host_fact';
  const protocol = route.slice(0, route.indexOf(':'));
  return KIND_OF_ROUTE[protocol as keyof typeof KIND_OF_ROUTE] ?? 'llm_provider_response';
}

function uriOfFrame(taskId: string, n: number): string {
  return `harn://tasks/${taskId}/frames/${n}`;
}

/** Undefined when there are too many. A read of what is not there costs as much as ten others: a short run pays for one. */
function listed(
  tx: Transaction,
  taskId: string,
  route: string,
  { listedFrames }: Rules,
): RunMaterials | undefined {
  const found: RunMaterials = { frames: 0, materials: [], redactions: [] };
  for (let n = 1; ; n += 1) {
    const record = tx.recorded(frameKey(taskId, n));
    if (record === undefined) return { ...found, frames: found.materials.length };
    if (n === SHORT_RUN && tx.recorded(frameKey(taskId, listedFrames + 1)) !== undefined) return undefined;
    const { key, sha256, redaction_proof: proof } = headOf(record).listed;
    const uri = uriOfFrame(taskId, n);
    found.materials.push({
      content_type: 'application/json',
      id: key,
      kind: kindOf(key, route),
      sha256,
      uri,
    });
    if (proof !== undefined)
      found.redactions.push({
        field: `/replay_input/materials/${n - 1}`,
        proof_hash: proof,
        reason: REASON,
      });
  }
}

/** The proofs of what was redacted are in the frames, and the hash of all of them covers them. */
function together(tx: Transaction, taskId: string, { listedFrames, frameDigest }: Rules): RunMaterials {
  const frames = newestFrame(tx, taskId, listedFrames + 1);
  const { redacted, sha256 } = DIGESTS[frameDigest]((n) => tx.recorded(frameKey(taskId, n)), frames);
  const uri = `harn://tasks/${taskId}/frames`;
  const material = {
    content_type: 'application/json',
    kind: 'event_log',
    metadata: { frames, ...(frameDigest === 'tree' ? { hash: 'rfc6962-sha256' } : {}) },
    sha256,
    uri,
  } as const;
  const reason = `Secrets were replaced in ${redacted} frames before they were recorded.`;
  const redactions = redacted === 0 ? [] : [{ field: '/replay_input/materials/0', reason }];
  return { frames, materials: [material], redactions };
}

type Digest = (recordOf: (n: number) => Buffer | undefined, frames: number) => FrameList;

const DIGESTS: Readonly<Record<Rules['frameDigest'], Digest>> = {
  chain: (recordOf, frames) => headOf(recordOf(frames)).list ?? listOfFrames(frames, recordOf),
  tree: (recordOf, frames) => {
    const full = Math.floor(frames / BLOCK_FRAMES);
    const framesBehind = (before: number, count: number) =>
      Array.from({ length: count }, (_, at) => headOf(recordOf(before + at + 1)).listed);
    // Frames of an import or of a replay have no blocks.
    const blocks = Array.from(
      { length: full },
      (_, at) =>
        headOf(recordOf((at + 1) * BLOCK_FRAMES)).block ??
        blockOf(framesBehind(at * BLOCK_FRAMES, BLOCK_FRAMES)),
    );
    return treeOf(blocks, framesBehind(full * BLOCK_FRAMES, frames % BLOCK_FRAMES));
  },
};

/** Frames are numbered without gaps, so a few reads find the last one: strides that double, then halves. */
function newestFrame(tx: Transaction, taskId: string, known: number): number {
  const isThere = (n: number) => tx.recorded(frameKey(taskId, n)) !== undefined;
  let there = known;
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
  listed: ListedFrame;
  /** In records under rules 1. */
  list?: FrameList;
  block?: FrameBlock;
}

function headOf(record: Buffer | undefined): FrameHead {
  const head = HEAD_OF_FRAME.exec(record?.toString('utf8', 0, HEAD_BYTES) ?? '');
  const [, key, sha256 = '', proof, together, digest] = head ?? [];
  if (key === undefined) throw new Error('A recorded frame begins with its key, its time and its hash.');
  const redaction_proof = proof === undefined ? {} : { redaction_proof: proof };
  const listed = {
    key: wholeText(key.includes('\\') ? JSON.parse(key) : key.slice(1, -1)),
    sha256,
    ...redaction_proof,
  };
  return { listed, ...(together === undefined ? {} : { [together]: JSON.parse(digest ?? '') }) };
}
