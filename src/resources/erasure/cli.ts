import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { getCommand, listCommand } from '#cli/listing.ts';
import { printItem } from '#cli/table.ts';
import { erasuresListing } from './listing.ts';

/** Records of what was erased, and the erasure of what an actor left; a session is erased by `session erase`. */
export function erasureCommand(): Command {
  return new Command('erasure')
    .description('What was erased, by whom and under which rule.')
    .addCommand(listCommand(erasuresListing))
    .addCommand(getCommand('erasure', erasuresListing))
    .addCommand(actorCommand())
    .addHelpText(
      'after',
      '\nExamples:\n  harn-gateway erasure list\n  harn-gateway erasure actor ada --rule "GDPR Art. 17" --yes',
    );
}

interface ActorOptions extends ClientOptions {
  workspace?: string;
  rule?: string;
  reason?: string;
  yes?: boolean;
  json?: boolean;
}

function actorCommand(): Command {
  const command = new Command('actor')
    .description('Erase what an actor left in a workspace for good; what others said, and the proofs, stay.')
    .argument('<actor>', 'as events name it')
    .option('--workspace <id>', 'in which workspace (default: the first of the key)')
    .option('--rule <text>', 'under which rule, such as an article of a law (required)')
    .option('--reason <text>', 'why, for the record')
    .option('--yes', 'erase without asking back; nothing brings it back')
    .option('--json', 'print the erasure as JSON');
  return withClientOptions(command).action(
    async (actor: string, { workspace, rule, reason, yes, json, ...client }: ActorOptions) => {
      if (rule === undefined) throw new CliError("required option '--rule <text>' not specified", EXIT.usage);
      if (!yes) throw new CliError('Nothing brings back what is erased. Say --yes.', EXIT.usage);
      const body = {
        actor,
        rule,
        ...(workspace === undefined ? {} : { workspace_id: workspace }),
        ...(reason === undefined ? {} : { reason }),
      };
      const erasure = await new GatewayClient(client).api.post('/v1/erasures', { body });
      printItem(erasure, json, erasuresListing.columns);
    },
  );
}
