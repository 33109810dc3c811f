import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Directory of the package that holds the module at `moduleUrl`, from sources and from the build alike. */
export function findPackageRoot(moduleUrl: string): string {
  let directory = dirname(fileURLToPath(moduleUrl));
  while (!existsSync(join(directory, 'package.json'))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error(`No package.json above ${fileURLToPath(moduleUrl)}`);
    directory = parent;
  }
  return directory;
}
