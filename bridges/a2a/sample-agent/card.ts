import { AGENT_CARD_PATH, AgentCard } from '@a2a-js/sdk';
import { BEHAVIOURS } from './behaviour-table.ts';

export const RPC_PATH = '/rpc';
export const REST_PATH = '/rest';

const TEXT_MODES = ['text/plain'];
const OUTPUT_MODES = ['text/plain', 'text/csv', 'application/json'];

/** The A2A 1.0 card of the agent. `origin` has no trailing slash. */
export function sampleCard(origin: string): AgentCard {
  return AgentCard.fromJSON({
    name: 'Sample agent',
    description: 'Shows every A2A behaviour on request. The first word of a message chooses it.',
    version: '1.0.0',
    supportedInterfaces: [
      { url: origin + RPC_PATH, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: origin + REST_PATH, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url: origin + RPC_PATH, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: TEXT_MODES,
    defaultOutputModes: OUTPUT_MODES,
    skills: BEHAVIOURS.map(({ id, name, description, tags, examples }) => ({
      id,
      name,
      description,
      tags,
      examples,
    })),
  });
}

/** The served document: the 1.0 card with the members of a 0.3 card added, so that clients of both can read it. */
export function hybridCard(card: AgentCard, origin: string): object {
  const url = origin + RPC_PATH;
  return {
    ...(AgentCard.toJSON(card) as object),
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url, transport: 'JSONRPC' }],
  };
}

/** Where the agent is said to be while no process of it runs: a name that is nobody's address elsewhere. Spec: RFC 6761, 6.3. */
const UNSTARTED_ORIGIN = 'http://sample-agent.localhost';

/** The card that the agent will serve, with the URL it is read at, before the agent has an address. */
export function unstartedCard(): { url: string; text: string } {
  const served = hybridCard(sampleCard(UNSTARTED_ORIGIN), UNSTARTED_ORIGIN);
  return { url: `${UNSTARTED_ORIGIN}/${AGENT_CARD_PATH}`, text: JSON.stringify(served) };
}
