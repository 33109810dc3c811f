import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import { RouterGroups } from '#surfaces/rest/routes.ts';

const PATHS = [
  '/health',
  '/v1/tasks',
  '/v1/tasks/{id}',
  '/v1/taskless/{id}',
  '/a2a/{agent}',
  '/a2a/{agent}/rpc',
];

describe('routers by the beginning of their paths', () => {
  /** The path pattern that takes a request; undefined when none does. */
  async function taken(path: string): Promise<string | undefined> {
    let found: string | undefined;
    const groups = new RouterGroups();
    for (const pattern of PATHS)
      groups.of(pattern).get(pattern.replace(/\{(\w+)\}/g, ':$1'), () => {
        found = pattern;
      });
    const ctx = { method: 'GET', path, request: {}, host: '' } as unknown as Context;
    await groups.routes()(ctx as never, async () => undefined);
    return found;
  }

  it.each([
    ['/health', '/health'],
    ['/v1/tasks', '/v1/tasks'],
    ['/v1/tasks/task_1', '/v1/tasks/{id}'],
    ['/v1/taskless/x', '/v1/taskless/{id}'],
    ['/a2a/sample', '/a2a/{agent}'],
    ['/a2a/sample/rpc', '/a2a/{agent}/rpc'],
  ])('%s goes to %s', async (path, pattern) => {
    expect(await taken(path)).toBe(pattern);
  });

  it.each(['/', '/v1', '/v1/', '/v1/tasks/', '/V1/tasks', '/v1/task', '/health/x', '/a2a', '//v1/tasks'])(
    '%s goes nowhere',
    async (path) => {
      expect(await taken(path)).toBeUndefined();
    },
  );
});
