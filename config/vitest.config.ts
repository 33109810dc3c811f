import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The tiers of CONTRIBUTING.md but `unit`, which is all the others: `faults` and `faces` start processes, `core` starts gateways
 * in its own. In the room of a resource, the folders `slow` and `unit` say so. Those that take longest are begun first, so that
 * no worker is left alone with one at the end.
 */
const LONG: Readonly<Record<string, readonly string[]>> = {
  faults: inFolders('faults', 'ci'),
  faces: [...inFolders('interop'), 'test/resources/*/slow/*.test.ts'],
  core: [...inFolders('conformance', 'contracts'), 'test/resources/*.test.ts', 'test/resources/*/*.test.ts'],
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const names = [...Object.keys(LONG), 'unit'];
    const place = ({ project }: TestSpecification) => names.indexOf(project.name);
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

function inFolders(...names: string[]): string[] {
  return names.map((name) => `test/${name}/**/*.test.ts`);
}

function project(name: string, include: readonly string[], exclude: readonly string[] = []) {
  return { extends: true as const, test: { name, include: [...include], exclude: [...exclude] } };
}

export default defineConfig({
  // Imports such as '#core/load.ts' are those of src here, not those of the build.
  resolve: {
    alias: [{ find: /^#(.+\.ts)$/, replacement: new URL('../src/$1', import.meta.url).pathname }],
  },
  test: {
    root: new URL('..', import.meta.url).pathname,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
    // The files of a project share the modules of their worker: loading them for each took a third of the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // What is waited for comes in milliseconds, but a busy machine takes seconds.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      ...Object.entries(LONG).map(([name, include]) => project(name, include)),
      project('unit', ['test/**/*.test.ts'], Object.values(LONG).flat()),
    ],
  },
});
