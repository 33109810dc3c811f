import type { Behaviour } from '../steps.ts';

const REPORT = 'city,visitors\nVienna,12\nLisbon,30\n';

/** `file`: one artifact with a file (bytes) and a structured value beside it. */
export const file: Behaviour = function* () {
  yield { do: 'status', state: 'working', text: 'Writing a report.' };
  yield {
    do: 'artifact',
    artifactId: 'report',
    name: 'report',
    contents: [
      { bytes: new TextEncoder().encode(REPORT), mediaType: 'text/csv', filename: 'report.csv' },
      { data: { rows: 2, columns: ['city', 'visitors'], total: 42 } },
    ],
    append: false,
    lastChunk: true,
  };
  yield { do: 'status', state: 'completed' };
};
