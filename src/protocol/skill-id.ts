/** Longest part of an agent's own skill id that is kept in ours. */
const KEPT_CHARS = 48;

/**
 * `a2a:shop` and `search` make `shop__search`; ids that cannot stand in a path are cut and made distinct by a hash. `sha256Hex`
 * gives the lower-case hex SHA-256 of a text: hashing stands outside the words.
 */
export function skillIdOf(route: string, id: string, sha256Hex: (text: string) => string): string {
  const agent = route.slice(route.indexOf(':') + 1);
  if (/^[A-Za-z0-9_.-]{1,64}$/.test(id)) return `${agent}__${id}`;
  const kept = id.replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, KEPT_CHARS);
  return `${agent}__${kept}-${sha256Hex(id).slice(0, 8)}`;
}
