import type { Behaviour } from '../steps.ts';

const DEFAULT_SECONDS = 5;
/** One hour: long enough for any demonstration, short enough to end. */
const MAX_SECONDS = 3600;
/** Two reports at least, so that even a fraction of a second shows progress. */
const MIN_REPORTS = 2;

/** `slow SECONDS`: works that long and reports about once a second. Fractions are allowed. */
export const slow: Behaviour = function* (turn) {
  const wanted = Number.parseFloat(turn.rest);
  const seconds = Number.isNaN(wanted) ? DEFAULT_SECONDS : Math.min(MAX_SECONDS, Math.max(0, wanted));
  const reports = Math.max(MIN_REPORTS, Math.ceil(seconds));
  yield { do: 'status', state: 'working', text: `This takes ${seconds} s.` };
  for (let n = 1; n <= reports; n += 1) {
    yield { do: 'pause', ms: (seconds * 1000) / reports };
    yield { do: 'status', state: 'working', text: `Step ${n} of ${reports} done.` };
  }
  yield {
    do: 'artifact',
    artifactId: 'answer',
    name: 'answer',
    contents: [{ text: `Worked for ${seconds} s.` }],
    append: false,
    lastChunk: true,
  };
  yield { do: 'status', state: 'completed' };
};
