import { Command } from 'commander';
import {
  type ClientOptions,
  ForbiddenError,
  GatewayClient,
  RefusedError,
  withClientOptions,
} from '#cli/client.ts';
import { CliError } from '#cli/exit-codes.ts';
import { type ItemOf, itemsOf, type ListParams, listCommand } from '#cli/listing.ts';
import { nearest } from '#cli/nearest.ts';
import { printItem } from '#cli/table.ts';
import { agentListing } from './listing.ts';

/** `agents` alone lists them. */
export function agentsCommand(): Command {
  return new Command('agents')
    .alias('agent')
    .description('The agents behind a running gateway, and the routes that lead to them.')
    .addCommand(listCommand(agentListing), { isDefault: true })
    .addCommand(getCommand())
    .helpCommand(false)
    .addHelpText('after', '\nExamples:\n  harn-gateway agents list\n  harn-gateway agents get sample');
}

function getCommand(): Command {
  const command = new Command('get')
    .description('Show an agent.')
    .argument('<id>', 'id of the agent, or its route')
    .option('--json', 'print the agent as JSON');
  return withClientOptions(command).action(
    async (named: string, { json, ...client }: ClientOptions & { json?: boolean }) => {
      const names: string[] = [];
      for await (const agent of itemsOf(
        new GatewayClient(client),
        '/v1/agents',
        {},
        Number.POSITIVE_INFINITY,
      )) {
        if (agent.id === named || agent.route === named) return printItem(agent, json, agentListing.columns);
        names.push(agent.id);
      }
      const [near] = nearest(named, names);
      const proposed = near === undefined ? '' : ` Did you mean ${near}?`;
      throw new CliError(`No agent is called ${named}.${proposed}\nAgents: ${names.join(', ')}`);
    },
  );
}

/** Routes that a refusal lists; more are counted. */
const SHOWN = 20;

/** Does what names a route; where that is refused for the route, the error proposes the nearest one and lists those there are. */
export async function withRoutesProposed<T>(
  client: GatewayClient,
  route: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (route === undefined || !(error instanceof RefusedError) || error.param !== 'metadata.route')
      throw error;
    const routes = await knownRoutes(client);
    // One that is there is refused for another reason, as a halt.
    if (routes.length === 0 || routes.includes(route)) throw error;
    throw new CliError(unknownRoute(route, routes));
  }
}

/** The routes that this caller may see. */
async function knownRoutes(client: GatewayClient): Promise<string[]> {
  const listed = async <Path extends '/v1/agents' | '/v1/skills'>(path: Path): Promise<ItemOf<Path>[]> => {
    const found: ItemOf<Path>[] = [];
    try {
      for await (const item of itemsOf<Path>(client, path, {} as ListParams<Path>, Number.POSITIVE_INFINITY))
        found.push(item);
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
    }
    return found;
  };
  const agents = await listed('/v1/agents');
  const skills = await listed('/v1/skills');
  return [...agents.map(({ route }) => route), ...skills.map(({ id }) => `skill:${id}`)];
}

function unknownRoute(route: string, routes: readonly string[]): string {
  const [near] = nearest(route, routes);
  const proposed = near === undefined ? '' : ` Did you mean ${near}?`;
  const more = routes.length > SHOWN ? ` and ${routes.length - SHOWN} more` : '';
  return `${route} names no route of this gateway.${proposed}\nRoutes: ${routes.slice(0, SHOWN).join(', ')}${more}`;
}
