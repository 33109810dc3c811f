import { describe, expect, it } from 'vitest';
import type { OfferedTool } from '../../../../bridges/mcp/server/offered-tools.ts';
import { pageOf } from '../../../../bridges/mcp/server/requests.ts';

const offered = (...names: string[]): OfferedTool[] =>
  names.map((name) => ({
    kind: 'skill',
    route: `skill:${name}`,
    definition: { name },
    judged: { route: 'mcp:x', sideEffect: 'read' },
  }));

const namesOf = (page: ReturnType<typeof pageOf>) =>
  (page['tools'] as { name: string }[]).map(({ name }) => name);

describe('pages of tools', () => {
  it('[MCP-FACE-5] tell every tool once, and the last page has no cursor', () => {
    const tools = offered('a', 'b', 'c', 'd', 'e');
    const told: string[] = [];
    let cursor: unknown;
    let pages = 0;
    do {
      const page = pageOf(tools, cursor, 2);
      told.push(...namesOf(page));
      cursor = page['nextCursor'];
      pages += 1;
    } while (cursor !== undefined);
    expect(told).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(pages).toBe(3);
  });

  it('[MCP-FACE-5] go on where they were when tools come and go between them', () => {
    const { nextCursor } = pageOf(offered('a', 'b', 'c'), undefined, 2);
    expect(namesOf(pageOf(offered('aa', 'c', 'd'), nextCursor, 2))).toEqual(['c', 'd']);
  });
});
