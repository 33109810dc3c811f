import { canonicalJson, sha256Hex } from '#json/canonical.ts';

/** The frames of a task up to one of them, as one hash. */
export interface FrameList {
  /** How many of them had secrets replaced in them. */
  redacted: number;
  /** `sha256:` and hex. */
  sha256: string;
}

/** What a list knows of a frame: its override key, its hash, and its proof where secrets were replaced in it. */
export interface ListedFrame {
  key: string;
  sha256: string;
  redaction_proof?: string;
}

/** Before the first frame. */
export const NO_FRAMES: FrameList = { redacted: 0, sha256: `sha256:${'0'.repeat(64)}` };

/**
 * The list with one more frame: the hash of the RFC 8785 bytes of `{"before": <hash of the list so far>, "id": <override key>,
 * "proof_hash": <of what was redacted, where something was>, "sha256": <of the frame>}`. Each frame extends the hash of those
 * before it, so that the end of a run reads the last frame only, and who has all frames can check every one of them.
 */
export function extendFrameList(before: FrameList, { key, sha256, redaction_proof }: ListedFrame): FrameList {
  const proof = redaction_proof === undefined ? {} : { proof_hash: redaction_proof };
  const text = canonicalJson({ before: before.sha256, id: key, ...proof, sha256 });
  return { redacted: before.redacted + Object.keys(proof).length, sha256: `sha256:${sha256Hex(text)}` };
}
