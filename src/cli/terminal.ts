/**
 * Control characters (U+0000 to U+001F, U+007F to U+009F) but tab and line feed, which a terminal obeys; marks that turn the
 * direction of text round (U+202A to U+202E, U+2066 to U+2069), which let it read as other text; line and paragraph separators.
 */
const CONTROLS = /(?![\t\n])[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;

/** The text with such characters spelled out (`\x1b`, `\u202e`), so that what an agent says cannot drive the terminal. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROLS, spelledOut);
}

function spelledOut(character: string): string {
  const hex = character.charCodeAt(0).toString(16);
  return hex.length <= 2 ? `\\x${hex.padStart(2, '0')}` : `\\u${hex}`;
}

/** Prints text for people. */
export function print(text: string): void {
  process.stdout.write(`${visible(text)}\n`);
}

/** Prints a value for programs: one line of JSON, nothing changed. */
export function printJson(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Select Graphic Rendition (ECMA-48): the codes that begin a style and end it. */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  cyan: [36, 39],
} as const satisfies Record<string, readonly [number, number]>;
export type Style = keyof typeof STYLES;

/** A piece of a line: plain text, or text in a style. */
export type Piece = string | readonly [Style, string];

/** Where text for people goes. */
export interface TextStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/**
 * Whether text for this stream has colours: on a terminal that has them. NO_COLOR takes them away, FORCE_COLOR has the last
 * word: anything but 0 and false brings them, elsewhere too.
 * Source: no-color.org, force-color.org.
 */
export function hasColours(
  { isTTY }: TextStream,
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  if (env['NO_COLOR']) return false;
  return isTTY === true && env['TERM'] !== 'dumb';
}

export interface Look {
  readonly colours: boolean;
  /** Characters at most; without it the line is as long as its text. */
  readonly width?: number;
}

/** One line as it is written. Text of others comes out without what drives a terminal, and never as more than one line. */
export function lineOf(
  pieces: readonly Piece[],
  { colours, width = Number.POSITIVE_INFINITY }: Look,
): string {
  const shown = pieces.map((piece) => {
    const [style, text] = typeof piece === 'string' ? [undefined, piece] : piece;
    return { style, characters: [...oneLine(text)] };
  });
  const length = shown.reduce((sum, { characters }) => sum + characters.length, 0);
  let left = length > width ? Math.max(0, width - 1) : length;
  let line = '';
  for (const { style, characters } of shown) {
    const kept = characters.slice(0, left).join('');
    left -= Math.min(left, characters.length);
    line += colours && style !== undefined ? styled(style, kept) : kept;
  }
  return length > width ? `${line}…` : line;
}

/** A line feed or a tab in a line would look like another one, or push its columns apart. */
export function oneLine(text: string): string {
  return visible(text).replaceAll('\n', '\\n').replaceAll('\t', ' ');
}

function styled(style: Style, text: string): string {
  const [begin, end] = STYLES[style];
  return text === '' ? '' : `\x1b[${begin}m${text}\x1b[${end}m`;
}

/** Prints a line of pieces, in colours where standard output has them. */
export function printLine(pieces: readonly Piece[]): void {
  process.stdout.write(`${lineOf(pieces, { colours: hasColours(process.stdout) })}\n`);
}

/** How words of states look; others have no style. */
const STATE_STYLES: Readonly<Record<string, Style>> = {
  COMPLETED: 'green',
  WORKING: 'cyan',
  INPUT_REQUIRED: 'yellow',
  AUTH_REQUIRED: 'yellow',
  FAILED: 'red',
  CANCELED: 'dim',
  CLOSED: 'dim',
  ACTIVE: 'green',
  ready: 'green',
  pending: 'yellow',
  approved: 'green',
  denied: 'red',
};

/** A word in the style of the state that it names, whatever its padding. */
export function stateWord(text: string): Piece {
  const word = text.trimEnd();
  const style = Object.hasOwn(STATE_STYLES, word) ? STATE_STYLES[word] : undefined;
  return style === undefined ? text : [style, text];
}
