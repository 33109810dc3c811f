/**
 * The target of a command as idempotency sees it: the operation's path with its parameters, percent-encoded one way,
 * and the query in name order. Different spellings of one target are one target.
 */
export function canonicalTarget(
  path: string,
  parameters: Record<string, string>,
  query: Record<string, string | string[]>,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  const pairs = Object.keys(query)
    .sort()
    .flatMap((name) =>
      [query[name] ?? []].flat().map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
    );
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}
