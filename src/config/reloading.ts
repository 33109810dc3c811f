import { isDeepStrictEqual } from 'node:util';
import type { Config } from './load.ts';
import type { SectionName } from './schema.ts';

/** How a changed section takes effect: while the gateway runs, or at its next start. */
export const TAKES_EFFECT = {
  server: 'restart',
  store: 'restart',
  auth: 'live',
  tenants: 'live',
  workspaces: 'live',
  vaults: 'live',
  upstreams: 'live',
  resilience: 'live',
  routing: 'live',
  personas: 'live',
  catalog: 'live',
  policy: 'live',
  sessions: 'live',
  quotas: 'live',
  receipts: 'restart',
  retention: 'restart',
  connectors: 'live',
  outbound: 'restart',
  limits: 'restart',
  rate_limits: 'live',
  telemetry: 'restart',
  console: 'restart',
} as const satisfies Record<SectionName, 'live' | 'restart'>;

/** Options of such sections that take effect at once all the same. */
const LIVE_OPTIONS: ReadonlySet<string> = new Set(['server.tls.cert', 'server.tls.key']);

/**
 * Options by which others are judged: whether callers need a key, whether a credential may go over plain HTTP, where files are. A
 * file that changes one of them is right as a whole only, so that nothing of it is applied.
 */
const FOUNDATIONS: ReadonlySet<string> = new Set(['server.host', 'server.insecure', 'store.data']);

const SECTIONS = Object.keys(TAKES_EFFECT) as SectionName[];

/** What becomes of the changes of a configuration. */
export interface ReloadPlan {
  /** Options that take effect now, for example `upstreams.acp`. */
  applied: readonly string[];
  /** Options that stay as they are until the next start. */
  needsRestart: readonly string[];
  /** The configuration in effect afterwards. */
  effective: Config;
}

/** Compares two configurations; both stay as they are. */
export function planReload(running: Config, next: Config): ReloadPlan {
  const changed = SECTIONS.flatMap((name) => changes([name], running[name], next[name]));
  if (changed.some((option) => FOUNDATIONS.has(option)))
    return { applied: [], needsRestart: changed, effective: running };
  const isLive = (option: string) => LIVE_OPTIONS.has(option) || TAKES_EFFECT[sectionOf(option)] === 'live';
  const kept = Object.fromEntries(
    SECTIONS.filter((name) => TAKES_EFFECT[name] === 'restart').map((name) => [name, running[name]]),
  );
  const { tls } = running.server;
  const server =
    tls === undefined || next.server.tls === undefined
      ? running.server
      : { ...running.server, tls: { ...tls, cert: next.server.tls.cert, key: next.server.tls.key } };
  return {
    applied: changed.filter(isLive),
    needsRestart: changed.filter((option) => !isLive(option)),
    effective: { ...next, ...kept, server },
  };
}

/** `upstreams.acp[0].id` is of `upstreams`. */
function sectionOf(option: string): SectionName {
  return SECTIONS.find((name) => option === name || option.startsWith(`${name}.`)) ?? 'server';
}

/** Lists are compared whole: what a row is next to may matter. */
function changes(path: readonly string[], before: unknown, after: unknown): string[] {
  if (isMap(before) && isMap(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => changes([...path, name], before[name], after[name]));
  }
  return isDeepStrictEqual(before, after) ? [] : [path.join('.')];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
