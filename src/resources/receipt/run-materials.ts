import type { Transaction } from '#eventlog/event-log.ts';
import { wholeText } from '#json/canonical.ts';
import { type Rules, rulesOf } from '#protocol/rules.ts';
import type { FrameList, ListedFrame } from '#resources/replay/record/frame-list.ts';
import { type FrameHead, headsInRow } from '#resources/replay/record/frame-row.ts';
import { type FrameBlock, listOfFrames } from '#resources/replay/record/recorded-frame.ts';
import type { TaskState } from '#resources/task/state.ts';
import { BLOCK_FRAMES, blockOf, headsFrom, type RecordOf, treeOf } from '#resources/task/task-frames.ts';
import { frameKey } from '#store/keys.ts';
import type { ReceiptRedaction, ReplayMaterial } from './parts-schema.ts';

/**
 * What a recorded frame is in words of the receipt, by the protocol of its route. An agent's answer has no word of its own;
 * that it came from a model, or which, is not said by it.
 */
const KIND_OF_ROUTE = {
  a2a: 'llm_provider_response',
  acp: 'llm_provider_response',
  mcp: 'mcp_tool_return',
} as const;

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
  recordOf: RecordOf,
  { resource, internal: { route } }: Pick<TaskState, 'resource' | 'internal'>,
  from: number,
  limit: number,
): FrameMaterial[] {
  const found: FrameMaterial[] = [];
  for (const { n, listed } of headsFrom(recordOf, resource.id, from)) {
    if (found.length === limit) break;
    const key = wholeText(listed.key);
    found.push({ n, kind: kindOf(key, route), ...listed, key });
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

/** Undefined when there are too many. */
function listed(
  tx: Transaction,
  taskId: string,
  route: string,
  { listedFrames }: Rules,
): RunMaterials | undefined {
  const found: RunMaterials = { frames: 0, materials: [], redactions: [] };
  for (const { n, listed: frame } of headsFrom((key) => tx.recorded(key), taskId, 1)) {
    if (n > listedFrames) return undefined;
    const { sha256, redaction_proof: proof } = frame;
    const id = wholeText(frame.key);
    const uri = uriOfFrame(taskId, n);
    found.frames = n;
    found.materials.push({ content_type: 'application/json', id, kind: kindOf(id, route), sha256, uri });
    if (proof !== undefined)
      found.redactions.push({
        field: `/replay_input/materials/${n - 1}`,
        proof_hash: proof,
        reason: REASON,
      });
  }
  return found;
}

/** The proofs of what was redacted are in the frames, and the hash of all of them covers them. */
function together(tx: Transaction, taskId: string, { frameDigest }: Rules): RunMaterials {
  const { frames, digest } = DIGESTS[frameDigest]((key) => tx.recorded(key), taskId);
  const { redacted, sha256 } = digest;
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

type Digest = (recordOf: RecordOf, taskId: string) => { frames: number; digest: FrameList };

const DIGESTS: Readonly<Record<Rules['frameDigest'], Digest>> = {
  chain: (recordOf, taskId) => {
    const heads = [...headsFrom(recordOf, taskId, 1)];
    return { frames: heads.length, digest: heads.at(-1)?.list ?? listOfFrames(heads.map(listedOf)) };
  },
  tree: (recordOf, taskId) => {
    const full = fullBlocks(recordOf, taskId);
    const rest = [...headsFrom(recordOf, taskId, full * BLOCK_FRAMES + 1)];
    const blocks = Array.from({ length: full }, (_, at) => blockAt(recordOf, taskId, at));
    const digest = treeOf(blocks, rest.map(listedOf));
    return { frames: full * BLOCK_FRAMES + rest.length, digest };
  },
};

/** Frames of an import or of a replay have no blocks. */
function blockAt(recordOf: RecordOf, taskId: string, at: number): FrameBlock {
  const [last] = headsInRow(recordOf(frameKey(taskId, (at + 1) * BLOCK_FRAMES)) ?? Buffer.alloc(0));
  if (last?.block !== undefined) return last.block;
  const frames: ListedFrame[] = [];
  for (const head of headsFrom(recordOf, taskId, at * BLOCK_FRAMES + 1)) {
    frames.push(listedOf(head));
    if (frames.length === BLOCK_FRAMES) break;
  }
  return blockOf(frames);
}

/** The last frame of a block has a row of its own, so a few reads find how many there are: strides that double, then halves. */
function fullBlocks(recordOf: RecordOf, taskId: string): number {
  const isThere = (blocks: number) => recordOf(frameKey(taskId, blocks * BLOCK_FRAMES)) !== undefined;
  let [there, absent] = [0, 1];
  while (isThere(absent)) [there, absent] = [absent, 2 * absent];
  while (absent - there > 1) {
    const middle = Math.floor((there + absent) / 2);
    if (isThere(middle)) there = middle;
    else absent = middle;
  }
  return there;
}

function listedOf({ listed: frame }: FrameHead): ListedFrame {
  return { ...frame, key: wholeText(frame.key) };
}
