import { Redactor } from '../../src/redaction/redactor.ts';
import { PIECES } from '../unit/redaction/hostile-pieces.ts';
import { amount, type Bench, type Row } from './bench.ts';
import { against } from './machine.ts';
import { median } from './statistics.ts';

const SIZE = 1_000_000;
const MOST_MS = 50;
const BENIGN = 'The quick brown fox jumps over the lazy dog, again and again; nothing here is a secret. ';

/** one megabyte of text that begins each pattern again and again, redacted by all of them. */
export const redaction: Bench = {
  id: 'P13',
  title: 'redaction of one megabyte of hostile text',
  async run({ effort, progress }) {
    const rounds = amount(effort, { quick: 1, normal: 5 });
    const benign = msOf(BENIGN, rounds);
    progress(`benign text: ${benign.toFixed(1)} ms`);
    return Object.entries(PIECES).map(([name, pieces]) => {
      const times = pieces.map((piece) => msOf(piece, rounds));
      return rowOf(name, Math.max(...times), benign);
    });
  },
};

/** CPU milliseconds, median of the rounds. A redactor of its own each time, so that nothing is remembered. */
function msOf(piece: string, rounds: number): number {
  const text = piece.repeat(Math.ceil(SIZE / piece.length));
  const times = Array.from({ length: rounds }, () => {
    const redactor = new Redactor();
    const before = process.cpuUsage();
    redactor.redactText(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return median(times);
}

function rowOf(name: string, worst: number, benign: number): Row {
  return {
    id: 'P13',
    what: `the worst text for ${name}`,
    measured: `${worst.toFixed(1)} ms CPU`,
    baseline: `benign text: ${benign.toFixed(1)} ms`,
    ratio: worst / benign,
    target: `<= ${MOST_MS} ms`,
    ...against(worst, { most: MOST_MS }, 'json'),
    figures: { worstMs: worst, benignMs: benign },
  };
}
