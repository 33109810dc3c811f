import { program } from '#cli/program.ts';

/** Words of a command line of ours that name no command and no flag of it. */
export function unknownFlags(words: readonly string[]): string[] {
  const args = [...words];
  let command = program();
  while (command.commands.length > 0) {
    const name = args.shift() ?? 'no command';
    const found = command.commands.find((each) => each.name() === name);
    if (found === undefined) return [name];
    command = found;
  }
  const flags = args.filter((arg) => arg.startsWith('--'));
  return flags.filter((flag) => !command.options.some(({ long }) => long === flag));
}
