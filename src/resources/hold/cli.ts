import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { itemsOf, type ListingOptions, withListingOptions } from '#cli/listing.ts';
import { printItem, printItems } from '#cli/table.ts';
import type { Columns } from '#resources/room.ts';
import type { Hold } from './schema.ts';

const HOLDS = '/v1/holds';

interface OneOptions extends ClientOptions {
  json?: boolean;
}

/** What keeps sessions from every removal. */
export function holdsCommand(): Command {
  return new Command('holds')
    .description('Keep sessions from every removal, and let go of them.')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(getCommand())
    .addCommand(releaseCommand())
    .addHelpText(
      'after',
      '\nExamples:\n  harn-gateway holds add "case 17" --session session_01... --reason "asked for by the auditors"\n  harn-gateway holds release hold_01... --reason "the case is closed"',
    );
}

interface AddOptions extends OneOptions {
  session?: string[];
  reason?: string;
  until?: string;
}

function addCommand(): Command {
  const command = new Command('add')
    .description('Keep sessions from every removal.')
    .argument('<name>', 'what refusals call the hold, such as a case number')
    .option('--session <id...>', 'sessions to keep, all of one workspace (required)')
    .option('--reason <text>', 'why, for the record (required)')
    .option('--until <time>', 'when it ends by itself, in RFC 3339')
    .option('--json', 'print JSON');
  return withClientOptions(command).action(
    async (name: string, { session, reason, until, json, ...client }: AddOptions) => {
      const body = {
        name,
        session_ids: needed(session, '--session <id...>'),
        reason: needed(reason, '--reason <text>'),
        ...(until === undefined ? {} : { expires_at: until }),
      };
      printItem(await new GatewayClient(client).api.post(HOLDS, { body }), json, COLUMNS);
    },
  );
}

function listCommand(): Command {
  const command = new Command('list')
    .description('List holds, newest first, released ones too.')
    .option('--workspace <id>', 'only those of this workspace')
    .option('--session <id>', 'only those of this session');
  return withClientOptions(withListingOptions(command)).action(
    async (options: ClientOptions & ListingOptions & { workspace?: string; session?: string }) => {
      const { workspace: workspace_id, session: session_id, limit, json, ...client } = options;
      const params = { query: { workspace_id, session_id } };
      await printItems(itemsOf(new GatewayClient(client), HOLDS, params, limit), json, COLUMNS);
    },
  );
}

function getCommand(): Command {
  const command = new Command('get')
    .description('Show a hold.')
    .argument('<id>', 'hold')
    .option('--json', 'print JSON');
  return withClientOptions(command).action(async (id: string, { json, ...client }: OneOptions) => {
    const params = { path: { hold_id: id } };
    const hold = await new GatewayClient(client).api.get('/v1/holds/{hold_id}', { params });
    printItem(hold, json, COLUMNS);
  });
}

function releaseCommand(): Command {
  const command = new Command('release')
    .description('End a hold.')
    .argument('<id>', 'hold')
    .option('--reason <text>', 'why, for the record (required)')
    .option('--json', 'print JSON');
  return withClientOptions(command).action(
    async (id: string, { reason, json, ...client }: OneOptions & { reason?: string }) => {
      const params = { path: { hold_id: id } };
      const body = { reason: needed(reason, '--reason <text>') };
      const { api } = new GatewayClient(client);
      printItem(await api.post('/v1/holds/{hold_id}/release', { params, body }), json, COLUMNS);
    },
  );
}

/** Asked for behind the argument, so that a missing argument is named first. */
function needed<Value>(value: Value | undefined, flags: string): Value {
  if (value === undefined) throw new CliError(`required option '${flags}' not specified`, EXIT.usage);
  return value;
}

const COLUMNS: Columns<Hold> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  STATE: ({ expires_at, released_at }) =>
    released_at !== null ? 'released' : expires_at === null ? 'holds' : `until ${expires_at}`,
  BY: ({ created_by }) => created_by,
  SESSIONS: ({ session_ids }) => session_ids.join(', '),
  REASON: ({ reason }) => reason,
};
