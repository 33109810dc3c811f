/**
 * The long tier: the scenarios of the quick tier in a loop, each turn with a seed of its own, until the time is over or the count
 * is reached; the first round is always run to its end.
 *   npm run torture -- --minutes N [--seed S] [--only name,name] [--count N] [--size N] [--processes N] [--record]
 * Prints the counts at the end. A violation is printed with the seed that repeats it, and makes the exit code 1. `--record` adds a
 * line for each scenario to the file of results, `--table` writes its summary into README.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inspect, parseArgs } from 'node:util';
import { setGlobalDispatcher } from 'undici';
import { killChildren } from './child-processes.ts';
import { ownConnections } from './own-connections.ts';
import { Report } from './report.ts';
import { appendResult, RESULTS_FILE, type Result, thisCommit, thisMachine } from './results.ts';
import { writeSummary } from './results-page.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { SeededRandom } from './seeded-random.ts';

/** From here on a run is a long one. */
const LONG_MINUTES = 10;
const MS_PER_MINUTE = 60_000;
const MAX_SEED = 2 ** 31 - 1;
const USAGE = 2;
/** Seeds of processes that run side by side are so far from each other. */
const SEED_STEP = 1_000_003;
const SHOWN_VIOLATIONS = 20;

interface CommandLine {
  minutes: number;
  seed: number;
  names: string[];
  /** Each scenario ends when it has tried so often. */
  count: number;
  /** Units of a turn, for all scenarios. */
  size: number | undefined;
  processes: number;
  isRecorded: boolean;
}

function readCommandLine(args: string[]): CommandLine | 'table' {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '5' },
      seed: { type: 'string' },
      only: { type: 'string' },
      count: { type: 'string' },
      size: { type: 'string' },
      processes: { type: 'string', default: '1' },
      record: { type: 'boolean', default: false },
      table: { type: 'boolean', default: false },
    },
  });
  if (values.table) return 'table';
  const minutes = Number(values.minutes);
  const seed = values.seed === undefined ? Date.now() % MAX_SEED : Number(values.seed);
  if (!(minutes > 0) || !Number.isSafeInteger(seed))
    throw new Error('--minutes is a number above 0, --seed a whole one.');
  const whole = (name: 'count' | 'size' | 'processes') => {
    const given = values[name] === undefined ? undefined : Number(values[name]);
    if (given !== undefined && !(Number.isSafeInteger(given) && given > 0))
      throw new Error(`--${name} is a whole number above 0.`);
    return given;
  };
  const possible = Object.keys(SCENARIOS).filter((name) => SCENARIOS[name]?.isPossible !== false);
  const names = values.only?.split(',') ?? possible;
  const unknown = names.filter((name) => !possible.includes(name));
  if (unknown.length > 0)
    throw new Error(`Cannot be run here: ${unknown.join(', ')}. There are ${possible.join(', ')}.`);
  return {
    minutes,
    seed,
    names,
    count: whole('count') ?? Number.POSITIVE_INFINITY,
    size: whole('size'),
    processes: whole('processes') ?? 1,
    isRecorded: values.record,
  };
}

/** What the turns of one scenario came to. */
class Tally {
  readonly report = new Report();
  readonly failed: number[] = [];
  readonly size: number;
  readonly #scenario: Scenario;
  readonly #name: string;
  turns = 0;
  #ms = 0;

  constructor(name: string, scenario: Scenario, size: number) {
    this.#name = name;
    this.#scenario = scenario;
    this.size = size;
  }

  get count(): number {
    return this.#scenario.counts.reduce((sum, what) => sum + (this.report.counts[what] ?? 0), 0);
  }

  get repeat(): string[] {
    return this.failed.map((seed) => `--only ${this.#name} --size ${this.size} --seed ${seed}`);
  }

  async turn(seed: number): Promise<void> {
    const startedAt = performance.now();
    const report = await this.#scenario.run(seed, this.size).catch((error: unknown) => {
      const broken = new Report();
      // With the cause, which the stack alone does not say.
      broken.violations.push(`broke: ${inspect(error)}`);
      return broken;
    });
    this.#ms += performance.now() - startedAt;
    this.turns += 1;
    this.report.add(report);
    if (report.violations.length === 0) return;
    this.failed.push(seed);
    process.stderr.write(
      `${process.stderr.isTTY ? '\n' : ''}VIOLATION in ${this.#name}, seed ${seed}:\n` +
        report.violations
          .slice(0, SHOWN_VIOLATIONS)
          .map((violation) => `  ${violation}\n`)
          .join(''),
    );
  }

  result(commit: string, seed: number): Result {
    const { counts } = this.report;
    const figures = { ...this.report.figures, ...this.report.spreads };
    const nodes = Object.entries(counts).flatMap(([what, count]) => {
      const [, major] = / on Node (\d+)$/.exec(what) ?? [];
      return major === undefined ? [] : [[major, count]];
    });
    return {
      at: new Date().toISOString(),
      commit,
      scenario: this.#name,
      seed,
      size: this.size,
      count: this.count,
      findings: this.report.violations.length,
      failed: this.failed,
      seconds: Math.round(this.#ms / 1_000),
      node: process.version,
      ...(nodes.length > 0 ? { nodes: Object.fromEntries(nodes) } : {}),
      machine: thisMachine(),
      ...(Object.keys(figures).length > 0 ? { figures } : {}),
    };
  }
}

/** One line that is written over, for people only. */
function showProgress(name: string, startedAt: number, minutes: number, tallies: Iterable<Tally>): void {
  if (!process.stderr.isTTY) return;
  let [done, failed] = [0, 0];
  for (const tally of tallies) [done, failed] = [done + tally.turns, failed + tally.failed.length];
  const passed = ((performance.now() - startedAt) / MS_PER_MINUTE).toFixed(1);
  process.stderr.write(`\r\x1b[K${passed} of ${minutes} min, ${done} turns, ${failed} failed, now ${name}`);
}

async function run({ minutes, seed, names, count, size, isRecorded }: CommandLine): Promise<boolean> {
  process.stderr.write(`torture for ${minutes} min, seed ${seed}: ${names.join(', ')}\n`);
  const commit = isRecorded ? thisCommit() : '';
  const random = new SeededRandom(seed);
  const startedAt = performance.now();
  const tallies = new Map<string, Tally>();
  for (const name of names) {
    const scenario = SCENARIOS[name];
    const own = size ?? (minutes < LONG_MINUTES ? scenario?.slice : scenario?.turn);
    if (scenario !== undefined && own !== undefined) tallies.set(name, new Tally(name, scenario, own));
  }
  const isTime = () => performance.now() - startedAt < minutes * MS_PER_MINUTE;
  let isFirst = true;
  for (let round = 0; round === 0 || isTime(); round += 1) {
    const open = [...tallies].filter(([, tally]) => tally.count < count);
    if (open.length === 0) break;
    for (const [name, tally] of open) {
      if (round > 0 && !isTime()) break;
      showProgress(name, startedAt, minutes, tallies.values());
      // With one scenario and its first turn, --seed repeats a failure.
      await tally.turn(isFirst ? seed : random.between(0, MAX_SEED));
      isFirst = false;
    }
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  for (const [name, tally] of tallies) {
    process.stdout.write(`${name}: ${tally.turns} turns, ${tally.failed.length} failed\n`);
    const all = { ...tally.report.counts, ...tally.report.figures, ...tally.report.spreads };
    for (const [what, value] of Object.entries(all)) process.stdout.write(`  ${value} ${what}\n`);
    if (isRecorded) appendResult(RESULTS_FILE, tally.result(commit, seed));
  }
  const failures = [...tallies.values()].flatMap(({ repeat }) => repeat);
  for (const failure of failures)
    process.stdout.write(`repeat with: npm run torture -- --minutes 0.1 ${failure}\n`);
  return failures.length === 0;
}

/** The same run in several processes, each with seeds and a share of the count of its own. */
async function runSideBySide({
  minutes,
  seed,
  names,
  count,
  size,
  processes,
  isRecorded,
}: CommandLine): Promise<boolean> {
  const share = Number.isFinite(count) ? ['--count', String(Math.ceil(count / processes))] : [];
  const codes = await Promise.all(
    Array.from({ length: processes }, async (_, at) => {
      const own = (seed + at * SEED_STEP) % MAX_SEED;
      const args = ['--minutes', String(minutes), '--seed', String(own), '--only', names.join(','), ...share];
      if (size !== undefined) args.push('--size', String(size));
      if (isRecorded) args.push('--record');
      const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], { stdio: 'inherit' });
      const [code] = (await once(child, 'close')) as [number | null];
      return code;
    }),
  );
  return codes.every((code) => code === 0);
}

try {
  const line = readCommandLine(process.argv.slice(2));
  setGlobalDispatcher(ownConnections());
  process.once('exit', killChildren);
  process.once('SIGINT', () => process.exit(1));
  if (line === 'table') writeSummary();
  else process.exitCode = (await (line.processes > 1 ? runSideBySide(line) : run(line))) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = USAGE;
} finally {
  killChildren();
}
