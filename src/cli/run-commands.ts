import { type Command, CommanderError } from 'commander';
import { describeFailure, EXIT } from './exit-codes.ts';
import { visible } from './terminal.ts';

/** Runs one command line and returns the exit code. Answers go to stdout, everything else to stderr. */
export async function runCommands(root: Command, argv: readonly string[]): Promise<number> {
  // `| head` closes our standard output early; that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.fine);
  });
  try {
    throwAtExit(root);
    await root.parseAsync([...argv]);
    return Number(process.exitCode ?? EXIT.fine);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
    const { exitCode, message } = describeFailure(error);
    process.stderr.write(`error: ${visible(message)}\n`);
    return exitCode;
  }
}

/** Wrong usage is reported to `runCli`, which knows the exit code; commander would end the process with its own. */
function throwAtExit(command: Command): void {
  command.exitOverride();
  for (const below of command.commands) throwAtExit(below);
}
