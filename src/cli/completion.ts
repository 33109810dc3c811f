import { Argument, Command } from 'commander';
import { type CommandNode, commandTree, everyCommand, type FlagNode } from './command-tree.ts';

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

/** Completion scripts by shell. Each is one file that the shell sources; it runs nothing of ours while it completes. */
const COMPLETIONS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

const PROGRAM = 'harn-gateway';

/** Flags whose value is no word of a command, so that the walk over the line skips it. */
function takesValue({ value }: FlagNode): boolean {
  return value !== 'none';
}

function wordsOf({ subcommands, flags }: CommandNode): string {
  const below = subcommands.map(({ path }) => path.split(' ').at(-1) ?? '');
  return [...below, ...flags.flatMap(({ names }) => names)].join(' ');
}

function flagsWith(root: CommandNode, fits: (flag: FlagNode) => boolean): string[] {
  const found = [...everyCommand(root)].flatMap(({ flags }) => flags.filter(fits));
  return [...new Set(found.flatMap(({ names }) => names))].sort();
}

/** Rows of a `case` on the path of the command: what may follow it. */
function pathRows(root: CommandNode, row: (node: CommandNode) => string): string {
  return [...everyCommand(root)].map((node) => `    '${node.path}') ${row(node)} ;;`).join('\n');
}

/** Rows of a `case` on `<path> <flag>` for flags that take one of some words. */
function choiceRows(root: CommandNode, row: (words: string) => string): string {
  const rows = [...everyCommand(root)].flatMap(({ path, flags }) =>
    flags.flatMap(({ names, value }) =>
      typeof value === 'string'
        ? []
        : names.map((name) => `    '${path} ${name}') ${row(value.join(' '))} ;;`),
    ),
  );
  return rows.join('\n');
}

/** What both shells do first: walk over the line to the command that the cursor is in. In zsh `path` is the search path. */
function walk(root: CommandNode, words: string, end: string): string {
  const valued = flagsWith(root, takesValue).join('|');
  const known = [...everyCommand(root)].map(({ path }) => `'${path}'`).join('|');
  return `  local at word next place=''
  for (( at = ${end}; at++ )); do
    word="\${${words}[at]}"
    case "$word" in
      ${valued}) (( at++ )); continue ;;
      -*) continue ;;
    esac
    next="\${place:+$place }$word"
    case "$next" in
      ${known}) place="$next" ;;
    esac
  done`;
}

function bashScript(root: CommandNode): string {
  const files = flagsWith(root, ({ value }) => value === 'file').join('|');
  const texts = flagsWith(root, ({ value }) => value === 'text').join('|');
  return `# Completion of ${PROGRAM} for bash. Load it with: source <(${PROGRAM} completion bash)
_harn_gateway() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=''
${walk(root, 'COMP_WORDS', '1; at < COMP_CWORD')}
  COMPREPLY=()
  case "$place $previous" in
${choiceRows(root, (words) => `COMPREPLY=( $(compgen -W '${words}' -- "$current") ); return`)}
  esac
  case "$previous" in
    ${files}) COMPREPLY=( $(compgen -f -- "$current") ); return ;;
    ${texts}) return ;;
  esac
  case "$place" in
${pathRows(root, (node) => `words='${wordsOf(node)}'`)}
  esac
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
  [[ \${#COMPREPLY[@]} -gt 0 || "$current" == -* ]] || COMPREPLY=( $(compgen -f -- "$current") )
}
complete -o filenames -F _harn_gateway ${PROGRAM}
`;
}

function zshScript(root: CommandNode): string {
  const files = flagsWith(root, ({ value }) => value === 'file').join('|');
  const texts = flagsWith(root, ({ value }) => value === 'text').join('|');
  return `#compdef ${PROGRAM}
# Completion of ${PROGRAM} for zsh. Load it with: source <(${PROGRAM} completion zsh)
_harn_gateway() {
  local previous="\${words[CURRENT-1]}"
${walk(root, 'words', '2; at < CURRENT')}
  case "$place $previous" in
${choiceRows(root, (words) => `compadd -- ${words}; return`)}
  esac
  case "$previous" in
    ${files}) _files; return ;;
    ${texts}) return ;;
  esac
  case "$place" in
${pathRows(root, (node) => `compadd -- ${wordsOf(node)}${node.args.length > 0 ? '; _files' : ''}`)}
  esac
}
compdef _harn_gateway ${PROGRAM}
`;
}

function fishScript(root: CommandNode): string {
  const nodes = [...everyCommand(root)];
  const known = nodes.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  const lines = nodes.flatMap((node) => [
    ...subcommandLines(node),
    ...node.flags.map((flag) => flagLine(node, flag)),
  ]);
  return `# Completion of ${PROGRAM} for fish. Load it with: ${PROGRAM} completion fish | source
function __harn_gateway_at
  set -l path ''
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip -eq 1
      set skip 0
      continue
    end
    switch $word
      case ${flagsWith(root, takesValue).join(' ')}
        set skip 1
        continue
      case '-*'
        continue
    end
    set -l next (string trim -- "$path $word")
    contains -- $next ${known.join(' ')}; and set path $next
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function subcommandLines({ path, subcommands }: CommandNode): string[] {
  return subcommands.map((below) => {
    const name = below.path.split(' ').at(-1) ?? '';
    return `complete -c ${PROGRAM} -f -n "__harn_gateway_at ${quoted(path)}" -a ${name} -d ${quoted(below.description)}`;
  });
}

function flagLine({ path }: CommandNode, { names, description, value }: FlagNode): string {
  const spelled = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const values = { none: '', file: ' -rF', text: ' -x' } as const;
  const after = typeof value === 'string' ? values[value] : ` -x -a ${quoted(value.join(' '))}`;
  return `complete -c ${PROGRAM} -n "__harn_gateway_at ${quoted(path)}" ${spelled.join(' ')}${after} -d ${quoted(description)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
