import type { FaceAgent, FaceDeps, FaceExchange } from '#face.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { Persona } from '#resources/persona/schema.ts';
import { ask } from '../../wire/gateway-calls.ts';

/** The agent that a path names: one behind the gateway, or a persona in front of it. */
export interface Addressed {
  /** Segment of the path; undefined at the default endpoint. */
  segment: string | undefined;
  /** The agent that a Task is sent to; undefined for a persona, whose entry workflow decides. */
  agent: FaceAgent | undefined;
  /** The agent that works: this one, or the one that the persona names. */
  behind: FaceAgent | undefined;
  persona: Persona | undefined;
}

/** The agent of a configured id, or the default one; undefined when there is none of that name. */
export function upstreamAgent(deps: FaceDeps, segment: string | undefined): FaceAgent | undefined {
  const agents = deps.agents();
  if (segment !== undefined) return agents.find(({ id }) => id === segment);
  return agents.find(({ isDefault }) => isDefault);
}

/** The agent that a path names, for this caller; a persona it may not see is unknown. */
export async function addressed(
  deps: FaceDeps,
  exchange: FaceExchange,
  segment: string | undefined,
): Promise<Addressed> {
  const agent = upstreamAgent(deps, segment);
  if (agent !== undefined) return { segment, agent, behind: agent, persona: undefined };
  if (segment === undefined) throw noAgent();
  const path = { persona_id: segment };
  const persona = await ask<Persona>(deps.gateway, 'getPersona', exchange.call({ path })).catch(
    (error: unknown) => {
      throw isHidden(error) ? noAgent() : error;
    },
  );
  const behind =
    deps.agents().find(({ route }) => route === persona.entry_workflow) ?? upstreamAgent(deps, undefined);
  return { segment, agent: undefined, behind, persona };
}

export function noAgent(): ProtocolError {
  return new ProtocolError(
    'resource_not_found',
    'No agent of this name here. GET /v1/agent-card lists the agents.',
  );
}

function isHidden(error: unknown): boolean {
  return error instanceof ProtocolError && ['resource_not_found', 'permission_denied'].includes(error.code);
}
