import { sha256Hex } from '#json/canonical.ts';

/** Hex digits of a hash that place an id; as many as a number holds exactly. */
const DIGITS = 12;
const PLACES = 16 ** DIGITS;

/**
 * Whether a Task is in a sample of this share (from 0 to 1): by a hash of seed and id, so that a rerun takes the same ones, and a
 * greater share takes those of a smaller one too.
 */
export function isSampled(taskId: string, { sample, seed }: { sample: number; seed: string }): boolean {
  return Number.parseInt(sha256Hex(`${seed}\n${taskId}`).slice(0, DIGITS), 16) < sample * PLACES;
}
