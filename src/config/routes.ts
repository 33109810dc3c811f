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
  const kinds = { ...upstreams, a2a: upstreams.a2a ?? [{ id: SAMPLE_AGENT_ID }] };
  return Object.entries(kinds).flatMap(([kind, rows]) => rows.map(({ id }, index) => ({ kind, id, index })));
}

/** The routes a task can take, in the order of the configuration. The first one is the default. */
export function configuredRoutes(upstreams: UpstreamIds): string[] {
  return configuredUpstreams(upstreams).map(({ kind, id }) => `${kind}:${id}`);
}
