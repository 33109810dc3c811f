import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

const lock: { packages: Record<string, { version?: string }> } = JSON.parse(read('package-lock.json'));

/** `@scope/name` of each import of an official SDK. */
const IMPORTED = /(?:from|import\() ?\n? *'(@(?:a2a-js|agentclientprotocol|modelcontextprotocol)\/[^/']+)/g;
/** A package and its version, as a record names them. */
const RECORDED = /`(@(?:a2a-js|agentclientprotocol|modelcontextprotocol)\/[^`]+)` (\d+\.\d+\.\d+)/g;

function importedBy(bridge: string): string[] {
  const folders = [`bridges/${bridge}`, `mappings/${bridge}`];
  const texts = folders.flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => read(`${folder}/${name}`)),
  );
  const names = texts.flatMap((text) => [...text.matchAll(IMPORTED)].map(([, name = '']) => name));
  return [...new Set(names)].sort();
}

function recordOf(bridge: string): string {
  return /## Decided about the SDKs?\n(.*?)(?=\n## |$)/s.exec(read(`bridges/${bridge}/README.md`))?.[1] ?? '';
}

describe.each(['a2a', 'acp', 'mcp'])('the decision record of the bridge %s', (bridge) => {
  const recorded = [...recordOf(bridge).matchAll(RECORDED)].map(([, name = '', version = '']) => ({
    name,
    version,
  }));

  it('names every SDK that the bridge imports', () => {
    expect(recorded.map(({ name }) => name).sort()).toEqual(importedBy(bridge));
  });

  // A new version may have mended what a record says against it: look at it again, then name the version there.
  it('names the versions that are installed', () => {
    const installed = recorded.map(({ name }) => ({
      name,
      version: lock.packages[`node_modules/${name}`]?.version,
    }));
    expect(recorded).toEqual(installed);
  });
});
