import { Command } from 'commander';
import { acpCommand } from './acp.ts';
import { runCommands } from './run-commands.ts';

/** The command line `acp` alone: a tenth of the time that loading the gateway takes. */
export function runCli(argv: readonly string[]): Promise<number> {
  return runCommands(new Command('harn-gateway').addCommand(acpCommand()), argv);
}
