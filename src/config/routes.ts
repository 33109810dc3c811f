/** Id of the bundled agent that serves until `upstreams.a2a` is set. */
export const SAMPLE_AGENT_ID = 'sample';

/** The routes a task can take, in the order of the configuration. The first one is the default. */
export function configuredRoutes(a2a: readonly { id: string }[] | undefined): string[] {
  return (a2a ?? [{ id: SAMPLE_AGENT_ID }]).map(({ id }) => `a2a:${id}`);
}
