import { describe, expect, it } from 'vitest';
import { offeredTools, toolName } from '../../../../bridges/mcp/server/offered-tools.ts';

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

describe('names of the tools of /mcp', () => {
  it('are those of the Skills where model providers take them', () => {
    for (const id of ['files__read_text_file', 'a', 'x'.repeat(64)]) expect(toolName(id)).toBe(id);
  });

  it('of Skills that would be spelled alike are told apart, and stay the same', () => {
    const long = `server__${'very_'.repeat(20)}`;
    const ids = ['a.b', 'a b', 'a/b', 'a-b', 'ä-b', `${long}x`, `another${long}x`, `${long}y`];
    const names = ids.map(toolName);
    expect(new Set(names).size).toBe(ids.length);
    for (const name of names) expect(name).toMatch(NAME);
    expect(ids.map(toolName)).toEqual(names);
  });

  it('of agents that are named alike are told apart too', () => {
    const agents = ['shop.eu', 'shop/eu', 'shop-eu'].map((id) => ({
      id,
      route: `a2a:${id}`,
      isDefault: false,
      description: undefined,
    }));
    const names = offeredTools([], agents).map(({ definition }) => definition.name);
    expect(new Set(names).size).toBe(agents.length);
    expect(names).toContain('ask_shop-eu');
  });
});
