import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
    // What is waited for comes in milliseconds, but a busy machine takes seconds.
    expect: { poll: { timeout: 15_000 } },
  },
});
