import { Command } from 'commander';
import { CANCEL_TOLD, type CancelTold } from '../protocol/cancel-told.ts';
import type { Message } from '../protocol/resources/message.ts';
import type { PermissionRequest } from '../protocol/resources/permission-request.ts';
import type { Session } from '../protocol/resources/session.ts';
import type { Task } from '../protocol/resources/task.ts';
import type { Workspace } from '../protocol/resources/workspace.ts';
import {
  type ClientOptions,
  ForbiddenError,
  GatewayClient,
  type StreamedEvent,
  withClientOptions,
} from './client.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { print, printJson, visible } from './terminal.ts';

interface TaskOptions extends ClientOptions {
  route?: string;
  session?: string;
  task?: string;
  follow?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  harn-gateway task "stream 3" --follow
  harn-gateway task --task task_01... --follow`;

export function taskCommand(): Command {
  const command = new Command('task')
    .description('Submit a task and print what the agent answers, or go on following one.')
    .argument('[text]', 'what the agent should do')
    .option(
      '--route <route>',
      'agent, for example a2a:sample (default: the route of the session or the gateway)',
    )
    .option('--session <id>', 'go on in this session (default: a new one)')
    .option('--task <id>', 'instead of a text: a task that was submitted before')
    .option('--follow', 'print the events until the task ends')
    .option('--json', 'print JSON: the task, or one event per line with --follow')
    .addHelpText('after', EXAMPLES);
  return withClientOptions(command).action(runTask);
}

async function runTask(text: string | undefined, options: TaskOptions): Promise<void> {
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
  return client.json<Task>('POST', `/v1/sessions/${encodeURIComponent(id)}/tasks`, {
    input: { role: 'user', parts: [{ type: 'text', text, visibility: 'public' }] },
    ...(route === undefined ? {} : { metadata: { route } }),
  });
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
  return client.json<Task>('GET', `/v1/tasks/${encodeURIComponent(id)}`);
}

async function newSession(client: GatewayClient): Promise<string> {
  const { data } = await client.json<{ data: Workspace[] }>('GET', '/v1/workspaces?limit=200');
  const ids = data.map(({ id }) => id);
  const workspace_id = ids.includes('workspace_default') ? 'workspace_default' : ids[0];
  return (await client.json<Session>('POST', '/v1/sessions', { workspace_id })).id;
}

const ENDS = new Set(['task.completed', 'task.failed', 'task.canceled']);
const ASKS = new Set(['task.input_required', 'task.auth_required']);

async function followTask(client: GatewayClient, task: Task, json: boolean): Promise<void> {
  const isLast = ({ event }: StreamedEvent) => ENDS.has(event);
  for await (const event of client.follow(`/v1/tasks/${task.id}/stream`, isLast)) {
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
  const path = `/v1/tasks/${task.id}/permission-requests?limit=200`;
  try {
    const { data } = await client.json<{ data: PermissionRequest[] }>('GET', path);
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
  const { cancel } = payload as { cancel?: CancelTold };
  if (event === 'task.canceled' && cancel) return [`${event}: ${canceledBut(cancel)}`];
  if (event === 'task.failed') return [`${event}: ${(payload['failure'] as { message: string }).message}`];
  return event.startsWith('task.') ? [event] : [];
}

/** A canceled task is not over everywhere when its agent was not told. */
function canceledBut({ agent, because }: CancelTold): string {
  return because === null ? CANCEL_TOLD[agent] : `${CANCEL_TOLD[agent]} ${because}`;
}

function textsOf(parts: Message['parts']): string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [`[${part.type}]`]));
}

function howToAnswer({ id }: Task, { event, payload }: StreamedEvent): string {
  const answer = event === 'task.input_required' ? '--answer "..."' : '--approve';
  return `The task waits for you: harn-gateway permission respond ${payload['request_id']} ${answer}, then harn-gateway task --task ${id} --follow`;
}
