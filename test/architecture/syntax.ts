// TypeScript 7 has no stable parser API yet; vitest brings one (oxc), and only this file knows of it.
import { parseAst } from 'vitest/node';

/** A node of the syntax tree in ESTree spelling; `start` and `end` count UTF-16 units. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** A node with the one that holds it and the member it is found under. */
export interface Place {
  readonly node: SyntaxNode;
  readonly parent: SyntaxNode | undefined;
  readonly member: string;
}

const parsed = new Map<string, readonly Place[]>();

/** All nodes of a TypeScript source, outer before inner. Throws for a source that is no TypeScript. */
export function placesOf(source: string): readonly Place[] {
  const known = parsed.get(source);
  if (known !== undefined) return known;
  const places: Place[] = [];
  visit(parseAst(source, { lang: 'ts' }), undefined, '', places);
  parsed.set(source, places);
  return places;
}

/** All nodes of one type. */
export function nodesOf(source: string, type: string): SyntaxNode[] {
  return placesOf(source).flatMap(({ node }) => (node.type === type ? [node] : []));
}

/** Line of an offset, counted from 1. */
export function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}

/** The name of an identifier, or undefined for any other node. */
export function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' && typeof node['name'] === 'string'
    ? node['name']
    : undefined;
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function visit(value: unknown, parent: SyntaxNode | undefined, member: string, places: Place[]): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, parent, member, places);
  } else if (isNode(value)) {
    places.push({ node: value, parent, member });
    for (const [name, child] of Object.entries(value)) visit(child, value, name, places);
  }
}
