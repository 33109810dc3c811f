import type { Row } from './bench.ts';

/** How much is put in. */
export interface SizingLoad {
  short: number;
  long: number;
  /** Events of a long task. */
  events: number;
  followers: number;
  clients: number;
}

export interface SizingFigures {
  idleMb: number;
  /** Behind the short tasks, and behind the long ones. */
  shortMb: number;
  longMb: number;
  followerKb: number;
  /** Bytes in the store, behind a clean stop and a start. */
  shortBytes: number;
  longBytes: number;
  /** Milliseconds of a short task: of the thread that serves, and of all others. */
  mainMs: number;
  helperMs: number;
  logMb: number;
  cleanStartMs: number;
  killedStartMs: number;
}

const thousands = (count: number) => count.toLocaleString('en-US');

/** The table of "Sizing" on the page for operators: what, as it is named there, and the figure. */
const ROWS: readonly {
  what(load: SizingLoad, figures: SizingFigures): string;
  said(figures: SizingFigures, load: SizingLoad): string;
}[] = [
  { what: () => 'Memory of the process, idle', said: ({ idleMb }) => `${idleMb.toFixed(0)} MiB` },
  {
    what: ({ short, clients }) => `after ${thousands(short)} tasks of one word, ${clients} at a time`,
    said: ({ shortMb }) => `${shortMb.toFixed(0)} MiB`,
  },
  {
    what: ({ long, events }) => `after ${thousands(long)} more of ${events} events each`,
    said: ({ longMb }) => `${longMb.toFixed(0)} MiB; the collector lets it grow while there is room`,
  },
  {
    what: ({ followers }) => `Memory of a follower of events (SSE), ${thousands(followers)} of them`,
    said: ({ followerKb }) => `${followerKb.toFixed(0)} KiB each`,
  },
  {
    what: () => 'Disk of a task of one word',
    said: ({ shortBytes }) => `${(shortBytes / 1e3).toFixed(1)} KB`,
  },
  {
    what: ({ events }) => `Disk of a task of ${events} events`,
    said: ({ longBytes }, { events }) =>
      `${(longBytes / 1e3).toFixed(0)} KB, which is ${(longBytes / 1e3 / events).toFixed(1)} KB an event`,
  },
  {
    what: () => 'Processor of a task of one word, polled until it ends',
    said: ({ mainMs, helperMs }) =>
      `${mainMs.toFixed(1)} ms on the main thread, and ${helperMs.toFixed(1)} ms besides`,
  },
  {
    what: (_load, { logMb }) => `Start on ${logMb.toFixed(0)} MB of log, after a clean stop / a kill`,
    said: ({ cleanStartMs, killedStartMs }) =>
      `${(cleanStartMs / 1e3).toFixed(1)} s / ${(killedStartMs / 1e3).toFixed(1)} s`,
  },
];

export function sizingRows(load: SizingLoad, figures: SizingFigures): Row[] {
  return ROWS.map(({ what, said }, at) => ({
    id: 'SIZING',
    what: what(load, figures),
    measured: said(figures, load),
    baseline: '',
    ratio: undefined,
    target: '',
    met: undefined,
    // Once is enough for who reads the raw ones.
    figures: at === 0 ? { ...load, ...figures } : {},
  }));
}
