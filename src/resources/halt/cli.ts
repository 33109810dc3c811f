import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { itemsOf, type ListingOptions, withListingOptions } from '#cli/listing.ts';
import { printItem, printItems } from '#cli/table.ts';
import type { Columns } from '#resources/room.ts';
import type { Halt } from './schema.ts';

const HALTS = '/v1/admin/halts';

const EXAMPLES = `
Examples:
  harn-gateway halt create a2a:shop --reason "It orders in a loop."
  harn-gateway halt create skill:files__write_file --reason "It wrote outside of its folder."
  harn-gateway halt create acp:coder --tool Bash --reason "No commands until the audit is done."
  harn-gateway halt list
  harn-gateway halt release halt_01... --reason "The shop has mended it."`;

export function haltCommand(): Command {
  return new Command('halt')
    .description(
      'The kill switch of an agent or a tool: ends what runs there and refuses what comes, on record.',
    )
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(releaseCommand())
    .addHelpText('after', EXAMPLES);
}

interface CreateOptions extends ClientOptions {
  tool?: string;
  reason: string;
  json?: boolean;
}

function createCommand(): Command {
  const command = new Command('create')
    .description('Halt an agent or a tool at once, until it is released. Survives a restart.')
    .argument('<route>', 'route of the agent or tool server, or skill:<id> of one tool')
    .requiredOption('--reason <text>', 'why; every task that ends or is refused says so')
    .option('--tool <name>', 'one tool only, by the name that its agent or server has for it')
    .option('--json', 'print JSON');
  return withClientOptions(command).action(
    async (route: string, { tool, reason, json, ...client }: CreateOptions) => {
      const body = { route, reason, ...(tool === undefined ? {} : { tool }) };
      const placed = await new GatewayClient(client).api.post(HALTS, { body });
      printItem(placed, json, { ...COLUMNS, 'TASKS ENDED': (halt) => String(halt.ended_tasks) });
    },
  );
}

function listCommand(): Command {
  const command = new Command('list')
    .description('List the halts in force.')
    .option('--all', 'those that were released, too');
  return withClientOptions(withListingOptions(command)).action(
    async ({ all, limit, json, ...client }: ClientOptions & ListingOptions & { all?: boolean }) => {
      const params = { query: { state: all ? ('all' as const) : undefined } };
      await printItems(itemsOf(new GatewayClient(client), HALTS, params, limit), json, COLUMNS);
    },
  );
}

function releaseCommand(): Command {
  const command = new Command('release')
    .description('Let what was halted run again. Tasks that were ended stay ended.')
    .argument('<id>', 'halt')
    .option('--reason <text>', 'why it may run again')
    .option('--json', 'print JSON');
  return withClientOptions(command).action(
    async (id: string, { reason, json, ...client }: ClientOptions & { reason?: string; json?: boolean }) => {
      const params = { path: { halt_id: id } };
      const body = reason === undefined ? {} : { reason };
      const { api } = new GatewayClient(client);
      const released = await api.post('/v1/admin/halts/{halt_id}/release', { params, body });
      printItem(released, json, COLUMNS);
    },
  );
}

const COLUMNS: Columns<Halt> = {
  ID: ({ id }) => id,
  TARGET: ({ route, tool }) => (tool === null ? route : `${route} ${tool}`),
  STATE: ({ created_at, released_at }) =>
    released_at === null ? `halted ${created_at}` : `released ${released_at}`,
  REASON: ({ reason }) => reason,
};
