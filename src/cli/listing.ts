import { type Command, InvalidArgumentError } from 'commander';
import type { GatewayClient } from './client.ts';
import { printJson, printRow } from './terminal.ts';

/** Items asked for at a time; the most that one page holds. */
const PAGE = 200;

export interface ListingOptions {
  limit: number;
  json?: boolean;
}

/** Adds the options that every listing has. */
export function withListingOptions(command: Command): Command {
  return command
    .option('--limit <n>', 'items at most, newest first', wholeNumberFrom(1), 50)
    .option('--json', 'print one JSON object per line');
}

/** The items of a list, page by page, until `limit` of them fit. */
export async function* itemsOf<Item>(
  client: GatewayClient,
  path: string,
  limit: number,
  fits: (item: Item) => boolean = () => true,
): AsyncGenerator<Item> {
  let left = limit;
  let cursor: string | null = '';
  while (cursor !== null && left > 0) {
    const query: string = `${path.includes('?') ? '&' : '?'}limit=${PAGE}${cursor && `&cursor=${cursor}`}`;
    const page: { data: Item[]; next_cursor: string | null } = await client.json('GET', path + query);
    for (const item of page.data.filter(fits).slice(0, left)) {
      left -= 1;
      yield item;
    }
    cursor = page.next_cursor;
  }
}

/** Prints each item as JSON or as the columns a person reads, as they arrive. */
export async function printItems<Item extends object>(
  items: AsyncIterable<Item>,
  json: boolean | undefined,
  columns: (item: Item) => readonly string[],
): Promise<void> {
  for await (const item of items) printItem(item, json, columns);
}

/** Prints one item as JSON or as the columns a person reads. */
export function printItem<Item extends object>(
  item: Item,
  json: boolean | undefined,
  columns: (item: Item) => readonly string[],
): void {
  if (json) printJson(item);
  else printRow(columns(item));
}

/** `?a=1&b=2` of the values that are there. */
export function queryOf(values: Record<string, string | undefined>): string {
  const given = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** Reads the value of a flag that counts something. */
export function wholeNumberFrom(least: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,7}$/.test(text) && Number(text) >= least) return Number(text);
    throw new InvalidArgumentError(`It is a whole number from ${least}.`);
  };
}
