import type { Columns } from '#resources/room.ts';
import { hasColours, lineOf, oneLine, type Piece, printJson, stateWord } from './terminal.ts';

/** Rows that decide how wide the columns are; those after them come as they arrive. */
const MEASURED_ROWS = 200;
const BETWEEN = '  ';

/** Prints each item as a line of JSON, or all of them as a table with headings; nothing for no items. */
export async function printItems<Item extends object>(
  items: AsyncIterable<Item> | Iterable<Item>,
  json: boolean | undefined,
  columns: Columns<Item>,
): Promise<void> {
  const table = new Table(columns);
  for await (const item of items) {
    if (json) printJson(item);
    else table.add(item);
  }
  table.end();
}

/** Prints one item as JSON, or as a table of one row. */
export function printItem<Item extends object>(
  item: Item,
  json: boolean | undefined,
  columns: Columns<Item>,
): void {
  if (json) {
    printJson(item);
    return;
  }
  const table = new Table(columns);
  table.add(item);
  table.end();
}

/** A table whose rows arrive one by one. */
class Table<Item> {
  readonly #columns: Columns<Item>;
  #measured: string[][] | undefined = [];
  #widths: readonly number[] = [];

  constructor(columns: Columns<Item>) {
    this.#columns = columns;
  }

  add(item: Item): void {
    const cells = Object.values(this.#columns).map((cell) => oneLine(cell(item)));
    if (this.#measured === undefined) {
      write(cells.map(stateWord), this.#widths);
      return;
    }
    this.#measured.push(cells);
    if (this.#measured.length === MEASURED_ROWS) this.end();
  }

  /** Writes what was only measured so far. */
  end(): void {
    const rows = this.#measured ?? [];
    this.#measured = undefined;
    if (rows.length === 0) return;
    const headings = Object.keys(this.#columns);
    this.#widths = headings.map((heading, at) =>
      Math.max(heading.length, ...rows.map((row) => [...(row[at] ?? '')].length)),
    );
    const shown = headings.map((heading): Piece => ['bold', heading]);
    write(shown, this.#widths);
    for (const row of rows) write(row.map(stateWord), this.#widths);
  }
}

function write(cells: readonly Piece[], widths: readonly number[]): void {
  process.stdout.write(`${rowOf(cells, widths, hasColours(process.stdout))}\n`);
}

/** One row; nothing stands behind its last cell that is not empty. */
function rowOf(cells: readonly Piece[], widths: readonly number[], colours: boolean): string {
  const last = cells.findLastIndex((cell) => textOf(cell) !== '');
  const pieces = cells.slice(0, last + 1).flatMap((cell, at): Piece[] => {
    const missing = at === last ? 0 : Math.max(0, (widths[at] ?? 0) - [...textOf(cell)].length);
    return [cell, at === last ? '' : ' '.repeat(missing) + BETWEEN];
  });
  return lineOf(pieces, { colours });
}

function textOf(piece: Piece): string {
  return typeof piece === 'string' ? piece : piece[1];
}
