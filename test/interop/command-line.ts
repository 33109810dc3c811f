import { vi } from 'vitest';
import { runCli } from '#cli/program.ts';

export interface Said {
  code: number;
  out: string;
  err: string;
}

/** Runs one command in this process and returns what it said. `seen` is told standard output as it comes. */
export async function runCommand(args: readonly string[], seen: (out: string) => void = () => undefined) {
  const said = { out: '', err: '' };
  const collect = (to: 'out' | 'err') => (text: string | Uint8Array) => {
    said[to] += typeof text === 'string' ? text : Buffer.from(text).toString();
    if (to === 'out') seen(said.out);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(collect('out'));
  vi.spyOn(process.stderr, 'write').mockImplementation(collect('err'));
  const before = process.stdout.listeners('error');
  try {
    const code = await runCli(['node', 'harn-gateway', ...args]);
    return { code, ...said } satisfies Said;
  } finally {
    for (const listener of process.stdout.listeners('error'))
      if (!before.includes(listener)) process.stdout.off('error', listener as () => void);
    vi.restoreAllMocks();
    process.exitCode = undefined;
  }
}

/** The cells of the rows of a table, without its headings. */
export function rowsOf({ out }: Said): string[][] {
  const lines = out.trimEnd().split('\n');
  return lines.slice(1).map((line) => line.split(/ {2,}/));
}
