import { Argument, Command } from 'commander';
import { commandTree } from './command-tree.ts';
import { COMPLETIONS } from './completion-scripts.ts';

/** The command that prints the completion script of a shell for the program it belongs to. */
export function completionCommand(): Command {
  const shells = Object.keys(COMPLETIONS);
  const command = new Command('completion')
    .description('Print the script that lets a shell complete commands, flags and their values.')
    .addArgument(new Argument('<shell>', 'the shell that reads it').choices(shells));
  return command.action((shell: keyof typeof COMPLETIONS) => {
    const root = command.parent;
    if (root === null) throw new Error('completion belongs to a program');
    process.stdout.write(COMPLETIONS[shell](commandTree(root)));
  });
}
