import { Command, InvalidArgumentError, Option } from 'commander';
import type { Listing } from '#resources/room.ts';
import * as ROOMS from '#resources/rooms.ts';
import { type ClientOptions, GatewayClient, withClientOptions } from './client.ts';
import { printJson, printRow } from './terminal.ts';

/** Items asked for at a time; the most that one page holds. */
const PAGE = 200;

export interface ListingOptions {
  limit: number;
  json?: boolean;
}

/** `list` of a collection, of the data of its room. */
export function listCommand<Item extends object>({
  description,
  path,
  filters = [],
  columns,
}: Listing<Item>): Command {
  const command = new Command('list').description(description);
  for (const { flags, description: says, choices } of filters) {
    const option = new Option(flags, says);
    command.addOption(choices === undefined ? option : option.choices(choices));
  }
  return withClientOptions(withListingOptions(command)).action(async (_options: object, given: Command) => {
    const options = given.optsWithGlobals<ClientOptions & ListingOptions & Record<string, string>>();
    const nameOf = (flags: string) => new Option(flags).attributeName();
    const query = queryOf(
      Object.fromEntries(filters.map(({ flags, param }) => [param, options[nameOf(flags)]])),
    );
    const items = itemsOf<Item>(new GatewayClient(options), `${path}${query}`, options.limit);
    await printItems(items, options.json, columns);
  });
}

/** `get` of a collection. */
function getCommand<Item extends object>(name: string, { path, columns }: Listing<Item>): Command {
  const command = new Command('get')
    .description(`Show a ${name}.`)
    .argument('<id>', name)
    .option('--json', `print the ${name} as JSON`);
  return withClientOptions(command).action(
    async (id: string, options: ClientOptions & { json?: boolean }) => {
      const item = await new GatewayClient(options).json<Item>('GET', `${path}/${encodeURIComponent(id)}`);
      printItem(item, options.json, columns);
    },
  );
}

/** The commands of the resources that the command line only reads. */
export function collectionCommands(): Command[] {
  const rooms: readonly { operations?: unknown; events?: unknown; listing?: Listing<never> }[] =
    Object.values(ROOMS);
  return rooms.flatMap(({ listing }) => {
    if (listing?.command === undefined) return [];
    const { name, description } = listing.command;
    return [
      new Command(name)
        .description(description)
        .addCommand(listCommand(listing))
        .addCommand(getCommand(name, listing))
        .addHelpText('after', `\nExamples:\n  harn-gateway ${name} list\n  harn-gateway ${name} list --json`),
    ];
  });
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
