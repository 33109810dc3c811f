import { defineConfig } from 'vitest/config';

/** Tests of pure code, which share the modules of their worker: loading them for each file took longer than the tests. */
const SHARED = ['test/unit/**/*.test.ts', 'test/architecture/**/*.test.ts'];

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
    // What is waited for comes in milliseconds, but a busy machine takes seconds.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      { extends: true, test: { name: 'pure', include: SHARED, isolate: false } },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: SHARED } },
    ],
  },
});
