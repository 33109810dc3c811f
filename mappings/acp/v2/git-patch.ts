/** A patch in git's form that replaces a whole text by another one; the path without its leading slash. */
export function gitPatch(path: string, before: string, after: string, operation: 'add' | 'modify'): string {
  const name = path.replace(/^\/+/, '');
  const removed = linesOf(before);
  const added = linesOf(after);
  const head = [
    `diff --git a/${name} b/${name}`,
    ...(operation === 'add' ? ['new file mode 100644'] : []),
    operation === 'add' ? '--- /dev/null' : `--- a/${name}`,
    `+++ b/${name}`,
    `@@ -${span(removed)} +${span(added)} @@`,
  ];
  const body = [...marked('-', removed, before), ...marked('+', added, after)];
  return `${[...head, ...body].join('\n')}\n`;
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function span(lines: readonly string[]): string {
  return lines.length === 0 ? '0,0' : `1,${lines.length}`;
}

function marked(sign: string, lines: readonly string[], text: string): string[] {
  const all = lines.map((line) => sign + line);
  return lines.length === 0 || text.endsWith('\n') ? all : [...all, '\\ No newline at end of file'];
}
