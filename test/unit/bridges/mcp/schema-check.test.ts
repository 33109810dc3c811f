import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import {
  MAX_CHECK_STEPS,
  MAX_SCHEMA_VALUES,
  SchemaChecks,
} from '../../../../bridges/mcp/client/schema-check.ts';

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

  it('a schema with more values than are compiled is left to the server, one with fewer is not', () => {
    const wide = (members: number): JsonObject => ({
      properties: Object.fromEntries(
        Array.from({ length: members }, (_, n) => [`m${n}`, { type: 'string' }]),
      ),
    });
    // Each member is a value and has one.
    const most = MAX_SCHEMA_VALUES / 2;
    expect(faultOf(wide(most), { m0: 1 })).toBe('m0: must be string');
    expect(new SchemaChecks().of(wide(most + 1))).toBeNull();
  });

  it('a check ends after its steps, without a fault', () => {
    const schema: JsonObject = { items: { enum: Array.from({ length: 99 }, (_, n) => n) } };
    const items = (count: number): JsonValue => [
      ...Array.from({ length: count }, () => 0),
      'not one of them',
    ];
    // An item costs its values and one step, the list itself one.
    const most = Math.floor((MAX_CHECK_STEPS - 1) / 100);
    expect(faultOf(schema, items(most - 1))).toMatch(/must be equal to one of the allowed values$/);
    expect(faultOf(schema, items(most))).toBeUndefined();
  });

  it.each<[string, JsonObject]>([
    ['by alternatives', { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }] }],
    ['from where no schema is', { anyOf: [{ $ref: '#/x/a' }, { $ref: '#/x/b' }] }],
  ])('a schema that doubles its work with each level is given up: %s', (_what, again) => {
    const branch = (title: string): JsonObject => ({ title, properties: { a: again }, minProperties: 1 });
    const defs = { a: branch('one'), b: branch('other') };
    const deep = Array.from({ length: 60 }).reduce<JsonValue>((inner) => ({ a: inner }), {});
    expect(faultOf({ ...again, $defs: defs, x: defs }, deep)).toBeUndefined();
  });

  it('a schema that refers to itself without end, or to data as a schema, is left to the server', () => {
    expect(faultOf({ allOf: [{ $ref: '#' }] }, { a: 1 })).toBeUndefined();
    expect(new SchemaChecks().of({ const: { allOf: [] }, not: { $ref: '#/const' } })).toBeNull();
  });

  it('items are compared by what they are, in time that grows with their number', () => {
    const schema: JsonObject = { properties: { a: { uniqueItems: true } } };
    const many = Array.from({ length: 50_000 }, (_, n) => ({ n, of: ['x'] }));
    expect(faultOf(schema, { a: many })).toBeUndefined();
    expect(faultOf(schema, { a: [...many, { of: ['x'], n: 7 }] })).toMatch(/^a: /);
    expect(faultOf(schema, { a: [1, '1', null, [1], true] })).toBeUndefined();
  });

  it('schemas of the same id do not meet', () => {
    const checks = new SchemaChecks();
    const strings = { $id: 'https://x.test/s', type: 'string' };
    const numbers = { $id: 'https://x.test/s', type: 'number' };
    expect(checks.of(strings)?.('a')).toBeUndefined();
    expect(checks.of(numbers)?.('a')).toBeDefined();
  });
});
