import type { Row } from './bench.ts';

const COLUMNS = ['id', 'what', 'measured', 'baseline', 'ratio', 'target', 'met?'] as const;

/** The rows as a Markdown table with aligned columns. */
export function formatTable(rows: readonly Row[]): string {
  const lines = [[...COLUMNS], ...rows.map(cellsOf)];
  const widths = COLUMNS.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const format = (line: readonly string[]) =>
    `| ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const [head = [], ...body] = lines;
  return [format(head), rule, ...body.map(format)].join('\n');
}

function cellsOf({ id, what, measured, baseline, ratio, target, ...verdicts }: Row): string[] {
  return [
    id,
    what,
    measured,
    baseline,
    ratio === undefined ? '' : ratio.toFixed(2),
    target,
    verdict(verdicts),
  ];
}

function verdict({ met, metAtReference }: Pick<Row, 'met' | 'metAtReference'>): string {
  if (met === undefined) return '';
  if (met) return 'yes';
  return metAtReference ? 'at reference speed' : 'NO';
}
