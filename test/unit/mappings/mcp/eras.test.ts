import { describe, expect, it } from 'vitest';
import { askedByError } from '../../../../bridges/mcp/server/mount/stateless.ts';
import { RpcError } from '../../../../bridges/wire/json-rpc.ts';
import {
  askedPages,
  resultForSession,
  resultWithoutSession,
  SHARED_METHODS,
  sharedMethod,
} from '../../../../mappings/mcp/eras.ts';

describe('requests of both eras of MCP', () => {
  it('are those of the specifications', () => {
    expect(Object.keys(SHARED_METHODS)).toEqual([
      'tools/list',
      'tools/call',
      'resources/list',
      'resources/templates/list',
      'resources/read',
      'prompts/list',
      'prompts/get',
      'completion/complete',
    ]);
    for (const method of ['initialize', 'ping', 'server/discover', 'tasks/get', 'toString'])
      expect(sharedMethod(method)).toBeUndefined();
  });

  it.each(Object.keys(SHARED_METHODS))(
    '%s: its result goes to the other era and back unchanged',
    (method) => {
      const result = {
        content: [],
        structuredContent: { a: 1 },
        tools: [{ name: 't', outputSchema: { type: 'object' } }],
      };
      const there = resultWithoutSession(method, result);
      expect(there['resultType']).toBe('complete');
      expect('ttlMs' in there).toBe(/list$|^resources/.test(method));
      expect(resultForSession(method, there)).toEqual(result);
    },
  );

  it.each([7, 'text', null, [1, 2], true])(
    'an output that is no object becomes a member of one, in results and schemas: %j',
    (structuredContent) => {
      const called = { resultType: 'complete', content: [], structuredContent };
      expect(resultForSession('tools/call', called)).toEqual({
        content: [],
        structuredContent: { result: structuredContent },
      });
    },
  );

  it('the schema of such an output says so', () => {
    const listed = {
      resultType: 'complete',
      ttlMs: 1,
      tools: [{ name: 't', outputSchema: { type: 'integer' } }, 'x'],
    };
    expect(resultForSession('tools/list', listed)).toEqual({
      tools: [
        {
          name: 't',
          outputSchema: { type: 'object', properties: { result: { type: 'integer' } }, required: ['result'] },
        },
        'x',
      ],
    });
  });

  it('[MCP-UP-12] pages that an error names are asked for as pages, whatever else it says of them', () => {
    const url = 'https://example.com/in';
    const elicitations = [{ mode: 'form', url, message: 'Log in.', elicitationId: 'e1' }, 'junk', { url }];
    expect(askedPages({ elicitations })).toEqual({
      page_1: { method: 'elicitation/create', params: { mode: 'url', url, message: 'Log in.' } },
      page_2: { method: 'elicitation/create', params: { mode: 'url', url } },
    });
    for (const data of [undefined, null, 'x', {}, { elicitations: {} }]) expect(askedPages(data)).toEqual({});
  });

  it.each([{}, { elicitations: [] }])(
    '[MCP-UP-12] an error that names no page stays an error: %j',
    (data) => {
      const error = new RpcError(-32_042, 'Log in first.', data);
      expect(() => askedByError(error, 'tools/call', { elicitation: { url: {} } })).toThrow(error);
    },
  );
});
