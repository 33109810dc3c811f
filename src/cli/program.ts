import { Command, CommanderError } from 'commander';
import { apiKeysCommand } from './api-keys.ts';
import { cardCommand } from './card.ts';
import { checkCommand } from './check.ts';
import { connectorCommand } from './connector.ts';
import { describeFailure, EXIT } from './exit-codes.ts';
import { keysCommand } from './keys.ts';
import { logCommand } from './log.ts';
import { openapiCommand } from './openapi.ts';
import { packageVersion } from './package-facts.ts';
import { permissionCommand } from './permission.ts';
import { personaCommand } from './persona.ts';
import { receiptCommand } from './receipt.ts';
import { serveCommand } from './serve.ts';
import { sessionCommand } from './session.ts';
import { taskCommand } from './task.ts';
import { visible } from './terminal.ts';

/** Runs one command line and returns the exit code. Answers go to stdout, everything else to stderr. */
export async function runCli(argv: readonly string[]): Promise<number> {
  // `| head` closes our standard output early; that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.fine);
  });
  try {
    await program().parseAsync([...argv]);
    return Number(process.exitCode ?? EXIT.fine);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
    const { exitCode, message } = describeFailure(error);
    process.stderr.write(`error: ${visible(message)}\n`);
    return exitCode;
  }
}

function program(): Command {
  const root = new Command('harn-gateway')
    .description('Protocol gateway that gives every agent Harn semantics.')
    .version(packageVersion())
    .showHelpAfterError('(add --help for the options)')
    .exitOverride();
  for (const command of [
    serveCommand(),
    checkCommand(),
    taskCommand(),
    sessionCommand(),
    permissionCommand(),
    personaCommand(),
    connectorCommand(),
    logCommand(),
    receiptCommand(),
    keysCommand(),
    apiKeysCommand(),
    cardCommand(),
    openapiCommand(),
  ]) {
    throwAtExit(command);
    root.addCommand(command);
  }
  return root;
}

/** Wrong usage is reported to `runCli`, which knows the exit code; commander would end the process with its own. */
function throwAtExit(command: Command): void {
  command.exitOverride();
  for (const below of command.commands) throwAtExit(below);
}
