import { Command } from 'commander';
import { type ClientOptions, withClientOptions } from './client.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { type Look, Looker, type SeenRequest, type SeenTask } from './gateway-look.ts';
import { Screen } from './screen.ts';
import { oneLine, type Piece, printJson, printLine, stateWord } from './terminal.ts';

interface TopOptions extends ClientOptions {
  interval: string;
  once?: boolean;
  json?: boolean;
}

const INTERVAL_S = { least: 0.2, most: 3_600 };

export function topCommand(): Command {
  const command = new Command('top')
    .description(
      'Show what runs, is queued and waits for a person, and the throughput, again and again; q or Ctrl-C ends it.',
    )
    .option('--interval <seconds>', 'time between two looks', '2')
    .option('--once', 'look once and end; exit code 1 unless the gateway takes work')
    .option('--json', 'print one JSON object per look');
  return withClientOptions(command).action(top);
}

async function top({ interval, once, json, ...client }: TopOptions): Promise<void> {
  const everyMs = intervalMs(interval);
  const looker = new Looker(client);
  if (once) await lookOnce(looker, json);
  else await lookOn(looker, everyMs, json);
}

function intervalMs(text: string): number {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds >= INTERVAL_S.least && seconds <= INTERVAL_S.most)
    return seconds * 1_000;
  throw new CliError(`--interval: give seconds, from ${INTERVAL_S.least} to ${INTERVAL_S.most}.`, EXIT.usage);
}

async function lookOnce(looker: Looker, json: boolean | undefined): Promise<void> {
  const look = await looker.look();
  if (!look.ready) process.exitCode = EXIT.failed;
  if (json) printJson(look);
  else for (const line of screenful(look)) printLine(line);
}

async function lookOn(looker: Looker, everyMs: number, json: boolean | undefined): Promise<void> {
  // The first look says what is wrong with the command before the screen is taken.
  let look = await looker.look();
  const stop = new AbortController();
  const end = () => stop.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, end);
  const isScreen = process.stdout.isTTY === true && !json && process.env['TERM'] !== 'dumb';
  const screen = isScreen ? new Screen(process.stdout, process.stdin) : undefined;
  screen?.open(end);
  try {
    while (!stop.signal.aborted) {
      if (screen) screen.show(screenful(look));
      else if (json) printJson(look);
      else printLine(summary(look));
      await pause(everyMs, stop.signal);
      if (!stop.signal.aborted) look = await looker.look();
    }
  } finally {
    screen?.close();
    for (const signal of signals) process.off(signal, end);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}

const NONE: readonly Piece[] = [];

/** A look as a page of lines: the summary, then what waits for a person, then the tasks. */
export function screenful(look: Look): (readonly Piece[])[] {
  const { time, url, version, error, waiting, tasks } = look;
  const nowMs = Date.parse(time);
  return [
    [['bold', `harn-gateway ${version ?? ''}`.trimEnd()], `  ${url ?? ''}`],
    summary(look),
    ...(error === null ? [] : [[['red', error]] as Piece[]]),
    ...(waiting.length === 0
      ? []
      : [NONE, WAITING_HEADINGS, ...waiting.map((one) => waitingLine(one, nowMs))]),
    ...(tasks.length === 0 ? [] : [NONE, TASK_HEADINGS, ...tasks.map((one) => taskLine(one, nowMs))]),
  ];
}

/** What a look says in one line. */
export function summary(look: Look): readonly Piece[] {
  const { time, ready, running, queued, approvals, throughput } = look;
  const count = (value: number | null) => (value === null ? '-' : String(value));
  const asked: Piece = approvals ? ['yellow', String(approvals)] : count(approvals);
  return [
    `${time.slice(11, 19)}  `,
    ready
      ? stateWord('ready')
      : ['red', look.url === null || look.version === null ? 'no answer' : 'not ready'],
    `  running ${count(running)}  queued ${count(queued)}  approvals `,
    asked,
    ...(throughput === null ? ['  throughput -'] : throughputOf(throughput)),
  ];
}

function throughputOf({
  ended,
  failed,
  tasks_per_s,
  events_per_s,
}: NonNullable<Look['throughput']>): Piece[] {
  const rate = (value: number | null) => (value === null ? '-' : value.toFixed(1));
  return [
    `  ended ${ended} (`,
    failed > 0 ? ['red', `${failed} failed`] : '0 failed',
    `)  ${rate(tasks_per_s)} tasks/s  ${rate(events_per_s)} events/s`,
  ];
}

/** Of the time, an id, a kind or a state, an agent; what is last has no width. */
const WIDTHS = [7, 45, 14, 20];

const WAITING_HEADINGS: readonly Piece[] = [['bold', row('FOR', 'APPROVAL', 'KIND', 'ASKED')]];
const TASK_HEADINGS: readonly Piece[] = [['bold', row('FOR', 'TASK', 'STATUS', 'AGENT', 'INPUT')]];

function waitingLine({ id, created_at, kind, message }: SeenRequest, nowMs: number): Piece[] {
  return [row(since(created_at, nowMs), id, kind, message.replace(/\s+/g, ' '))];
}

function taskLine(task: SeenTask, nowMs: number): Piece[] {
  const { id, status, started_at, created_at, assigned_agent_id, input } = task;
  return [
    row(since(started_at ?? created_at, nowMs), id, ''),
    stateWord(status.padEnd(WIDTHS[2] ?? 0)),
    `  ${(assigned_agent_id ?? '-').padEnd(WIDTHS[3] ?? 0)}  ${input.replace(/\s+/g, ' ')}`,
  ];
}

function row(...cells: string[]): string {
  return cells
    .map((cell, at) => (at === cells.length - 1 ? cell : oneLine(cell).padEnd(WIDTHS[at] ?? 0)))
    .join('  ');
}

/** How long ago a time is: `42s`, `3m 05s`, `2h 04m`. */
export function since(time: string, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(time)) / 1_000));
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3_600)}h ${two(Math.floor(seconds / 60) % 60)}m`;
}
