import { type Command, CommanderError } from 'commander';
import { describeFailure, EXIT } from './exit-codes.ts';
import { asTyped } from './invocation.ts';
import { visible } from './terminal.ts';

/** Runs one command line and returns the exit code. Answers go to stdout, everything else to stderr. */
export async function runCommands(root: Command, argv: readonly string[]): Promise<number> {
  // `| head` closes our standard output early; that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.fine);
  });
  const names = new Set(root.commands.map((command) => command.name()));
  try {
    prepare(root, names);
    await root.parseAsync([...argv]);
    return Number(process.exitCode ?? EXIT.fine);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
    const { exitCode, message } = describeFailure(error);
    process.stderr.write(`error: ${asTyped(visible(message), names)}\n`);
    return exitCode;
  }
}

/**
 * Wrong usage is reported to `runCli`, which knows the exit code; commander would end the process with its own. It is followed
 * by what there is at that place, and every help names commands as the reader types them.
 */
function prepare(command: Command, names: ReadonlySet<string>): void {
  command
    .exitOverride()
    .configureOutput({ writeOut: (text) => process.stdout.write(asTyped(text, names)) })
    .showHelpAfterError(choices(command));
  for (const below of command.commands) prepare(below, names);
}

/** The words that can stand at a place of the command line. */
function choices(command: Command): string {
  const below = command.commands.map((one) => one.name());
  const options = command.createHelp().visibleOptions(command);
  const flags = options.map(({ long, short }) => long ?? short ?? '').filter((flag) => flag !== '--help');
  return [
    ...(below.length > 0 ? [`Commands: ${below.join(', ')}`] : []),
    ...(flags.length > 0 ? [`Options: ${flags.join(', ')}`] : []),
    '(add --help for what they do)',
  ].join('\n');
}
