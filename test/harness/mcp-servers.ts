import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** Program and arguments of a reference server that is installed for the tests. */
function reference(name: string, ...args: string[]): string[] {
  const manifest = require.resolve(`@modelcontextprotocol/${name}/package.json`);
  return [process.execPath, join(dirname(manifest), 'dist', 'index.js'), ...args];
}

export const mcpServers = {
  everything: () => reference('server-everything', 'stdio'),
  everythingOverHttp: () => reference('server-everything', 'streamableHttp'),
  filesystem: (root: string) => reference('server-filesystem', root),
  memory: () => reference('server-memory'),
};
