import type { EventLog } from '#eventlog/event-log.ts';
import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import { type Clean, own } from '#protocol/clean.ts';
import { growTree, type HexHash, leafHash, rootOf } from '#receipts/merkle.ts';
import type { FrameList, ListedFrame } from '#resources/replay/record/frame-list.ts';
import { type FrameHead, headsInRow, MAX_ROW_FRAMES } from '#resources/replay/record/frame-row.ts';
import type { FrameBlock } from '#resources/replay/record/recorded-frame.ts';
import { frameKey } from '#store/keys.ts';

/** A primary record by its key. */
export type RecordOf = (key: string) => Buffer | undefined;

interface NumberedHead extends FrameHead {
  /** From 1 in its task. */
  n: number;
}

/** The heads of the recorded frames of a task from number `from` on, in order; each row is read when its turn comes. */
export function* headsFrom(recordOf: RecordOf, taskId: string, from: number): Generator<NumberedHead, void> {
  let row = rowWith(recordOf, taskId, from);
  while (row !== undefined) {
    const { first, heads } = row;
    for (const [at, head] of heads.entries()) if (first + at >= from) yield { n: first + at, ...head };
    row = rowAt(recordOf, taskId, first + heads.length);
  }
}

interface Row {
  first: number;
  heads: FrameHead[];
}

function rowAt(recordOf: RecordOf, taskId: string, first: number): Row | undefined {
  const record = recordOf(frameKey(taskId, first));
  return record && { first, heads: headsInRow(record) };
}

/** The row that holds a frame: the newest that begins with it or before it. */
function rowWith(recordOf: RecordOf, taskId: string, n: number): Row | undefined {
  for (let first = n; first > Math.max(0, n - MAX_ROW_FRAMES); first -= 1) {
    const row = rowAt(recordOf, taskId, first);
    if (row !== undefined) return first + row.heads.length > n ? row : undefined;
  }
  return undefined;
}

const MAX_FRAME = 99_999_999;

/** Numbers the recorded frames of a task from 1 over all its turns; a turn and a cancel may record at the same time. */
export class FrameNumbers {
  readonly #tasks = new Map<string, Recorded & { recorders: number }>();
  readonly #log: EventLog;

  constructor(log: EventLog) {
    this.#log = log;
  }

  /**
   * Finds out how far the store is; a task that starts has no frames yet, so nothing is looked up. Every `open` needs a
   * `close`; `take` is for the time between.
   */
  async open(taskId: string, isStarting: boolean): Promise<void> {
    const known = this.#tasks.get(taskId) ?? (isStarting ? nothingRecorded() : undefined);
    const found = known ?? (await this.#newestInStore(taskId));
    const task = this.#tasks.get(taskId) ?? { recorders: 0, ...found };
    task.recorders += 1;
    this.#tasks.set(taskId, task);
  }

  take(taskId: string): number {
    const task = this.#tasks.get(taskId);
    if (!task) throw new Error(`frames of ${taskId} are numbered before open`);
    task.next += 1;
    return task.next - 1;
  }

  /** Takes the newest frame into its block; returns the block when it is full. */
  extend(taskId: string, frame: ListedFrame): Clean<FrameBlock> | undefined {
    const task = this.#tasks.get(taskId);
    if (!task) throw new Error(`frames of ${taskId} are listed before open`);
    task.block.push(frame);
    if (task.block.length < BLOCK_FRAMES) return undefined;
    const block = blockOf(task.block);
    task.block = [];
    return block;
  }

  close(taskId: string): void {
    const task = this.#tasks.get(taskId);
    if (!task) return;
    task.recorders -= 1;
    if (task.recorders === 0) this.#tasks.delete(taskId);
  }

  async #newestInStore(taskId: string): Promise<Recorded> {
    const range = { gte: frameKey(taskId, 0), lte: frameKey(taskId, MAX_FRAME), reverse: true, limit: 1 };
    const [last] = await this.#log.indexKeys(range);
    if (last === undefined) return nothingRecorded();
    const recordOf = (key: string) => this.#log.record(key);
    const first = Number(last.slice(-8));
    const row = recordOf(last);
    const newest = first - 1 + (row === undefined ? 1 : headsInRow(row).length);
    const block: ListedFrame[] = [];
    for (const { listed } of headsFrom(recordOf, taskId, newest - (newest % BLOCK_FRAMES) + 1))
      block.push(listed);
    return { next: newest + 1, block };
  }
}

/** How far a task is: the number of its next frame, and the frames of the block that is not full yet. */
interface Recorded {
  next: number;
  block: ListedFrame[];
}

const nothingRecorded = (): Recorded => ({ next: 1, block: [] });

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
