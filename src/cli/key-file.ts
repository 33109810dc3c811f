import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError, EXIT } from './exit-codes.ts';

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a directory',
  ENOTDIR: 'there is no such file',
};

/**
 * The key in a file. `name`: as somebody gave it, from the working directory where it is no whole path; `from`: who named it.
 * Throws CliError (usage) that names the whole path for one that cannot be read or is empty.
 */
export function readKeyFile(name: string, from: string): string {
  const file = resolve(name);
  let key: string;
  try {
    key = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const hint =
      file === name ? '' : ` "${name}" is looked for from the working directory; give the whole path.`;
    throw new CliError(
      `The key file ${file} of ${from} cannot be read: ${WHY[code] ?? code}.${hint}`,
      EXIT.usage,
    );
  }
  if (key === '') throw new CliError(`The key file ${file} of ${from} is empty.`, EXIT.usage);
  return key;
}
