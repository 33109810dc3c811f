import { posix } from 'node:path';
import { isNode, lineAt, nameOf, placesOf, type SyntaxNode } from './syntax.ts';

/** One import, re-export, dynamic import, require or import type. */
export interface Import {
  /** The importing file. */
  readonly from: string;
  readonly line: number;
  /** As written; undefined when it is computed, so that no rule can judge it. */
  readonly specifier: string | undefined;
  /** Path from the package root of a file of this package. */
  readonly target: string | undefined;
  /** True when nothing is left of it at run time. */
  readonly typeOnly: boolean;
  /** True for `import('...')`, which loads the file when it is called. */
  readonly onDemand: boolean;
}

type Found = Pick<Import, 'typeOnly'> & { source: unknown };

export function importsOf(path: string, source: string): Import[] {
  return placesOf(source).flatMap(({ node }) => {
    const found = importIn(node);
    if (found === undefined) return [];
    const value = isNode(found.source) && found.source.type === 'Literal' ? found.source['value'] : undefined;
    const specifier = typeof value === 'string' ? value : undefined;
    return [
      {
        from: path,
        line: lineAt(source, node.start),
        specifier,
        target: specifier === undefined ? undefined : targetOf(path, specifier),
        typeOnly: found.typeOnly,
        onDemand: node.type === 'ImportExpression',
      },
    ];
  });
}

/** A relative path, or one from `src` as package.json has it: `#core/load.ts` is src/core/load.ts. */
export function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}`;
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined;
}

function importIn(node: SyntaxNode): Found | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
      return { source: node['source'], typeOnly: node['importKind'] === 'type' };
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return isNode(node['source'])
        ? { source: node['source'], typeOnly: node['exportKind'] === 'type' }
        : undefined;
    case 'ImportExpression':
      return { source: node['source'], typeOnly: false };
    case 'TSImportType':
      return { source: node['source'], typeOnly: true };
    case 'TSExternalModuleReference':
      return { source: node['expression'], typeOnly: false };
    case 'CallExpression':
      return nameOf(node['callee']) === 'require'
        ? { source: Array.isArray(node['arguments']) ? node['arguments'][0] : undefined, typeOnly: false }
        : undefined;
    default:
      return undefined;
  }
}
