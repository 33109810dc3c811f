import { hasColours, lineOf, type Piece, type Style, type TextStream } from './terminal.ts';

interface LogStream extends TextStream {
  write(text: string): unknown;
}

const LEVEL_STYLES: Readonly<Record<string, Style>> = {
  trace: 'dim',
  debug: 'dim',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
};

/** Where log lines go: to a terminal as lines for people, elsewhere as the JSON lines that they are. */
export function logsTo(stream: LogStream, isJson = stream.isTTY !== true): { write(line: string): unknown } {
  if (isJson) return stream;
  return { write: (line: string) => stream.write(`${forPeople(line.trimEnd(), hasColours(stream))}\n`) };
}

/** Of the local time of day, the level, the message and the fields; stacks of errors follow in lines of their own. */
function forPeople(line: string, colours: boolean): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const { stack, message, ...more } = (err ?? {}) as { stack?: unknown; message?: unknown };
  const name = String(level);
  const known: Record<string, unknown> = {
    ...fields,
    ...(message === undefined ? {} : { error: message }),
    ...more,
  };
  const pieces: Piece[] = [
    ['dim', timeOfDay(String(time))],
    ' ',
    [LEVEL_STYLES[name] ?? 'bold', name.padEnd(5)],
    ' ',
    ['bold', String(msg ?? '')],
    ...Object.entries(known).flatMap(([key, value]): Piece[] => [['dim', `  ${key}=`], wordsOf(value)]),
  ];
  // The first line of a stack is its message again.
  const below = typeof stack === 'string' ? stack.split('\n').slice(1) : [];
  return [pieces, ...below.map((at): Piece[] => [['dim', at]])]
    .map((one) => lineOf(one, { colours }))
    .join('\n');
}

function timeOfDay(time: string): string {
  return new Date(time).toLocaleTimeString('en-GB', { hour12: false });
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value);
}
