import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { aboutOf } from '#resources/permission-rule/about.ts';
import { aboutOfAsked } from '../../../../mappings/acp/asked-about.ts';

const asked = (input: JsonObject, sideEffect: string) => ({
  kind: 'tool' as const,
  action: 'tool',
  toolName: 'tool',
  input,
  metadata: { policy: { side_effect: sideEffect } },
  binding: null,
});

describe('what a call is about', () => {
  it.each([
    [{ path: '/a' }, ['/a']],
    [{ paths: ['/a', '/b/../c', '/a'] }, ['/a', '/c']],
    [{ source: '/a', destination: '/b' }, ['/a', '/b']],
    [{ path: 7, paths: [null, ''] }, ['tool']],
    [{}, ['tool']],
  ])('the arguments %j name %j', (input, targets) => {
    const { target, others = [], hasMore } = aboutOf(asked(input, 'write'), {});
    expect([target, ...others]).toEqual(targets);
    expect(hasMore).toBeUndefined();
  });

  it('all files that an ACP agent is about to change, by their places and by what it shows of them', () => {
    const tool_call = {
      kind: 'edit',
      locations: [{ path: '/src/a.ts' }, { path: '/src/b.ts' }],
      content: [
        { type: 'diff', path: '/etc/passwd', newText: '' },
        { type: 'content', content: { type: 'text', text: 'x' } },
      ],
    };
    const thing = { ...asked({}, 'delegate'), metadata: { acp: { tool_call } } };
    expect(aboutOf(thing, aboutOfAsked(thing))).toMatchObject({
      class: 'write',
      target: '/src/a.ts',
      others: ['/src/b.ts', '/etc/passwd'],
    });
  });

  it('what one call names beyond measure is known to be more', () => {
    const paths = Array.from({ length: 500 }, (_, n) => `/src/some/folder/${n}.ts`);
    const { others = [], hasMore } = aboutOf(asked({ paths }, 'read'), {});
    expect(hasMore).toBe(true);
    expect(others.length).toBeGreaterThan(100);
    expect(others.length).toBeLessThan(300);
  });
});
