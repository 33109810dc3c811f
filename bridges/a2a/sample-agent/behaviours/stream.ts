import type { Behaviour } from '../steps.ts';

/** The SDK's store copies the whole task for each chunk, so its cost grows with the square of this number. */
const MAX_CHUNKS = 2000;
const DEFAULT_CHUNKS = 3;
/** One hour: long enough for any demonstration, short enough to end. */
const MAX_PAUSE_MS = 3_600_000;

/** `stream N [MS]`: one artifact in N chunks, MS milliseconds apart (default 0). */
export const stream: Behaviour = function* (turn) {
  const [wanted, pause] = turn.rest.split(/\s+/);
  const chunks = clamp(wanted, 1, MAX_CHUNKS, DEFAULT_CHUNKS);
  const pauseMs = clamp(pause, 0, MAX_PAUSE_MS, 0);
  yield { do: 'status', state: 'working', text: `Streaming ${chunks} chunks.` };
  for (let n = 1; n <= chunks; n += 1) {
    if (pauseMs > 0) yield { do: 'pause', ms: pauseMs };
    yield {
      do: 'artifact',
      artifactId: 'stream',
      name: 'stream',
      contents: [{ text: `chunk ${n} of ${chunks}\n` }],
      append: n > 1,
      lastChunk: n === chunks,
    };
  }
  yield { do: 'status', state: 'completed' };
};

function clamp(word: string | undefined, low: number, high: number, fallback: number): number {
  const value = Number.parseInt(word ?? '', 10);
  return Number.isNaN(value) ? fallback : Math.min(high, Math.max(low, value));
}
