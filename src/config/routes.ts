/** Id of the bundled agent that serves until `upstreams.a2a` is set. */
export const SAMPLE_AGENT_ID = 'sample';

/** The lists of a section `upstreams`, by kind. */
export interface UpstreamIds {
  a2a?: readonly { id: string }[] | undefined;
  acp: readonly { id: string }[];
  mcp: readonly { id: string }[];
}

/** Every configured upstream with its kind and its place in the list, the bundled agent included. */
export function configuredUpstreams(upstreams: UpstreamIds): { kind: string; id: string; index: number }[] {
  const { a2a = [{ id: SAMPLE_AGENT_ID }], acp, mcp } = upstreams;
  return Object.entries({ a2a, acp, mcp }).flatMap(([kind, rows]) =>
    rows.map(({ id }, index) => ({ kind, id, index })),
  );
}

/** The routes a task can take, by kind in the order of the configuration. */
export function configuredRoutes(upstreams: UpstreamIds): string[] {
  return configuredUpstreams(upstreams).map(({ kind, id }) => `${kind}:${id}`);
}

/** Where a task goes that names no route, and why, in the words of `check`. */
export interface DefaultRoute {
  /** Undefined: such a task is refused. */
  route: string | undefined;
  reason: string;
}

/**
 * The one rule of the default route: `routing.default`, else the first agent of `upstreams.a2a`, else the first of
 * `upstreams.acp`, else the bundled sample agent while it serves. An MCP server runs tools by name, so it is the default
 * only where `routing.default` says so.
 */
export function defaultRouteOf(upstreams: UpstreamIds, chosen: string | undefined): DefaultRoute {
  if (chosen !== undefined) return { route: chosen, reason: 'routing.default says so' };
  const { a2a, acp } = upstreams;
  const [own] = configuredUpstreams({ a2a: a2a ?? [], acp, mcp: [] });
  if (own !== undefined)
    return { route: `${own.kind}:${own.id}`, reason: `the first agent of upstreams.${own.kind}` };
  if (a2a === undefined)
    return { route: `a2a:${SAMPLE_AGENT_ID}`, reason: 'the bundled sample agent: no agent is configured' };
  return { route: undefined, reason: 'no agent is configured; set routing.default, or add an agent' };
}

/** True for a route that runs whatever it is asked: an agent, not a server of tools. */
export function isAgentRoute(route: string): boolean {
  return !route.startsWith('mcp:');
}
