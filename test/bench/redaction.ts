import { Redactor } from '#redaction/redactor.ts';
import { RULES } from '#redaction/rules/rule-scanner.ts';
import { keywordPieces, PIECES } from '../unit/redaction/hostile-pieces.ts';
import { amount, type Bench, type Row } from './bench.ts';
import { against } from './machine.ts';
import { median } from './statistics.ts';

const SIZE = 1_000_000;
const MOST_MS = 50;
/** A keyword of a rule again and again: there are hundreds, so the worst ones of a first look are measured. */
const MOST_KEYWORD_MS = 100;
const FIRST_LOOK = 100_000;
const LOOKED_AT_AGAIN = 5;
const BENIGN = 'The quick brown fox jumps over the lazy dog, again and again; nothing here is a secret. ';

/** one megabyte of text that begins each pattern again and again, redacted by all of them. */
export const redaction: Bench = {
  id: 'P13',
  title: 'redaction of one megabyte of hostile text',
  async run({ effort, progress }) {
    const rounds = amount(effort, { quick: 1, normal: 5 });
    const benign = msOf(BENIGN, rounds);
    progress(`benign text: ${benign.toFixed(1)} ms`);
    const patterns = Object.entries(PIECES).map(([name, pieces]) => {
      const times = pieces.map((piece) => msOf(piece, rounds));
      return rowOf(name, { worst: Math.max(...times), benign, most: MOST_MS });
    });
    const worst = Math.max(...worstKeywordPieces().map((piece) => msOf(piece, rounds)));
    return [...patterns, rowOf('the keywords of rules', { worst, benign, most: MOST_KEYWORD_MS })];
  },
};

function worstKeywordPieces(): string[] {
  const pieces = [...new Set(RULES.flatMap(({ keywords }) => keywords))].flatMap(keywordPieces);
  return pieces
    .map((piece) => ({ piece, ms: msOf(piece, 3, FIRST_LOOK) }))
    .sort((one, other) => other.ms - one.ms)
    .slice(0, LOOKED_AT_AGAIN)
    .map(({ piece }) => piece);
}

/** CPU milliseconds, median of the rounds. A redactor of its own each time, so that nothing is remembered. */
function msOf(piece: string, rounds: number, size = SIZE): number {
  const text = piece.repeat(Math.ceil(size / piece.length));
  const times = Array.from({ length: rounds }, () => {
    const redactor = new Redactor();
    const before = process.cpuUsage();
    redactor.redactText(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return median(times);
}

function rowOf(name: string, { worst, benign, most }: { worst: number; benign: number; most: number }): Row {
  return {
    id: 'P13',
    what: `the worst text for ${name}`,
    measured: `${worst.toFixed(1)} ms CPU`,
    baseline: `benign text: ${benign.toFixed(1)} ms`,
    ratio: worst / benign,
    target: `<= ${most} ms`,
    ...against(worst, { most }, 'json'),
    figures: { worstMs: worst, benignMs: benign },
  };
}
