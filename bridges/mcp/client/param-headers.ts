import type { JsonValue } from '#protocol/json.ts';
import { objectOf } from '../object-of.ts';

/** Keyword by which a server wants an argument told in a header too. */
const KEYWORD = 'x-mcp-header';
/** Types whose values are spelled the same by everybody; a number is not. */
const PRIMITIVES = ['string', 'integer', 'boolean'];
/** Spec: RFC 9110, "Tokens". */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Keywords whose values are data and no schemas. */
const DATA = ['const', 'default', 'enum', 'examples', 'required'];

/**
 * What is wrong with the headers that a tool wants of its arguments; undefined when nothing is. A client must not use a tool
 * of which anything is wrong. Spec: MCP 2026-07-28, "Streamable HTTP", `x-mcp-header`.
 */
export function headerFault(inputSchema: JsonValue): string | undefined {
  const names = new Set<string>();
  const visit = (schema: JsonValue | undefined, path: string, isArgument: boolean): string | undefined => {
    if (typeof schema !== 'object' || schema === null) return undefined;
    if (Array.isArray(schema))
      return first(schema.map((item, at) => () => visit(item, `${path}/${at}`, false)));
    const fault = KEYWORD in schema ? faultOf(schema, isArgument && path !== '', names) : undefined;
    if (fault !== undefined) return `inputSchema${path}: ${fault}`;
    const { properties, ...others } = schema;
    const inner = Object.entries(others).filter(([word]) => word !== KEYWORD && !DATA.includes(word));
    return first([
      ...Object.entries(objectOf(properties)).map(
        ([name, child]) =>
          () =>
            visit(child, `${path}/properties/${name}`, isArgument),
      ),
      ...inner.map(
        ([word, child]) =>
          () =>
            visit(child, `${path}/${word}`, false),
      ),
    ]);
  };
  return visit(inputSchema, '', true);
}

function faultOf(
  schema: { [name: string]: JsonValue },
  isArgument: boolean,
  names: Set<string>,
): string | undefined {
  const { [KEYWORD]: name, type } = schema;
  if (!isArgument) return `${KEYWORD} stands at no argument`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return `${KEYWORD} is no name of a header`;
  if (typeof type !== 'string' || !PRIMITIVES.includes(type))
    return `${KEYWORD} stands at no string, integer or boolean`;
  if (names.has(name.toLowerCase())) return `${KEYWORD} names a header twice`;
  names.add(name.toLowerCase());
  return undefined;
}

function first(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const fault = check();
    if (fault !== undefined) return fault;
  }
  return undefined;
}
