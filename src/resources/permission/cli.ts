import { Command, Option } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { itemsOf, type ListingOptions, withListingOptions } from '#cli/listing.ts';
import { printItem, printItems } from '#cli/table.ts';
import type { components } from '#client/index.ts';
import { permissionRuleCommands } from '#resources/permission-rule/cli.ts';
import { RULE_SCOPES } from '#resources/permission-rule/schema.ts';
import type { Columns } from '#resources/room.ts';
import type { PermissionRequest } from './schema.ts';

interface ListOptions extends ClientOptions, ListingOptions {
  session?: string;
  task?: string;
  all?: boolean;
  remembered?: boolean;
}

interface RespondOptions extends ClientOptions {
  approve?: boolean;
  deny?: boolean;
  answer?: string;
  option?: string;
  reason?: string;
  remember?: (typeof RULE_SCOPES)[number];
  json?: boolean;
}

const EXAMPLES = `
Examples:
  harn-gateway permission list
  harn-gateway permission respond permission_request_01... --approve
  harn-gateway permission respond permission_request_01... --answer "blue"
  harn-gateway permission respond permission_request_01... --deny --reason "not on Fridays"`;

export function permissionCommand(): Command {
  const command = new Command('permission')
    .description('See what tasks wait for, answer it, and say what answers it from now on.')
    .addCommand(listCommand())
    .addCommand(respondCommand())
    .addCommand(forgetCommand())
    .addHelpText('after', EXAMPLES);
  for (const below of permissionRuleCommands()) command.addCommand(below);
  return command;
}

function listCommand(): Command {
  const command = new Command('list')
    .description('List permission requests that wait for an answer, newest first.')
    .option('--session <id>', 'only those of this session')
    .option('--task <id>', 'only those of this task')
    .option('--all', 'resolved ones too')
    .option('--remembered', 'those that were answered for good instead, which later ones are answered by');
  return withClientOptions(withListingOptions(command)).action(list);
}

async function list(options: ListOptions): Promise<void> {
  const { session: session_id, task: task_id, all, remembered } = options;
  const status = all || remembered ? undefined : ('pending' as const);
  const query = { session_id, task_id, status, remembered: remembered ? ('true' as const) : undefined };
  const items = itemsOf(new GatewayClient(options), '/v1/permission-requests', { query }, options.limit);
  await printItems(items, options.json, COLUMNS);
}

function respondCommand(): Command {
  const command = new Command('respond')
    .description('Answer a permission request; the first answer wins.')
    .argument('<id>', 'permission request')
    .addOption(new Option('--approve', 'allow it').conflicts('deny'))
    .option('--deny', 'refuse it')
    .addOption(new Option('--answer <text>', 'what the agent gets as an answer').conflicts('option'))
    .option('--option <id>', 'choose one of its options')
    .option('--reason <text>', 'why, for the record')
    .addOption(
      new Option('--remember <scope>', 'make it a rule for what is asked later').choices(RULE_SCOPES),
    )
    .option('--json', 'print the permission request as JSON')
    .addHelpText('after', EXAMPLES);
  return withClientOptions(command).action(respond);
}

async function respond(id: string, options: RespondOptions): Promise<void> {
  const asked = { params: { path: { request_id: id } }, body: bodyOf(options) };
  const { api } = new GatewayClient(options);
  const request = await api.post('/v1/permission-requests/{request_id}/respond', asked);
  printItem(request, options.json, COLUMNS);
}

function forgetCommand(): Command {
  const command = new Command('forget')
    .description('Ask again what was answered for good; what was decided stays.')
    .argument('<id>', 'permission request that was answered for good')
    .option('--json', 'print the permission request as JSON')
    .addHelpText('after', EXAMPLES);
  return withClientOptions(command).action(forget);
}

async function forget(id: string, options: RespondOptions): Promise<void> {
  const params = { path: { request_id: id } };
  const { api } = new GatewayClient(options);
  const request = await api.delete('/v1/permission-requests/{request_id}/remembered', { params });
  printItem(request, options.json, COLUMNS);
}

/** What the options say and nothing more: the gateway decides whether it is an answer. */
function bodyOf({
  approve,
  deny,
  answer,
  option,
  reason,
  remember,
}: RespondOptions): components['schemas']['PermissionResponseRequest'] {
  return {
    ...(approve ? { approved: true } : {}),
    ...(deny ? { approved: false } : {}),
    ...(answer === undefined ? {} : { answer }),
    ...(option === undefined ? {} : { answer: { option_id: option } }),
    ...(reason === undefined ? {} : { reason }),
    ...(remember === undefined ? {} : { remember: true, scope: remember }),
  };
}

const COLUMNS: Columns<PermissionRequest> = {
  ID: ({ id }) => id,
  STATUS: ({ status }) => status,
  KIND: ({ request }) => request.kind,
  TASK: ({ task_id }) => task_id ?? '-',
  ASKED: ({ request }) => request.message.replace(/\s+/g, ' '),
  OPTIONS: ({ request }) => request.options.map(({ option_id }) => option_id).join('|'),
};
