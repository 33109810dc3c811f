import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { itemsOf, type ListingOptions, withListingOptions } from '#cli/listing.ts';
import { printItem, printItems } from '#cli/table.ts';
import { print, printJson } from '#cli/terminal.ts';
import type { components } from '#client/index.ts';
import type { Columns } from '#resources/room.ts';
import {
  AUDIT_OUTCOMES,
  type AuditEntry,
  PERMISSION_CLASSES,
  type PermissionDecision,
  type RememberRule,
  RULE_SCOPES,
} from './schema.ts';

/** What `permission` says of rules, the policy of the tenant and their answers. */
export function permissionRuleCommands(): Command[] {
  return [policyCommand(), rulesCommand(), checkCommand(), historyCommand()];
}

interface PolicyOptions extends ClientOptions {
  set?: string;
  json?: boolean;
}

interface Policy {
  version: string;
  policy: components['schemas']['PermissionPolicy'];
  not_enforced: string[];
}

function policyCommand(): Command {
  const command = new Command('policy')
    .description('Print what the tenant lets its tasks do without asking, or replace it.')
    .option('--set <file>', 'install this JSON document; - reads it from the standard input')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examplesOf('permission policy', 'permission policy --set policy.json', 'permission policy --json'),
    );
  return withClientOptions(command).action(policy);
}

async function policy({ set, json, ...client }: PolicyOptions): Promise<void> {
  const gateway = new GatewayClient(client);
  const path = '/v1/permissions/policy';
  const shown =
    set === undefined ? await gateway.api.get(path) : await gateway.api.put(path, { body: documentIn(set) });
  if (json) printJson(shown);
  else for (const line of linesOf(shown)) print(line);
}

function documentIn(file: string): components['schemas']['InstallPermissionPolicyRequest'] {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch {
    throw new CliError(`${file} cannot be read. Name a JSON file.`, EXIT.usage);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError(`${file} is no JSON. Write an object such as {"read": ["src/**"]}.`, EXIT.usage);
  }
}

function linesOf({ version, policy, not_enforced }: Policy): string[] {
  const { llm = {}, redact = {}, ...lists } = policy;
  const ceiling = llm.cost_ceiling_usd_cents;
  const rows: [string, readonly string[]][] = [
    ...Object.entries(lists),
    ['llm.providers', llm.providers ?? []],
    ['llm.cost_ceiling_usd_cents', ceiling === null || ceiling === undefined ? [] : [String(ceiling)]],
    ['redact.transcript', redact.transcript ?? []],
    ['redact.logs', redact.logs ?? []],
  ];
  return [
    version,
    ...rows.flatMap(([name, values]) => {
      const note = not_enforced.includes(name) ? '  (not enforced)' : '';
      return values.length === 0 ? [] : [`  ${name}: ${values.join(', ')}${note}`];
    }),
  ];
}

function rulesCommand(): Command {
  return new Command('rules')
    .description('Rules that answer permission requests before anybody is asked.')
    .addCommand(listCommand())
    .addCommand(addCommand())
    .addCommand(revokeCommand())
    .addHelpText('after', examplesOf('permission rules list', 'permission rules revoke rule_01...'));
}

function listCommand(): Command {
  const command = new Command('list')
    .description('List the rules that hold, narrowest scope first.')
    .addHelpText('after', examplesOf('permission rules list', 'permission rules list --json'));
  return withClientOptions(withListingOptions(command)).action(
    async ({ limit, json, ...client }: ClientOptions & ListingOptions) => {
      const items = itemsOf(new GatewayClient(client), '/v1/permissions/rules', {}, limit);
      await printItems(items, json, RULE_COLUMNS);
    },
  );
}

interface AddOptions extends ClientOptions {
  scope: (typeof RULE_SCOPES)[number];
  for?: string;
  class: (typeof PERMISSION_CLASSES)[number];
  action: string;
  target: string;
  allow?: boolean;
  deny?: boolean;
  reason?: string;
  until?: string;
  json?: boolean;
}

function addCommand(): Command {
  const command = new Command('add')
    .description('Make a rule; one for others than yourself, or for everybody, takes the scope admin.')
    .addOption(new Option('--scope <scope>', 'where it holds').choices(RULE_SCOPES).default('session'))
    .option('--for <id>', 'the session, workspace or actor that it is for')
    .addOption(
      new Option('--class <class>', 'what it is about').choices(PERMISSION_CLASSES).makeOptionMandatory(),
    )
    .requiredOption('--action <glob>', 'name of the tool, or what is asked for in one word')
    .option('--target <glob>', 'path, command or host', '**')
    .addOption(new Option('--allow', 'it is allowed').conflicts('deny'))
    .option('--deny', 'it is denied')
    .option('--reason <text>', 'why, for the record')
    .option('--until <time>', 'when it ends, in RFC 3339')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examplesOf(
        'permission rules add --for session_01... --class write --action "files__*" --target "src/**" --allow',
        'permission rules add --scope always --class exec --action "**" --target "rm *" --deny',
      ),
    );
  return withClientOptions(command).action(add);
}

async function add(options: AddOptions): Promise<void> {
  const {
    scope,
    for: value,
    class: of,
    action,
    target,
    allow,
    deny,
    reason,
    until,
    json,
    ...client
  } = options;
  if (!allow && !deny) throw new CliError('Say --allow or --deny.', EXIT.usage);
  const body = {
    scope,
    ...(value === undefined ? {} : { scope_value: value }),
    class: of,
    action_pattern: action,
    target_pattern: target,
    allow: allow === true,
    ...(reason === undefined ? {} : { reason }),
    ...(until === undefined ? {} : { expires_at: until }),
  };
  const rule = await new GatewayClient(client).api.post('/v1/permissions/rules', { body });
  printItem(rule, json, RULE_COLUMNS);
  const { overridden_by: older = [] } = rule;
  if (older.length > 0 && !json)
    print(
      `An older rule of the same scope answers otherwise, and first: ${older.join(', ')}. Revoke it, or choose a narrower scope.`,
    );
}

function revokeCommand(): Command {
  const command = new Command('revoke')
    .description('Revoke a rule: what it has answered stays, what comes later is asked.')
    .argument('<id>', 'rule')
    .option('--json', 'print JSON')
    .addHelpText('after', examplesOf('permission rules revoke rule_01...'));
  return withClientOptions(command).action(
    async (id: string, { json, ...client }: ClientOptions & { json?: boolean }) => {
      const params = { path: { rule_id: id } };
      await new GatewayClient(client).api.delete('/v1/permissions/rules/{rule_id}', { params });
      printItem({ id, revoked: true }, json, REVOKED_COLUMNS);
    },
  );
}

const REVOKED_COLUMNS: Columns<{ id: string }> = { ID: ({ id }) => id, STATE: () => 'revoked' };

const RULE_COLUMNS: Columns<RememberRule> = {
  ID: ({ id }) => id,
  SCOPE: ({ scope }) => scope,
  OF: ({ scope_value }) => scope_value ?? '-',
  ANSWER: ({ allow }) => (allow ? 'allow' : 'deny'),
  CLASS: (rule) => rule.class,
  ACTION: ({ action_pattern }) => action_pattern,
  TARGET: ({ target_pattern }) => target_pattern,
  FOR: ({ actor }) => actor ?? 'everybody',
  UNTIL: ({ expires_at }) => expires_at ?? '',
};

interface CheckOptions extends ClientOptions {
  session: string;
  actor: string;
  class: (typeof PERMISSION_CLASSES)[number];
  action: string;
  target: string;
  json?: boolean;
}

function checkCommand(): Command {
  const command = new Command('check')
    .description('Say what rules and policy would answer; exit code 1 when it is denied.')
    .requiredOption('--session <id>', 'session of the task')
    .requiredOption('--actor <actor>', 'whose task it is')
    .addOption(
      new Option('--class <class>', 'what it is about').choices(PERMISSION_CLASSES).makeOptionMandatory(),
    )
    .requiredOption('--action <name>', 'name of the tool, or what is asked for in one word')
    .requiredOption('--target <text>', 'path, command or host; the action where there is none')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examplesOf(
        'permission check --session session_01... --actor ci-bot --class write --action files__write_file --target src/a.ts',
      ),
    );
  return withClientOptions(command).action(check);
}

async function check(options: CheckOptions): Promise<void> {
  const { session, actor, class: of, action, target, json, ...client } = options;
  const body = { session_id: session, actor, class: of, action, target };
  const answer = await new GatewayClient(client).api.post('/v1/permissions/check', { body });
  if (json) printJson(answer);
  else print(decisionLine(answer.decision));
  if (answer.decision.outcome === 'denied') process.exitCode = EXIT.failed;
}

function decisionLine(decision: PermissionDecision): string {
  if (decision.outcome === 'suspend') {
    const why = decision.reason === null ? '' : `  ${decision.reason}`;
    return `suspend  ask ${decision.escalate_to.join(', ')}${why}`;
  }
  const by = decision.rule_id ?? decision.policy_version;
  return `${decision.outcome}  by ${by} (${decision.scope})${decision.reason === null ? '' : `  ${decision.reason}`}`;
}

interface HistoryOptions extends ClientOptions, ListingOptions {
  session?: string;
  workspace?: string;
  actor?: string;
  outcome?: (typeof AUDIT_OUTCOMES)[number];
}

function historyCommand(): Command {
  const command = new Command('history')
    .description('List answers to permission requests and checks, whoever gave them, newest first.')
    .option('--session <id>', 'only those of this session')
    .option('--workspace <id>', 'only those of this workspace')
    .option('--actor <actor>', 'only those about tasks of this actor')
    .addOption(new Option('--outcome <outcome>', 'only these').choices(AUDIT_OUTCOMES))
    .addHelpText(
      'after',
      examplesOf('permission history', 'permission history --session session_01... --outcome denied'),
    );
  return withClientOptions(withListingOptions(command)).action(history);
}

async function history(options: HistoryOptions): Promise<void> {
  const { session: session_id, workspace: workspace_id, actor, outcome, limit, json, ...client } = options;
  const params = { query: { session_id, workspace_id, actor, outcome } };
  const entries = itemsOf(new GatewayClient(client), '/v1/permissions/history', params, limit);
  await printItems(entries, json, ENTRY_COLUMNS);
}

const ENTRY_COLUMNS: Columns<AuditEntry> = {
  DECIDED: ({ decided_at }) => decided_at,
  OUTCOME: ({ outcome }) => outcome,
  CLASS: ({ request }) => request.class,
  ACTION: ({ request }) => request.action,
  TARGET: ({ request }) => request.target,
  BY: ({ decided_by, rule_id, policy_version }) => decided_by ?? rule_id ?? policy_version,
  REASON: ({ reason }) => reason ?? '-',
};

function examplesOf(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  harn-gateway ${line}`).join('\n')}`;
}
