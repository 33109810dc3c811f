import { Command } from 'commander';
import { type ClientOptions, ForbiddenError, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import {
  itemsOf,
  type ListingOptions,
  printItem,
  printItems,
  queryOf,
  withListingOptions,
} from '#cli/listing.ts';
import { bundleCommands } from '#resources/bundle/cli.ts';
import { erasuresListing } from '#resources/erasure/listing.ts';
import type { Erasure } from '#resources/erasure/schema.ts';
import { failureWords } from '#resources/task/listing.ts';
import type { Task } from '#resources/task/schema.ts';
import { clientsCommand } from '../live-client/cli.ts';
import { inputCommand } from '../session-input/cli.ts';
import type { Session } from './schema.ts';
import { transcriptCommands } from './transcript/cli.ts';

interface OneOptions extends ClientOptions {
  json?: boolean;
}

export function sessionCommand(): Command {
  const command = new Command('session')
    .description('Look at sessions, close them, and hand them to somebody else as bundles.')
    .addCommand(listCommand())
    .addCommand(oneCommand('get', 'Show a session.', 'GET', ''))
    .addCommand(oneCommand('close', 'Close a session; its open tasks are canceled.', 'POST', '/close'))
    .addCommand(eraseCommand())
    .addHelpText(
      'after',
      '\nExamples:\n  harn-gateway session list\n  harn-gateway session close session_01...\n  harn-gateway session export session_01... --out run.bundle.json',
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
      const path = `/v1/sessions${queryOf({ workspace_id: options.workspace })}`;
      const client = new GatewayClient(options);
      const sessions = itemsOf<Session>(client, path, options.limit);
      if (options.json) await printItems(sessions, true, line);
      else await printItems(withLastTask(client, sessions), false, line);
    },
  );
}

function oneCommand(name: string, description: string, method: string, verb: string): Command {
  const command = new Command(name)
    .description(description)
    .argument('<id>', 'session')
    .option('--json', 'print the session as JSON');
  return withClientOptions(command).action(async (id: string, options: OneOptions) => {
    const path = `/v1/sessions/${encodeURIComponent(id)}${verb}`;
    const client = new GatewayClient(options);
    const session = await client.json<Session>(method, path);
    printItem(options.json ? session : await lastTaskOf(client, session), options.json, line);
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
      const erasure = await new GatewayClient(client).json<Erasure>('POST', '/v1/erasures', body);
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
  for (const task of await tasksAt(client, `/v1/tasks?limit=${NEWEST_TASKS}`))
    if (!newest.has(task.session_id)) newest.set(task.session_id, task);
  for await (const session of sessions) {
    const last = newest.get(session.id);
    yield last === undefined ? await lastTaskOf(client, session) : { ...session, last };
  }
}

async function lastTaskOf(client: GatewayClient, session: Session): Promise<SessionRow> {
  const [last] = await tasksAt(client, `/v1/sessions/${encodeURIComponent(session.id)}/tasks?limit=1`);
  return last === undefined ? session : { ...session, last };
}

async function tasksAt(client: GatewayClient, path: string): Promise<Task[]> {
  try {
    return (await client.json<{ data: Task[] }>('GET', path)).data;
  } catch (error) {
    if (error instanceof ForbiddenError) return [];
    throw error;
  }
}

function line({ id, state, workspace_id, created_at, transcript, last }: SessionRow): string[] {
  const turns = `${transcript['message_count'] ?? 0} turns`;
  const why = last?.failure ? [failureWords(last.failure)] : [];
  return [id, state.padEnd(6), (last?.status ?? '-').padEnd(14), created_at, workspace_id, turns, ...why];
}
