import { z } from 'zod';
import { plainValue, secretRef } from '../secret.ts';

/** Program and arguments; they come from the operator only. */
export const childCommand = z.array(z.string().min(1)).min(1, 'must name a program').optional();

const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'must be the name of an environment variable');

export const childEnvironment = z
  .record(variableName, z.union([plainValue, secretRef]))
  .default({})
  .describe(
    'Variables of the program besides PATH, HOME and the like; a secret as {env: NAME}, {file: PATH} or {vault: ID/NAME}.',
  );

interface ChildOrAddress {
  command?: unknown;
  url?: unknown;
  auth?: unknown;
  env: object;
  cwd?: unknown;
}

/** What an upstream is reached by is one of a program and an address; `ofProgram` are the members of programs alone. */
export function programOrAddress(...ofProgram: ('env' | 'cwd')[]) {
  return (row: ChildOrAddress, context: z.RefinementCtx): void => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if ((row.command === undefined) === (row.url === undefined))
      refuse('command', 'set one of command and url');
    if (row.command !== undefined && row.auth !== undefined)
      refuse('auth', 'is for url only; a program gets its secrets in env');
    if (row.url === undefined) return;
    const given = { env: Object.keys(row.env).length > 0, cwd: row.cwd !== undefined };
    for (const name of ofProgram) if (given[name]) refuse(name, 'is for command only');
  };
}
