import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError } from '#cli/exit-codes.ts';
import { itemsOf, type ListingOptions, printItem, printItems, withListingOptions } from '#cli/listing.ts';
import { nearest } from '#cli/nearest.ts';
import type { Agent } from './schema.ts';

const AGENTS = '/v1/agents';

/** `agents` alone lists them. */
export function agentsCommand(): Command {
  return new Command('agents')
    .alias('agent')
    .description('The agents behind a running gateway, and the routes that lead to them.')
    .addCommand(listCommand(), { isDefault: true })
    .addCommand(getCommand())
    .helpCommand(false)
    .addHelpText('after', '\nExamples:\n  harn-gateway agents list\n  harn-gateway agents get sample');
}

function listCommand(): Command {
  const command = new Command('list').description(
    'List the agents with their routes, in the order of the routes.',
  );
  return withClientOptions(withListingOptions(command)).action(
    async ({ limit, json, ...client }: ClientOptions & ListingOptions) => {
      await printItems(itemsOf<Agent>(new GatewayClient(client), AGENTS, limit), json, line);
    },
  );
}

function getCommand(): Command {
  const command = new Command('get')
    .description('Show an agent.')
    .argument('<id>', 'id of the agent, or its route')
    .option('--json', 'print the agent as JSON');
  return withClientOptions(command).action(
    async (named: string, { json, ...client }: ClientOptions & { json?: boolean }) => {
      const names: string[] = [];
      for await (const agent of itemsOf<Agent>(new GatewayClient(client), AGENTS, Number.POSITIVE_INFINITY)) {
        if (agent.id === named || agent.route === named) return printItem(agent, json, line);
        names.push(agent.id);
      }
      const [near] = nearest(named, names);
      const proposed = near === undefined ? '' : ` Did you mean ${near}?`;
      throw new CliError(`No agent is called ${named}.${proposed}\nAgents: ${names.join(', ')}`);
    },
  );
}

function line({ route, name, version, card_state, description }: Agent): string[] {
  const words = (description ?? '').replace(/\s+/g, ' ');
  return [route, name ?? '-', version ?? '-', `card ${card_state}`, words];
}
