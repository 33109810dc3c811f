import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { cpus, platform } from 'node:os';
import { PACKAGE_ROOT } from './child-processes.ts';
import { SCENARIOS } from './scenarios.ts';

/** One run of one scenario; a line of the file of results. */
export interface Result {
  /** When it ended, RFC 3339. */
  at: string;
  /** What was run: hash of the commit, with `+` where files were changed after it. */
  commit: string;
  scenario: string;
  seed: number;
  /** Units of a turn. With the seed it repeats the run. */
  size: number;
  /** How often it was tried. */
  count: number;
  findings: number;
  /** Seeds of the turns that found something. */
  failed: number[];
  seconds: number;
  node: string;
  /** How often it was tried on which version of Node, where these are several. */
  nodes?: Record<string, number>;
  machine: string;
  /** What was measured besides, such as latencies. */
  figures?: Record<string, number>;
}

export const RESULTS_FILE = `${PACKAGE_ROOT}test/faults/results.jsonl`;

export function appendResult(file: string, result: Result): void {
  appendFileSync(file, `${JSON.stringify(result)}\n`);
}

export function readResults(file: string): Result[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Result);
}

/** Processor and system, without a name of the machine. */
export function thisMachine(): string {
  const all = cpus();
  return `${all.length} x ${all[0]?.model.trim() ?? 'unknown'}, ${platform()}`;
}

/** The commit that is run. Files of results may differ from it: they are what runs write. */
export function thisCommit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: PACKAGE_ROOT, encoding: 'utf8' }).trim();
  try {
    const changed = git(
      'status',
      '--porcelain',
      '--',
      '.',
      ':!test/faults/results.jsonl',
      ':!test/faults/README.md',
    );
    return git('rev-parse', '--short=12', 'HEAD') + (changed === '' ? '' : '+');
  } catch {
    return 'unknown';
  }
}

const COLUMNS = [
  { name: 'Claim' },
  { name: '`--only`' },
  { name: 'Tried', isNumber: true },
  { name: 'of', isNumber: true },
  { name: 'Findings', isNumber: true },
  { name: 'Node' },
  { name: 'Runs', isNumber: true },
  { name: 'Newest run' },
] as const;

/** The summary of all runs, as Markdown: one row for each claim, tried or not. */
export function summaryTable(results: readonly Result[]): string {
  const rows = Object.entries(SCENARIOS).flatMap(([name, { claim }]) => {
    if (claim === undefined) return [];
    const own = results.filter(({ scenario }) => scenario === name);
    const sum = (of: (result: Result) => number) => own.reduce((total, result) => total + of(result), 0);
    const cells = [
      claim.says,
      `\`${name}\``,
      grouped(sum(({ count }) => count)),
      grouped(claim.target),
      grouped(sum(({ findings }) => findings)),
      perNode(own),
      String(own.length),
      repeatOf(own.at(-1)),
    ];
    return [cells];
  });
  return aligned(rows);
}

/** What repeats a run, beside its `--only`. */
function repeatOf(run: Result | undefined): string {
  return run === undefined ? '' : `\`--size ${run.size} --seed ${run.seed}\``;
}

/** As the formatter writes tables. */
function aligned(rows: readonly string[][]): string {
  const widths = COLUMNS.map(({ name }, at) =>
    Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const isNumber = (at: number) => 'isNumber' in (COLUMNS[at] ?? {});
  const line = (cells: readonly string[]) =>
    `| ${cells
      .map((cell, at) => (isNumber(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join(' | ')} |`;
  const rule = widths.map((width, at) => (isNumber(at) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [line(COLUMNS.map(({ name }) => name)), line(rule), ...rows.map(line)].join('\n');
}

/** How often it was tried on each version of Node. */
function perNode(results: readonly Result[]): string {
  const counts = new Map<string, number>();
  for (const { node, count, nodes } of results) {
    const own = nodes ?? { [node.replace(/^v(\d+).*$/, '$1')]: count };
    for (const [major, tried] of Object.entries(own)) counts.set(major, (counts.get(major) ?? 0) + tried);
  }
  const all = [...counts].sort(([a], [b]) => Number(a) - Number(b));
  if (all.length < 2) return all.map(([major]) => major).join('');
  return all.map(([major, count]) => `${major}: ${grouped(count)}`).join(', ');
}

const grouped = (value: number): string => value.toLocaleString('en-US');
