import { OPERATIONS, type OperationId, operation, type StreamId } from '#resources/operations.ts';
import { OPEN_SOCKET, STREAM_WORDS, type StreamWord } from './frames.ts';

/** Where an upgrade goes: one stream, or a socket for many. */
export interface UpgradeTarget {
  id: StreamId | typeof OPEN_SOCKET;
  /** Path pattern, for the log. */
  route: string;
  path: Record<string, string>;
}

interface PathRow {
  id: UpgradeTarget['id'];
  route: string;
  pattern: RegExp;
  params: string[];
}

/** Rows of the operations table that take upgrades. */
const PATHS: readonly PathRow[] = (Object.keys(OPERATIONS) as OperationId[])
  .filter((id) => operation(id).kind === 'stream' || id === OPEN_SOCKET)
  .map((id) => {
    const { path } = operation(id);
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '([^/]+)')}$`);
    const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    return { id: id as UpgradeTarget['id'], route: path, pattern, params };
  });

/** The target of an upgrade by its path, or undefined. The path has passed `checkTarget`. */
export function upgradeTarget(target: string): UpgradeTarget | undefined {
  const path = target.split('?', 1)[0] ?? '';
  for (const { id, route, pattern, params } of PATHS) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const values = params.map((name, at) => [name, decodeURIComponent(match[at + 1] ?? '')]);
    return { id, route, path: Object.fromEntries(values) };
  }
  return undefined;
}

/**
 * Name of a subscription: the same on every socket, so that its frames can be shared. `task:<id>`, `session:<id>`,
 * `events`, or `events?session_id=<id>` with the filters in the order of the table.
 */
export function subscriptionName(id: StreamId, values: Readonly<Record<string, unknown>>): string {
  const word = (Object.keys(STREAM_WORDS) as StreamWord[]).find((key) => STREAM_WORDS[key] === id) ?? id;
  const row = operation(id);
  const params = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => String(values[name]));
  const filters = Object.keys(row.query?.shape ?? {})
    .filter((name) => values[name] !== undefined)
    .map((name) => `${name}=${encodeURIComponent(String(values[name]))}`);
  return [word, ...params].join(':') + (filters.length === 0 ? '' : `?${filters.join('&')}`);
}
