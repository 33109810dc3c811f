import { basename, relative } from 'node:path';

/** Name of the program where it is installed. */
export const PROGRAM = 'harn-gateway';

/** A command of ours in a text: the name of the program, then a word; in the name of the product a word follows rarely. */
const COMMAND = /(?<![\w./-])harn-gateway (?=(\w[\w-]*))/g;

/**
 * How whoever reads a text runs this program: by its name, by `npx` where that found it or npm started it, else as the script
 * of node that runs. `script` is the path that node was given.
 */
export function programName(
  script: string = process.argv[1] ?? '',
  env: Readonly<Record<string, string | undefined>> = process.env,
  cwd: string = process.cwd(),
): string {
  if (/[/\\]node_modules[/\\]\.bin[/\\][^/\\]+$/.test(script)) return `npx ${PROGRAM}`;
  if (basename(script) !== 'main.js') return PROGRAM;
  if (env['npm_lifecycle_event'] !== undefined) return `npx ${PROGRAM}`;
  const below = relative(cwd, script);
  return `node ${below.startsWith('..') ? script : below}`;
}

/** A command of ours as the reader types it, for example `npx harn-gateway task list`. */
export function commandLine(words: string): string {
  return `${programName()} ${words}`;
}

/** A text with every command of ours in it as the reader types it; `names` are the first words of those there are. */
export function asTyped(text: string, names: ReadonlySet<string>): string {
  const program = programName();
  if (program === PROGRAM) return text;
  return text.replace(COMMAND, (found, word: string) => (names.has(word) ? `${program} ` : found));
}
