import { productCode, type SourceTree } from './source-tree.ts';
import { isNode, lineAt, nameOf, placesOf, type SyntaxNode } from './syntax.ts';

const COMMAND_LINE = /^src\/(cli\/|resources\/.*[/-]cli\.ts$)/;
const API = /^\/v1(\/|$)/;

/** Calls of the command line that the types of the OpenAPI document do not check. */
export function untypedCallFindings(tree: SourceTree): string[] {
  return productCode(tree)
    .filter(([path]) => COMMAND_LINE.test(path))
    .flatMap(([path, source]) =>
      placesOf(source).flatMap(({ node }) => {
        const problem = untypedIn(node);
        return problem === undefined ? [] : [`${path}:${lineAt(source, node.start)}: ${problem}`];
      }),
    );
}

function untypedIn(node: SyntaxNode): string | undefined {
  if (node.type === 'MemberExpression' && nameOf(node['property']) === 'http')
    return 'calls past the typed client';
  if (isCastCall(node)) return 'an answer of a type that the caller says';
  if (isWrittenOut(node)) return 'a path that is written out: take that of the OpenAPI document, with params';
  return undefined;
}

/** `client.json<Task>(...)`. */
function isCastCall({ type, callee, typeArguments }: SyntaxNode): boolean {
  if (type !== 'CallExpression' || !isNode(callee) || !isNode(typeArguments)) return false;
  return nameOf(callee['property']) === 'json';
}

/** `/v1/tasks/${id}`, and the same put together with `+`. */
function isWrittenOut(node: SyntaxNode): boolean {
  if (node.type === 'TemplateLiteral') {
    const { quasis, expressions } = node as { quasis?: unknown; expressions?: unknown };
    const [first] = Array.isArray(quasis) ? quasis : [];
    const isFilled = Array.isArray(expressions) && expressions.length > 0;
    return isFilled && isNode(first) && API.test(String((first['value'] as { raw?: unknown })?.raw));
  }
  if (node.type !== 'BinaryExpression' || node['operator'] !== '+') return false;
  return isNode(node['left']) && API.test(String(node['left']['value']));
}
