import type { Command } from 'commander';

/** One command as completion and its tests see it. */
export interface CommandNode {
  /** Words after the name of the program, for example `session list`; empty for the program itself. */
  path: string;
  description: string;
  subcommands: readonly CommandNode[];
  flags: readonly FlagNode[];
  /** Names of its arguments, in order. */
  args: readonly string[];
  /** Those that cannot be left out. */
  required: readonly string[];
}

export interface FlagNode {
  /** `--json`, and `-V` where there is one. */
  names: readonly string[];
  description: string;
  /** What follows the flag: nothing, one of these words, a file or directory, or any text. */
  value: 'none' | 'file' | 'text' | readonly string[];
}

/** Words in the usage of a flag (`--config <file>`) that stand for a place in the file system. */
const FILES = /[<[](file|dir)\b/;

/** The tree of the commands, read off the program that parses them. */
export function commandTree(command: Command, path = ''): CommandNode {
  return {
    path,
    description: command.description(),
    subcommands: command.commands.map((below) => commandTree(below, `${path} ${below.name()}`.trim())),
    flags: command
      .createHelp()
      .visibleOptions(command)
      .map(({ short, long, flags, description, argChoices }) => ({
        names: [long, short].filter((name) => name !== undefined),
        description,
        value: argChoices ?? valueAfter(flags),
      })),
    args: command.registeredArguments.map((argument) => argument.name()),
    required: command.registeredArguments.filter(({ required }) => required).map((one) => one.name()),
  };
}

function valueAfter(flags: string): FlagNode['value'] {
  if (FILES.test(flags)) return 'file';
  return /[<[]/.test(flags) ? 'text' : 'none';
}

/** The node itself and everything below it. */
export function* everyCommand(node: CommandNode): Generator<CommandNode, void> {
  yield node;
  for (const below of node.subcommands) yield* everyCommand(below);
}
