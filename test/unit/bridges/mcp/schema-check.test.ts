import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { SchemaChecks } from '../../../../bridges/mcp/client/schema-check.ts';

function faultOf(schema: JsonObject, value: JsonValue): string | undefined {
  const fault = new SchemaChecks().of(schema)?.(value);
  return fault === undefined ? undefined : `${fault.path}: ${fault.message}`;
}

const withPattern = (pattern: string): JsonObject => ({
  type: 'object',
  properties: { name: { type: 'string', pattern } },
});

describe('the schemas of MCP tools', () => {
  it.each<[JsonObject, JsonValue, string]>([
    [{ required: ['a'] }, {}, 'a: is required'],
    [{ properties: { a: { items: { type: 'number' } } } }, { a: [1, 'x'] }, 'a[1]: must be number'],
    [{ properties: { a: {} }, additionalProperties: false }, { b: 1 }, 'b: is not a member of the schema'],
    [{ prefixItems: [{ type: 'string' }] }, [1], '[0]: must be string'],
    [withPattern('^[a-z]+$'), { name: 'A1' }, 'name: must match pattern "^[a-z]+$"'],
    [withPattern('\\u0041\\d'), { name: 'B1' }, 'name: must match pattern "\\u0041\\d"'],
    [{ patternProperties: { '^n_': { type: 'number' } } }, { n_a: 'x' }, 'n_a: must be number'],
  ])('%j refuses %j', (schema, value, fault) => {
    expect(faultOf(schema, value)).toBe(fault);
  });

  it.each(['^[a-z]+$', '\\u0041|abc', '(?<word>abc)', '^\\w{3}$'])(
    '%s lets through what it means',
    (pattern) => {
      expect(faultOf(withPattern(pattern), { name: 'abc' })).toBeUndefined();
    },
  );

  it.each(['(a+)+$', '^(a|aa)+$', '(.*a){20}'])(
    '[MCP-UP-3] a pattern that makes a backtracking engine think for ever is judged at once: %s',
    (pattern) => {
      const text = `${'a'.repeat(30_000)}!`;
      const isMatch = pattern === '(.*a){20}';
      expect(faultOf(withPattern(pattern), { name: text }) === undefined).toBe(isMatch);
    },
  );

  it.each([
    ['look-ahead', '(?=a)b'],
    ['a back reference', '(a)\\1'],
    ['no pattern', '('],
    ['a huge one', 'x'.repeat(3_000)],
  ])(
    'a pattern that is not linear, or none, leaves its member to the server and the others checked: %s',
    (_what, pattern) => {
      const schema = { ...withPattern(pattern), required: ['name', 'size'] };
      expect(faultOf(schema, { name: 'anything', size: 1 })).toBeUndefined();
      expect(faultOf(schema, { name: 'anything' })).toBe('size: is required');
    },
  );

  it('schemas of the same id do not meet', () => {
    const checks = new SchemaChecks();
    const strings = { $id: 'https://x.test/s', type: 'string' };
    const numbers = { $id: 'https://x.test/s', type: 'number' };
    expect(checks.of(strings)?.('a')).toBeUndefined();
    expect(checks.of(numbers)?.('a')).toBeDefined();
  });
});
