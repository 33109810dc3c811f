import { code, type SourceTree } from './source-tree.ts';
import { isNode, lineAt, nameOf, placesOf, type SyntaxNode } from './syntax.ts';

// The brackets keep these lines from finding themselves.
const CHECK_SWITCHED_OFF = /@ts-(?:ignore|nocheck)|eslint-d[i]sable|biome-i[g]nore/;
const WORK_PUT_OFF = /\b(?:T[O]DO|F[I]XME)\b/;
const EXPECTED_ERROR = /@ts-expect-e[r]ror/;

const TEST_FUNCTIONS = ['it', 'test', 'describe', 'suite', 'bench'];
const LEFT_OUT = ['skip', 'only', 'todo', 'fails'];

/** `any`, checks switched off, work put off, tests left out, and catch blocks that do nothing. */
export function shortcutFindings(tree: SourceTree): string[] {
  return code(tree).flatMap(([path, source]) => [
    ...markedLines(path, source),
    ...placesOf(source).flatMap(({ node }) => {
      const problem = shortcutIn(node);
      return problem === undefined ? [] : [`${path}:${lineAt(source, node.start)}: ${problem}`];
    }),
  ]);
}

function markedLines(path: string, source: string): string[] {
  // In a test, an error that stops being one fails `npm run types`; in the product the mark hides a fault.
  const isTest = path.startsWith('test/');
  return source.split('\n').flatMap((line, index) => {
    const mark =
      CHECK_SWITCHED_OFF.exec(line) ?? WORK_PUT_OFF.exec(line) ?? (isTest ? null : EXPECTED_ERROR.exec(line));
    return mark === null ? [] : [`${path}:${index + 1}: ${mark[0]}`];
  });
}

function shortcutIn(node: SyntaxNode): string | undefined {
  if (node.type === 'TSAnyKeyword') return 'the type any';
  if (node.type === 'CatchClause' && isEmptyBlock(node['body'])) return 'a catch block that does nothing';
  if (node.type !== 'MemberExpression') return undefined;
  const name = nameOf(node['property']) ?? '';
  return LEFT_OUT.includes(name) && TEST_FUNCTIONS.includes(rootOf(node))
    ? `a test left out by .${name}`
    : undefined;
}

function isEmptyBlock(node: unknown): boolean {
  return isNode(node) && Array.isArray(node['body']) && node['body'].length === 0;
}

/** The name a chain such as `describe.each(...).only` starts with. */
function rootOf(node: unknown): string {
  if (!isNode(node)) return '';
  return nameOf(node) ?? rootOf(node['object'] ?? node['callee'] ?? node['tag']);
}
