import { Command, Option } from 'commander';
import {
  type ClientOptions,
  ForbiddenError,
  GatewayClient,
  type StreamedEvent,
  withClientOptions,
} from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { commandLine } from '#cli/invocation.ts';
import { listCommand } from '#cli/listing.ts';
import { printItem } from '#cli/table.ts';
import { print, printJson, visible } from '#cli/terminal.ts';
import type { components } from '#client/index.ts';
import { withRoutesProposed } from '#resources/agent/cli.ts';
import type { Message } from '#resources/message/schema.ts';
import { CANCEL_REPORTS, type CancelReport } from './events.ts';
import { taskListing, textsOf } from './listing.ts';
import type { Task } from './schema.ts';

interface TaskOptions extends ClientOptions {
  text?: string;
  route?: string;
  session?: string;
  task?: string;
  follow?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  harn-gateway task "stream 3" --follow
  harn-gateway task --task task_01... --follow
  harn-gateway task list --status FAILED
  harn-gateway task get task_01...
  harn-gateway task cancel task_01...
  harn-gateway task -- list                  the text "list" for the agent`;

export function taskCommand(): Command {
  const command = new Command('task')
    .description('Submit a task and print what the agent answers, or look at tasks, follow and cancel them.')
    .argument('[text]', 'what the agent should do')
    .option(
      '--route <route>',
      'agent, for example a2a:sample (default: the route of the session or the gateway)',
    )
    .option('--session <id>', 'go on in this session (default: a new one)')
    .option('--task <id>', 'instead of a text: a task that was submitted before')
    .option('--follow', 'print the events until the task ends')
    .option('--json', 'print JSON: the task, or one event per line with --follow')
    .addOption(new Option('--text <text>').hideHelp())
    .addHelpText('after', EXAMPLES)
    .addCommand(listCommand(taskListing))
    .addCommand(oneCommand('get', 'Show a task.', shown))
    .addCommand(oneCommand('cancel', 'Cancel a task; the agent is notified.', canceled))
    .helpCommand(false)
    // Options behind the name of a subcommand are its own.
    .enablePositionalOptions();
  return withClientOptions(command).action(runTask);
}

/**
 * The arguments with what stands behind `--` of `task` as its text: `task list` lists tasks, `task -- list` is the text "list".
 * The parser itself forgets where the dashes were.
 */
export function textBehindDashes(argv: readonly string[]): string[] {
  const dashes = argv.indexOf('--');
  const [text, ...more] = argv.slice(dashes + 1);
  if (argv[2] !== 'task' || dashes < 0 || text === undefined) return [...argv];
  return [...argv.slice(0, dashes), `--text=${text}`, ...more];
}

type OfTask = (client: GatewayClient, id: string) => Promise<components['schemas']['Task']>;

const shown: OfTask = ({ api }, task_id) => api.get('/v1/tasks/{task_id}', { params: { path: { task_id } } });

const canceled: OfTask = ({ api }, task_id) =>
  api.post('/v1/tasks/{task_id}/cancel', { params: { path: { task_id } } });

function oneCommand(name: string, description: string, of: OfTask): Command {
  const command = new Command(name)
    .description(description)
    .argument('<id>', 'task')
    .option('--json', 'print the task as JSON');
  return withClientOptions(command).action(async (id: string, _options: ClientOptions, given: Command) => {
    const options = given.optsWithGlobals<ClientOptions & { json?: boolean }>();
    printItem(await of(new GatewayClient(options), id), options.json, taskListing.columns);
  });
}

async function runTask(argument: string | undefined, options: TaskOptions): Promise<void> {
  if (argument !== undefined && options.text !== undefined)
    throw new CliError('Give one text, before "--" or behind it.', EXIT.usage);
  const text = argument ?? options.text;
  const client = new GatewayClient(options);
  const task = await (options.task === undefined
    ? submit(client, text, options)
    : known(client, options.task, text, options));
  const summary = `${task.id} ${task.status} in ${task.session_id}`;
  if (!options.json) print(summary);
  else if (!options.follow) printJson(task);
  // Standard output holds nothing but events then, and the first of them may be long in coming.
  else process.stderr.write(`${visible(summary)}\n`);
  if (options.follow) await followTask(client, task, options.json ?? false);
}

async function submit(
  client: GatewayClient,
  text: string | undefined,
  { session, route }: TaskOptions,
): Promise<Task> {
  if (text === undefined || text.trim() === '')
    throw new CliError('The text is empty. Say what the agent should do.', EXIT.usage);
  const id = session ?? (await newSession(client));
  const params = { path: { session_id: id } };
  const body: components['schemas']['SubmitTaskRequest'] = {
    input: { role: 'user', parts: [{ type: 'text', text, visibility: 'public' }] },
    ...(route === undefined ? {} : { metadata: { route } }),
  };
  return withRoutesProposed(client, route, () =>
    client.api.post('/v1/sessions/{session_id}/tasks', { params, body }),
  );
}

function known(
  client: GatewayClient,
  id: string,
  text: string | undefined,
  { session, route }: TaskOptions,
): Promise<Task> {
  if (text !== undefined || session !== undefined || route !== undefined)
    throw new CliError(
      '--task names a task that is there: leave out the text, --session and --route.',
      EXIT.usage,
    );
  return shown(client, id);
}

async function newSession(client: GatewayClient): Promise<string> {
  const { data } = await client.api.get('/v1/workspaces', { params: { query: { limit: 200 } } });
  const ids = data.map(({ id }) => id);
  const workspace_id = ids.find((id) => id === 'workspace_default') ?? ids[0];
  if (workspace_id === undefined)
    throw new CliError('This key has no Workspace. Name a Session with --session.', EXIT.failed);
  return (await client.api.post('/v1/sessions', { body: { workspace_id } })).id;
}

const ENDS = new Set(['task.completed', 'task.failed', 'task.canceled']);
const ASKS = new Set(['task.input_required', 'task.auth_required']);

async function followTask(client: GatewayClient, task: Task, json: boolean): Promise<void> {
  const isLast = ({ event }: StreamedEvent) => ENDS.has(event);
  for await (const event of client.follow(task.id, isLast)) {
    if (json) printJson(event);
    else for (const line of describe(event)) print(line);
    if (event.event === 'task.failed' || event.event === 'task.canceled') process.exitCode = EXIT.failed;
    if (ASKS.has(event.event) && (await isWaiting(client, task, event))) {
      if (!json) print(howToAnswer(task, event));
      return;
    }
  }
}

/** What was asked earlier may have its answer by now; a key that may not look takes it as open. */
async function isWaiting(client: GatewayClient, task: Task, { payload }: StreamedEvent): Promise<boolean> {
  const params = { path: { task_id: task.id }, query: { limit: 200 } };
  try {
    const { data } = await client.api.get('/v1/tasks/{task_id}/permission-requests', { params });
    return data.some(({ id, response }) => id === payload['request_id'] && response === null);
  } catch (error) {
    if (error instanceof ForbiddenError) return true;
    throw error;
  }
}

/** What a person wants to see of an event; events without a line are left out. */
function describe({ event, payload }: StreamedEvent): string[] {
  const message = payload['message'] as Message | undefined;
  if (event === 'agent.message' && message) return textsOf(message.parts).map((text) => `agent: ${text}`);
  if (event === 'artifact.created' || event === 'artifact.updated') {
    return textsOf((payload['parts'] ?? []) as Message['parts']).map((text) => `artifact: ${text}`);
  }
  const { cancel } = payload as { cancel?: CancelReport };
  if (event === 'task.canceled' && cancel) return [`${event}: ${canceledBut(cancel)}`];
  if (event === 'task.failed') return [`${event}: ${(payload['failure'] as { message: string }).message}`];
  return event.startsWith('task.') ? [event] : [];
}

/** A canceled task may go on at its agent when that was not reached. */
function canceledBut({ agent, because }: CancelReport): string {
  return because === null ? CANCEL_REPORTS[agent] : `${CANCEL_REPORTS[agent]} ${because}`;
}

function howToAnswer({ id }: Task, { event, payload }: StreamedEvent): string {
  const answer = event === 'task.input_required' ? '--answer "..."' : '--approve';
  const respond = commandLine(`permission respond ${payload['request_id']} ${answer}`);
  return `The task waits for you: ${respond}, then ${commandLine(`task --task ${id} --follow`)}`;
}
