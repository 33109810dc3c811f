import { Command } from 'commander';
import { type ClientOptions, ForbiddenError, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { itemsOf, type ListingOptions, withListingOptions } from '#cli/listing.ts';
import { printItem, printItems } from '#cli/table.ts';
import type { components } from '#client/index.ts';
import { bundleCommands } from '#resources/bundle/cli.ts';
import { erasuresListing } from '#resources/erasure/listing.ts';
import type { Columns } from '#resources/room.ts';
import { failureWords } from '#resources/task/listing.ts';
import { clientsCommand } from '../live-client/cli.ts';
import { inputCommand } from '../session-input/cli.ts';
import { showCommand } from './show-cli.ts';
import { transcriptCommands } from './transcript/cli.ts';

type Session = components['schemas']['Session'];
type Task = components['schemas']['Task'];

interface OneOptions extends ClientOptions {
  json?: boolean;
}

export function sessionCommand(): Command {
  const command = new Command('session')
    .description('Look at sessions, close them, and hand them to somebody else as bundles.')
    .addCommand(listCommand())
    .addCommand(oneCommand('get', 'Show a session.', shown))
    .addCommand(showCommand())
    .addCommand(oneCommand('close', 'Close a session; its open tasks are canceled.', closed))
    .addCommand(eraseCommand())
    .addHelpText(
      'after',
      '\nExamples:\n  harn-gateway session list\n  harn-gateway session show session_01...\n  harn-gateway session close session_01...\n  harn-gateway session export session_01... --out run.bundle.json',
    );
  command.addCommand(clientsCommand()).addCommand(inputCommand());
  for (const transcript of transcriptCommands()) command.addCommand(transcript);
  for (const bundle of bundleCommands()) command.addCommand(bundle);
  return command;
}

function listCommand(): Command {
  const command = new Command('list')
    .description('List sessions, newest first, with the state of the newest task of each.')
    .option('--workspace <id>', 'only those of this workspace');
  return withClientOptions(withListingOptions(command)).action(
    async (options: ClientOptions & ListingOptions & { workspace?: string }) => {
      const client = new GatewayClient(options);
      const sessions = itemsOf(
        client,
        '/v1/sessions',
        { query: { workspace_id: options.workspace } },
        options.limit,
      );
      if (options.json) await printItems(sessions, true, COLUMNS);
      else await printItems(withLastTask(client, sessions), false, COLUMNS);
    },
  );
}

type OfSession = (client: GatewayClient, id: string) => Promise<Session>;

const shown: OfSession = ({ api }, session_id) =>
  api.get('/v1/sessions/{session_id}', { params: { path: { session_id } } });

const closed: OfSession = ({ api }, session_id) =>
  api.post('/v1/sessions/{session_id}/close', { params: { path: { session_id } } });

function oneCommand(name: string, description: string, of: OfSession): Command {
  const command = new Command(name)
    .description(description)
    .argument('<id>', 'session')
    .option('--json', 'print the session as JSON');
  return withClientOptions(command).action(async (id: string, options: OneOptions) => {
    const client = new GatewayClient(options);
    const session = await of(client, id);
    printItem(options.json ? session : await lastTaskOf(client, session), options.json, COLUMNS);
  });
}

interface EraseOptions extends OneOptions {
  rule?: string;
  reason?: string;
  yes?: boolean;
}

function eraseCommand(): Command {
  const command = new Command('erase')
    .description('Erase what a session holds for good; proofs and a record of the erasure stay.')
    .argument('<id>', 'session')
    .option('--rule <text>', 'under which rule, such as an article of a law (required)')
    .option('--reason <text>', 'why, for the record')
    .option('--yes', 'erase without asking back; nothing brings it back')
    .option('--json', 'print the erasure as JSON');
  return withClientOptions(command).action(
    async (session_id: string, { rule, reason, yes, json, ...client }: EraseOptions) => {
      if (rule === undefined) throw new CliError("required option '--rule <text>' not specified", EXIT.usage);
      if (!yes) throw new CliError('Nothing brings back what is erased. Say --yes.', EXIT.usage);
      const body = { session_id, rule, ...(reason === undefined ? {} : { reason }) };
      const erasure = await new GatewayClient(client).api.post('/v1/erasures', { body });
      printItem(erasure, json, erasuresListing.columns);
    },
  );
}

/** A session with its newest task; without one where it has none, or the key may not see tasks. */
type SessionRow = Session & { last?: Task };

/** Newest tasks that are asked for at once; sessions of others are asked about one by one. */
const NEWEST_TASKS = 200;

async function* withLastTask(
  client: GatewayClient,
  sessions: AsyncIterable<Session>,
): AsyncGenerator<SessionRow> {
  const newest = new Map<string, Task>();
  for (const task of await orNone(
    client.api.get('/v1/tasks', { params: { query: { limit: NEWEST_TASKS } } }),
  ))
    if (!newest.has(task.session_id)) newest.set(task.session_id, task);
  for await (const session of sessions) {
    const last = newest.get(session.id);
    yield last === undefined ? await lastTaskOf(client, session) : { ...session, last };
  }
}

async function lastTaskOf(client: GatewayClient, session: Session): Promise<SessionRow> {
  const params = { path: { session_id: session.id }, query: { limit: 1 } };
  const [last] = await orNone(client.api.get('/v1/sessions/{session_id}/tasks', { params }));
  return last === undefined ? session : { ...session, last };
}

/** None where the key may not see tasks. */
async function orNone(tasks: Promise<{ data: Task[] }>): Promise<Task[]> {
  try {
    return (await tasks).data;
  } catch (error) {
    if (error instanceof ForbiddenError) return [];
    throw error;
  }
}

const COLUMNS: Columns<SessionRow> = {
  ID: ({ id }) => id,
  STATE: ({ state }) => state,
  'LAST TASK': ({ last }) => last?.status ?? '-',
  CREATED: ({ created_at }) => created_at,
  WORKSPACE: ({ workspace_id }) => workspace_id,
  TURNS: ({ transcript }) => String(transcript['message_count'] ?? 0),
  FAILURE: ({ last }) => (last?.failure ? failureWords(last.failure) : ''),
};
