import type { SeededRandom } from '../faults/seeded-random.ts';

export interface FlippedLines {
  bytes: Buffer;
  /** The line with the flipped bit, from 0. */
  line: number;
  /** For messages of a test. */
  where: string;
}

/** The lines (each ends in a line feed) as one file, so many times, each time with one other bit flipped. */
export function* flippedLines(
  lines: readonly string[],
  flips: number,
  random: SeededRandom,
): Generator<FlippedLines> {
  const pristine = Buffer.from(lines.join(''));
  const ends: number[] = [];
  for (const line of lines) ends.push((ends.at(-1) ?? 0) + Buffer.byteLength(line));
  for (let n = 0; n < flips; n += 1) {
    // The last line feed is part of no receipt.
    const at = random.between(0, pristine.length - 2);
    const bit = random.between(0, 7);
    const bytes = Buffer.from(pristine);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
    const where = `bit ${bit} of byte ${at}: ${bytes.toString('latin1', Math.max(0, at - 20), at + 20)}`;
    yield { bytes, line: ends.findIndex((end) => at < end), where };
  }
}
