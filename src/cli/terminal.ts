/** Control characters (U+0000 to U+001F, U+007F to U+009F) but tab and line feed: a terminal obeys them. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;

/** The text with its control characters spelled out (`\x1b`), so that what an agent says cannot drive the terminal. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(CONTROLS, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** Prints text for people. */
export function print(text: string): void {
  process.stdout.write(`${visible(text)}\n`);
}

/** Prints a value for programs: one line of JSON, nothing changed. */
export function printJson(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Prints the columns of one row; a line feed in one would look like another row. */
export function printRow(columns: readonly string[]): void {
  print(columns.map((column) => column.replaceAll('\n', '\\n')).join('  '));
}
