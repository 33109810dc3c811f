import { Command } from 'commander';
import type { Session } from '../protocol/resources/session.ts';
import { type ClientOptions, GatewayClient, withClientOptions } from './client.ts';
import {
  itemsOf,
  type ListingOptions,
  printItem,
  printItems,
  queryOf,
  withListingOptions,
} from './listing.ts';
import { bundleCommands } from './session-bundles.ts';
import { transcriptCommands } from './session-transcript.ts';

interface OneOptions extends ClientOptions {
  json?: boolean;
}

export function sessionCommand(): Command {
  const command = new Command('session')
    .description('Look at sessions, close them, and hand them to somebody else as bundles.')
    .addCommand(listCommand())
    .addCommand(oneCommand('get', 'Show a session.', 'GET', ''))
    .addCommand(oneCommand('close', 'Close a session; its open tasks are canceled.', 'POST', '/close'))
    .addHelpText(
      'after',
      '\nExamples:\n  harn-gateway session list\n  harn-gateway session close session_01...\n  harn-gateway session export session_01... --out run.bundle.json',
    );
  for (const transcript of transcriptCommands()) command.addCommand(transcript);
  for (const bundle of bundleCommands()) command.addCommand(bundle);
  return command;
}

function listCommand(): Command {
  const command = new Command('list')
    .description('List sessions, newest first.')
    .option('--workspace <id>', 'only those of this workspace');
  return withClientOptions(withListingOptions(command)).action(
    async (options: ClientOptions & ListingOptions & { workspace?: string }) => {
      const path = `/v1/sessions${queryOf({ workspace_id: options.workspace })}`;
      await printItems(itemsOf<Session>(new GatewayClient(options), path, options.limit), options.json, line);
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
    const session = await new GatewayClient(options).json<Session>(method, path);
    printItem(session, options.json, line);
  });
}

function line({ id, state, workspace_id, created_at, transcript }: Session): string[] {
  return [id, state.padEnd(6), created_at, workspace_id, `${transcript['message_count'] ?? 0} turns`];
}
