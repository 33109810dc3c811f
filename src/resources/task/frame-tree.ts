import { canonicalJson } from '#json/canonical.ts';
import { sha256Hex } from '#json/sha256.ts';
import { type Clean, own } from '#protocol/clean.ts';
import { growTree, type HexHash, leafHash, rootOf } from '#receipts/merkle.ts';
import type { FrameList, ListedFrame } from '#resources/replay/record/frame-list.ts';
import type { FrameBlock } from '#resources/replay/record/recorded-frame.ts';

/** Frames of a block: a perfect subtree, so that the end of a long run reads one root for each and the frames of the last one. */
export const BLOCK_FRAMES = 256;

/**
 * The recorded frames of a task as one RFC 6962 tree. The leaf of a frame is the SHA-256 of the RFC 8785 bytes of
 * `{"id": <override key>, "proof_hash": <of what was redacted, where something was>, "sha256": <of the frame>}`, in the order
 * of their recording. Documented in src/receipts/README.md, "Materials".
 */
export function treeOf(blocks: readonly FrameBlock[], rest: readonly ListedFrame[]): FrameList {
  let frontier: HexHash[] = [];
  // A tree over the roots of perfect subtrees of one size is the tree over their leaves.
  for (const [at, { root }] of blocks.entries()) frontier = growTree(frontier, at, root).frontier;
  const before = blocks.length * BLOCK_FRAMES;
  for (const [at, frame] of rest.entries())
    frontier = growTree(frontier, before + at, leafOf(frame)).frontier;
  const redacted = blocks.reduce((sum, block) => sum + block.redacted, 0) + redactedOf(rest);
  return { redacted, sha256: `sha256:${rootOf(frontier)}` };
}

/** Throws RangeError for another number of frames than a block has. */
export function blockOf(frames: readonly ListedFrame[]): Clean<FrameBlock> {
  if (frames.length !== BLOCK_FRAMES) throw new RangeError(`A block has ${BLOCK_FRAMES} frames.`);
  const { redacted, sha256 } = treeOf([], frames);
  return { redacted, root: own(sha256.slice('sha256:'.length)) };
}

function leafOf({ key, sha256, redaction_proof }: ListedFrame): HexHash {
  const proof = redaction_proof === undefined ? {} : { proof_hash: redaction_proof };
  return leafHash(sha256Hex(canonicalJson({ id: key, ...proof, sha256 })));
}

function redactedOf(frames: readonly ListedFrame[]): number {
  return frames.filter(({ redaction_proof }) => redaction_proof !== undefined).length;
}
