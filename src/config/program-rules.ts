import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { formatPath, type PathFault } from './fault.ts';
import { rule } from './rules.ts';

interface ProgramRow {
  command?: readonly string[] | undefined;
  cwd?: string | undefined;
  env: Readonly<Record<string, unknown>>;
}

/**
 * Whether the programs of upstreams could be started here and now. For `check` alone: a gateway serves its other agents
 * while one of them is not installed yet.
 */
export const PROGRAM_RULES = [
  rule(['upstreams'], ({ upstreams: { acp, mcp } }, { env }) => [
    ...acp.flatMap((row, index) => programFaults(row, ['upstreams', 'acp', index], env['PATH'])),
    ...mcp.flatMap((row, index) => programFaults(row, ['upstreams', 'mcp', index], env['PATH'])),
  ]),
] as const;

/** The program of a configured agent or server. */
export interface ProgramSight {
  /** Where it is configured, for example `upstreams.acp[0].command[0]`. */
  path: string;
  program: string;
  /** Why it could not be started. */
  fault?: string;
}

/** Looks for every program that the configuration names. `inherited`: the PATH of the gateway. */
export function inspectPrograms(
  { acp, mcp }: Record<'acp' | 'mcp', readonly ProgramRow[]>,
  inherited: string | undefined,
): ProgramSight[] {
  return Object.entries({ acp, mcp }).flatMap(([protocol, rows]) =>
    rows.flatMap((row, index) => {
      const [program] = row.command ?? [];
      if (program === undefined) return [];
      const at = ['upstreams', protocol, index];
      const [fault] = programFaults(row, at, inherited);
      const path = formatPath(fault?.path ?? [...at, 'command', 0]);
      return [{ path, program, ...(fault === undefined ? {} : { fault: fault.message }) }];
    }),
  );
}

function programFaults(row: ProgramRow, at: PathFault['path'], inherited: string | undefined): PathFault[] {
  const [program] = row.command ?? [];
  if (program === undefined) return [];
  const cwd = resolve(row.cwd ?? '.');
  if (!isDirectory(cwd)) return [{ path: [...at, 'cwd'], message: `the directory ${cwd} does not exist` }];
  const own = row.env['PATH'];
  const problem = programProblem(program, cwd, typeof own === 'string' ? own : (inherited ?? ''));
  return problem === undefined ? [] : [{ path: [...at, 'command', 0], message: problem }];
}

/** A name is looked for in PATH, a path from the directory that the program runs in: as `spawn` does. */
function programProblem(program: string, cwd: string, path: string): string | undefined {
  const isPath = /[/\\]/.test(program);
  const places = isPath
    ? [resolve(cwd, program)]
    : path.split(delimiter).map((dir) => resolve(cwd, dir, program));
  if (places.some(isProgram)) return undefined;
  if (!isPath) return `the program ${program} is not in PATH; install it, or give its whole path`;
  const [place = program] = places;
  return isFile(place) ? `the file ${place} may not be run` : `the program ${place} does not exist`;
}

function isProgram(place: string): boolean {
  return isFile(place) && isExecutable(place);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const isFile = (path: string) => statOf(path)?.isFile() === true;
const isDirectory = (path: string) => statOf(path)?.isDirectory() === true;

/** Undefined for what is not there, and for what may not be looked at: neither can be started. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
