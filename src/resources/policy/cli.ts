import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { EXIT } from '#cli/exit-codes.ts';
import { given } from '#cli/listing.ts';
import { print, printJson } from '#cli/terminal.ts';
import type { PolicyExplanation } from './schema.ts';

interface ExplainOptions extends ClientOptions {
  actor: string;
  operation: string;
  resource?: string;
  skill?: string;
  persona?: string;
  session?: string;
  scope?: string[];
  workspace?: string[];
  json?: boolean;
}

const EXAMPLES = `
Examples:
  harn-gateway policy explain --actor ci-bot --operation getTask --resource task_01...
  harn-gateway policy explain --actor ci-bot --operation submitTask --skill files__write_file --persona clerk
  harn-gateway policy explain --actor https://login.example.com/ada --scope tasks:read --operation submitTask`;

export function policyCommand(): Command {
  return new Command('policy')
    .description('Who may do what, and by which rule.')
    .addCommand(explainCommand())
    .addHelpText('after', EXAMPLES);
}

function explainCommand(): Command {
  const command = new Command('explain')
    .description(
      'Print what the policy makes of a call or a task, with the rule that decides; exit code 1 when it is refused.',
    )
    .requiredOption('--actor <actor>', 'who would call')
    .requiredOption('--operation <id>', 'operationId, for example submitTask')
    .option('--resource <id>', 'what the call names')
    .option('--skill <id>', 'Skill, or route of an agent, that the task would use')
    .option('--persona <id>', 'Persona of the task')
    .option('--session <id>', 'Session of the task')
    .option('--scope <scope...>', 'scopes of an access token, for an actor without an API key')
    .option('--workspace <id...>', 'workspaces of that token')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES);
  return withClientOptions(command).action(explain);
}

async function explain(options: ExplainOptions): Promise<void> {
  const { actor, operation, resource, skill, persona, session, scope, workspace, json, ...client } = options;
  const query = given({
    actor,
    operation,
    resource,
    skill,
    persona,
    session,
    scopes: scope?.join(','),
    workspaces: workspace?.join(','),
  });
  const { api } = new GatewayClient(client);
  const explained = await api.get('/v1/admin/policy/explain', { params: { query } });
  if (json) printJson(explained);
  else for (const line of linesOf(explained)) print(line);
  if (explained.decision.effect === 'refuse') process.exitCode = EXIT.failed;
}

function linesOf({
  decision,
  checks,
  credential,
  tier,
  side_effect,
  remembers,
}: PolicyExplanation): string[] {
  const facts = [
    ...(credential === null ? [] : [`credential ${credential}`]),
    ...(tier === null ? [] : [`tier ${tier}`]),
    ...(side_effect === null ? [] : [`side effect ${side_effect}`]),
    ...(remembers === null || remembers === 'never' ? [] : [`answers are remembered: ${remembers}`]),
  ];
  return [
    `${decision.effect}  ${decision.rule}`,
    decision.because,
    ...(facts.length === 0 ? [] : [facts.join(', ')]),
    ...checks.map(({ check, result }) => `  ${result.padEnd(10)}${check}`),
  ];
}
