import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findPackageRoot } from '#config/package-root.ts';

const root = findPackageRoot(import.meta.url);
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** What the registry of agents takes of an entry that npx starts. Source: ACP registry, `agent.json`. */
const entry = z.object({
  id: z.string().regex(/^[a-z][a-z0-9-]*$/),
  name: z.string().min(1),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  description: z.string().min(1),
  distribution: z.object({
    npx: z.object({ package: z.string(), args: z.array(z.string()).optional() }),
  }),
});

describe('what editors are told of the launcher', () => {
  it('the entry for the registry has its form, and starts the launcher of this package', () => {
    const { distribution, version } = entry.parse(JSON.parse(read('config/acp-registry/agent.json')));
    const own = JSON.parse(read('package.json')) as { name: string; version: string };
    expect(distribution.npx.package.startsWith(own.name)).toBe(true);
    expect(distribution.npx.args).toContain('acp');
    expect(version).toBe(own.version);
  });

  it('the settings of the README for editors that take JSON are JSON, and start it', () => {
    const settings = [...read('README.md').matchAll(/```json\n(.*?"agent_servers".*?)\n```/gs)].map(
      ([, text = '']) => JSON.parse(text) as { agent_servers: { Harn: { command: string; args: string[] } } },
    );
    expect(settings.map(({ agent_servers: { Harn } }) => [Harn.command, ...Harn.args])).toEqual([
      ['harn-gateway', 'acp'],
      ['harn-gateway', 'acp'],
    ]);
  });
});
