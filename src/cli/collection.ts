import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from './client.ts';
import { itemsOf, type ListingOptions, printItem, printItems, withListingOptions } from './listing.ts';

export interface Collection<Item extends object> {
  /** The command, in the singular. */
  name: string;
  description: string;
  path: string;
  /** Columns for people. */
  line(item: Item): readonly string[];
}

/** A command with `list` and `get` for a collection that the command line only reads. */
export function collectionCommand<Item extends object>(collection: Collection<Item>): Command {
  const { name, description } = collection;
  return new Command(name)
    .description(description)
    .addCommand(listCommand(collection))
    .addCommand(getCommand(collection))
    .addHelpText('after', `\nExamples:\n  harn-gateway ${name} list\n  harn-gateway ${name} list --json`);
}

function listCommand<Item extends object>({ name, path, line }: Collection<Item>): Command {
  const command = new Command('list').description(`List every ${name} you may see.`);
  return withClientOptions(withListingOptions(command)).action(
    async (options: ClientOptions & ListingOptions) => {
      await printItems(itemsOf<Item>(new GatewayClient(options), path, options.limit), options.json, line);
    },
  );
}

function getCommand<Item extends object>({ name, path, line }: Collection<Item>): Command {
  const command = new Command('get')
    .description(`Show a ${name}.`)
    .argument('<id>', name)
    .option('--json', `print the ${name} as JSON`);
  return withClientOptions(command).action(
    async (id: string, options: ClientOptions & { json?: boolean }) => {
      const item = await new GatewayClient(options).json<Item>('GET', `${path}/${encodeURIComponent(id)}`);
      printItem(item, options.json, line);
    },
  );
}
