import { Command, InvalidArgumentError, Option } from 'commander';
import type { PathsOf } from '#client/index.ts';
import type { Columns, GettableListing, Listing } from '#resources/room.ts';
import * as ROOMS from '#resources/rooms.ts';
import { type ClientOptions, GatewayClient, type QueryOf, withClientOptions } from './client.ts';
import { printItem, printItems } from './table.ts';

/** Items asked for at a time; the most that one page holds. */
const PAGE = 200;

export interface ListingOptions {
  limit: number;
  json?: boolean;
}

/** `list` of a collection, of the data of its room. */
export function listCommand<Path extends ListPath>({
  description,
  path,
  filters = [],
  columns,
}: Listing<ItemOf<Path>, Path>): Command {
  const command = new Command('list').description(description);
  for (const { flags, description: says, choices } of filters) {
    const option = new Option(flags, says);
    command.addOption(choices === undefined ? option : option.choices(choices));
  }
  return withClientOptions(withListingOptions(command)).action(async (_options: object, given: Command) => {
    const options = given.optsWithGlobals<ClientOptions & ListingOptions & Record<string, string>>();
    const nameOf = (flags: string) => new Option(flags).attributeName();
    const query = Object.fromEntries(filters.map(({ flags, param }) => [param, options[nameOf(flags)]]));
    // Each filter is checked against the choices that it has.
    const params = { query } as ListParams<Path>;
    const items = itemsOf(new GatewayClient(options), path, params, options.limit);
    await printItems(items, options.json, columns);
  });
}

/** `get` of a collection. */
export function getCommand<One extends OnePath>(
  name: string,
  { one, columns }: Pick<GettableListing<OneOf<One>, string, One>, 'one' | 'columns'>,
): Command {
  const command = new Command('get')
    .description(`Show ${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}.`)
    .argument('<id>', name)
    .option('--json', `print the ${name} as JSON`);
  return withClientOptions(command).action(
    async (id: string, options: ClientOptions & { json?: boolean }) => {
      const { api } = new GatewayClient(options);
      const [, parameter = ''] = /\{(\w+)\}$/.exec(one) ?? [];
      const get = api.get as GetOf<One>;
      const item = await get(one, { params: { path: { [parameter]: id } } });
      printItem(item, options.json, columns);
    },
  );
}

/** The commands of the resources that the command line only reads. */
export function collectionCommands(): Command[] {
  const rooms: readonly { operations?: unknown; events?: unknown; listing?: RoomListing }[] =
    Object.values(ROOMS);
  return rooms.flatMap(({ listing }) => {
    if (listing === undefined || !('one' in listing) || listing.command === undefined) return [];
    const { name, description } = listing.command;
    return [
      new Command(name)
        .description(description)
        // Which of them it is shows at run time only; EVERY_LISTING_FITS has checked each.
        .addCommand(listCommand(listing as never))
        .addCommand(getCommand(name, listing as never))
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

/** The items of a list, page by page, until `limit` of them were there. */
export async function* itemsOf<Path extends ListPath>(
  { api }: GatewayClient,
  path: Path,
  params: ListParams<Path>,
  limit: number,
): AsyncGenerator<ItemOf<Path>> {
  const get = api.get as PagesOf<Path>;
  let left = limit;
  let cursor: string | null | undefined;
  while (cursor !== null && left > 0) {
    const query = { ...params.query, limit: PAGE, cursor };
    const page: Page<ItemOf<Path>> = await get(path, { params: { ...params, query } });
    for (const item of page.data.slice(0, left)) {
      left -= 1;
      yield item;
    }
    cursor = page.next_cursor;
  }
}

type Paths = PathsOf['agents-protocol-2026-04-25'];

interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

/** What `GET` of a path answers. */
type AnswerOf<Path extends keyof Paths> = Paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Answer } } } };
}
  ? Answer
  : never;

/** Paths of the OpenAPI document that list something by pages. */
export type ListPath = {
  [Path in keyof Paths]: [AnswerOf<Path>] extends [never]
    ? never
    : AnswerOf<Path> extends Page<object>
      ? Path
      : never;
}[keyof Paths];

/** What is listed at a path. */
export type ItemOf<Path extends ListPath> =
  AnswerOf<Path> extends Page<infer Item extends object> ? Item : never;

/** Names the parameters of a list in its path, and filters it; what is undefined filters nothing. */
export type ListParams<Path extends ListPath> = {
  query?: { [Name in Exclude<keyof QueryOf<Path>, 'limit' | 'cursor'>]?: QueryOf<Path>[Name] | undefined };
} & (Paths[Path] extends { get: { parameters: { path: infer Named extends object } } }
  ? { path: Named }
  : object);

/** Paths of one item. */
type OnePath = Extract<keyof Paths, `${ListPath}/{${string}}`>;
type OneOf<One extends OnePath> = AnswerOf<One> extends infer Item extends object ? Item : never;

/** The typed call of the client, at a path that TypeScript does not follow through a type parameter. */
type PagesOf<Path extends ListPath> = (path: Path, init: object) => Promise<Page<ItemOf<Path>>>;
type GetOf<One extends OnePath> = (path: One, init: object) => Promise<OneOf<One>>;

type RoomOfListing = Extract<(typeof ROOMS)[keyof typeof ROOMS], { listing: unknown }>;
type RoomListing = RoomOfListing['listing'];
/** A listing whose columns read something else than the gateway lists there. */
type Unfit<Of> = Of extends { path: infer Path extends ListPath; columns: Columns<infer Item> }
  ? ItemOf<Path> extends Item
    ? UnfitOne<Of, Item>
    : Of
  : Of;
type UnfitOne<Of, Item> = Of extends { one: infer One }
  ? One extends OnePath
    ? OneOf<One> extends Item
      ? never
      : Of
    : Of
  : never;
const EVERY_LISTING_FITS: [Unfit<RoomListing>] extends [never] ? true : Unfit<RoomListing> = true;
void EVERY_LISTING_FITS;

/** Those of the values that are there. */
export function given<Values extends object>(values: Values): Given<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Given<Values>;
}

type Given<Values> = {
  [Name in keyof Values as undefined extends Values[Name] ? never : Name]: Values[Name];
} & {
  [Name in keyof Values as undefined extends Values[Name] ? Name : never]?: Exclude<Values[Name], undefined>;
};

/** Reads the value of a flag that counts something. */
export function wholeNumberFrom(least: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,7}$/.test(text) && Number(text) >= least) return Number(text);
    throw new InvalidArgumentError(`It is a whole number from ${least}.`);
  };
}
