import { program } from '#cli/program.ts';

/** Words of a command line of ours that name no command and no flag of it. */
export function unknownFlags([name, ...args]: readonly string[]): string[] {
  const command = program().commands.find((each) => each.name() === name);
  if (command === undefined) return [name ?? 'no command'];
  const flags = args.filter((arg) => arg.startsWith('--'));
  return flags.filter((flag) => !command.options.some(({ long }) => long === flag));
}
