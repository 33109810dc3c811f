import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { headerFault } from '../../../../bridges/mcp/client/tools.ts';

const header = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name });
const schema = (properties: object) => ({ type: 'object', properties }) as unknown as JsonObject;

describe('headers that a tool wants of its arguments', () => {
  it.each([
    ['none', {}],
    ['each primitive', { a: header('A'), b: header('B', 'integer'), c: header('C', 'boolean') }],
    ['inside an object', { outer: { type: 'object', properties: { a: header('A') } } }],
    ['an argument that is called so', { 'x-mcp-header': { type: 'string' } }],
    ['a default that looks so', { a: { type: 'object', default: { 'x-mcp-header': '' } } }],
  ])('[MCP-UP-11] may be: %s', (_what, properties) => {
    expect(headerFault(schema(properties))).toBeUndefined();
  });

  it.each([
    ['an empty name', { a: header('') }, '/properties/a'],
    ['no text', { a: header(7) }, '/properties/a'],
    ['a space', { a: header('My Region') }, '/properties/a'],
    ['a colon', { a: header('Region:Primary') }, '/properties/a'],
    ['a line break', { a: header('Region\n') }, '/properties/a'],
    ['letters beyond ASCII', { a: header('Région') }, '/properties/a'],
    ['a number, which everybody spells another way', { a: header('A', 'number') }, '/properties/a'],
    ['an object', { a: header('A', 'object') }, '/properties/a'],
    ['no type', { a: { 'x-mcp-header': 'A' } }, '/properties/a'],
    ['the same name twice', { a: header('Region'), b: header('REGION') }, '/properties/b'],
    ['an item of an array', { a: { type: 'array', items: header('A') } }, '/properties/a/items'],
    ['one of several forms', { a: { anyOf: [header('A')] } }, '/properties/a/anyOf/0'],
  ])('[MCP-UP-11] may not be: %s', (_what, properties, path) => {
    expect(headerFault(schema(properties))).toContain(`inputSchema${path}: `);
  });

  it('[MCP-UP-11] may not stand at the whole', () => {
    expect(headerFault({ ...header('A', 'object') } as JsonObject)).toContain('inputSchema: ');
  });
});
