import type { JsonObject } from '#protocol/json.ts';
import type { Frame } from '#protocol-client.ts';
import type { MemoryFrame } from '#resources/memory/given-memory.ts';
import { extendFrameList, type FrameList, type ListedFrame, NO_FRAMES } from './frame-list.ts';

/** A frame as it was recorded: replay material of a task, and where in the log it was taken. `frame-row.ts` has how it is kept. */
export interface RecordedFrame {
  /** Its override key, for example `a2a:sample:3`. */
  key: string;
  /** Time of its transaction (RFC 3339). */
  at: string;
  /** `sha256:` and the hash of the RFC 8785 bytes of `frame`; the receipt of the task names it. */
  sha256: string;
  /** Commitment to the frame as it came, where secrets were replaced in it (src/receipts/redaction-proof.ts). */
  redaction_proof?: string;
  /** All frames up to this one, in records under rules 1; `listOfFrames` makes it where it is absent. */
  list?: FrameList;
  /** Only on every 256th frame: it and the 255 before it (src/resources/task/task-frames.ts). */
  block?: FrameBlock;
  /** Id of the newest event of the log before its own. */
  after: string;
  /** Only on the first frame of a turn or of a cancel: what the Session was bound to at the agent then. */
  turn?: { session_binding: JsonObject | null };
  /** The fault of a cancel: noted, never interpreted. */
  noted?: true;
  /** Secrets were replaced in it, so that it may mean something else than what came. */
  redacted?: true;
  /** Set where another gateway recorded it: the event of this log before it, and whether it came without its content. */
  imported?: { after: string; withheld?: true };
  frame: Frame | MemoryFrame;
}

/** Frames that follow each other as a perfect subtree of the tree of all frames. */
export interface FrameBlock {
  /** How many of them had secrets replaced in them. */
  redacted: number;
  /** RFC 6962 root, bare hex. */
  root: string;
}

/** A frame in its history, where it shows how many events it became; their ids follow `after`. */
export interface PlacedFrame extends RecordedFrame {
  events: number;
}

/** The list of frames, made from the frames themselves. */
export function listOfFrames(frames: Iterable<ListedFrame>): FrameList {
  let list = NO_FRAMES;
  for (const frame of frames) list = extendFrameList(list, frame);
  return list;
}
