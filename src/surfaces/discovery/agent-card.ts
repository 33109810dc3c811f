import { OPERATIONS, type OperationRow } from '../../protocol/operations.ts';
import type { A2aAgentCard, HarnAgentCard } from '../../protocol/resources/discovery.ts';
import { CURRENT_VERSION } from '../../protocol/version.ts';

/** A callable capability of an agent behind the gateway. */
export interface DescribedSkill {
  id: string;
  name: string;
  description: string;
  tags: string[];
  examples?: string[];
}

/** What the card needs to know of an agent behind the gateway. */
export interface DescribedAgent {
  name: string;
  description: string;
  skills: DescribedSkill[];
  inputModes: string[];
  outputModes: string[];
}

export interface CardFacts {
  agents: readonly DescribedAgent[];
  /** Origin that clients use, without a trailing slash. */
  publicUrl: string;
  /** Version of the gateway. */
  version: string;
  /** RFC 3339 time of the start; cards are not stored. */
  createdAt: string;
}

/** Names the Harn protocol as an A2A interface; A2A's own bindings are listed once that face exists. */
const HARN_BINDING = 'https://harnlang.com/spec/agents-protocol/v1';
const A2A_LEGACY_VERSION = '0.3.0';
const GATEWAY_NAME = 'Harn gateway';
const GATEWAY_DESCRIPTION = 'Durable sessions, tasks, events and artifacts in front of existing agents.';
const PROVIDER = { organization: 'harn-gateway', url: 'https://harnlang.com' };

/** What can be read here, off the operations table, so that the card names what is served and no more. */
const COLLECTIONS = [
  ...new Set(
    Object.values<OperationRow>(OPERATIONS).flatMap(({ scope }) => /^(\w+):read$/.exec(scope)?.[1] ?? []),
  ),
];

/** The card with the union of the fields that current and older clients read. Source: contract C1. */
export function agentCard(facts: CardFacts, object: HarnAgentCard['object']): HarnAgentCard {
  const a2aCard = a2aAgentCard(facts);
  const interfaces: HarnAgentCard['interfaces'] = [
    { transport: 'rest', url: `${facts.publicUrl}/v1` },
    { transport: 'sse', url: `${facts.publicUrl}/v1/events/stream` },
    { transport: 'websocket', url: `${facts.publicUrl.replace(/^http/, 'ws')}/v1/ws` },
  ];
  return {
    id: 'card_default',
    object,
    created_at: facts.createdAt,
    updated_at: facts.createdAt,
    metadata: {},
    name: nameOf(facts),
    description: descriptionOf(facts),
    protocol_version: CURRENT_VERSION,
    a2a_card: a2aCard,
    a2a_agent_card: a2aCard,
    skills: skillsOf(facts).map((skill) => skillResource(skill, facts.createdAt)),
    interfaces,
    harn_interfaces: interfaces,
    persona_ids: [],
    capabilities: COLLECTIONS,
    auth_schemes: ['bearer'],
    receipt_policy: 'disabled',
    provider: PROVIDER,
    public_url: facts.publicUrl,
    signature: null,
  };
}

/** One card that satisfies A2A 1.0 and 0.3 readers. Source: contract C3. */
function a2aAgentCard(facts: CardFacts): A2aAgentCard {
  const url = `${facts.publicUrl}/v1`;
  return {
    name: nameOf(facts),
    description: descriptionOf(facts),
    version: facts.version,
    provider: PROVIDER,
    supportedInterfaces: [{ url, protocolBinding: HARN_BINDING, protocolVersion: CURRENT_VERSION }],
    protocolVersion: A2A_LEGACY_VERSION,
    url,
    preferredTransport: HARN_BINDING,
    additionalInterfaces: [{ url, transport: HARN_BINDING }],
    capabilities: { streaming: true, pushNotifications: false },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', httpAuthSecurityScheme: { scheme: 'bearer' } },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    security: [{ bearer: [] }],
    defaultInputModes: modes(facts.agents.flatMap((agent) => agent.inputModes)),
    defaultOutputModes: modes(facts.agents.flatMap((agent) => agent.outputModes)),
    skills: skillsOf(facts).map(a2aSkill),
  };
}

/** Every skill has a tag: A2A requires the member, and an empty one breaks card signatures of some readers. */
function a2aSkill(skill: DescribedSkill): A2aAgentCard['skills'][number] {
  return {
    id: skill.id,
    name: skill.name,
    description: skill.description,
    tags: skill.tags.length > 0 ? skill.tags : ['agent'],
    ...(skill.examples === undefined ? {} : { examples: skill.examples }),
  };
}

function skillResource(skill: DescribedSkill, createdAt: string): HarnAgentCard['skills'][number] {
  return {
    id: skill.id,
    object: 'skill',
    created_at: createdAt,
    updated_at: createdAt,
    metadata: { tags: skill.tags },
    name: skill.name,
    description: skill.description,
    input_schema: null,
    output_schema: null,
    source: null,
    version: null,
    capabilities: [],
    requires_approval: false,
    deprecated: false,
  };
}

function nameOf({ agents }: CardFacts): string {
  const [only] = agents;
  return agents.length === 1 && only !== undefined ? only.name : GATEWAY_NAME;
}

function descriptionOf({ agents }: CardFacts): string {
  const [only] = agents;
  return agents.length === 1 && only !== undefined && only.description !== ''
    ? only.description
    : GATEWAY_DESCRIPTION;
}

/** Skills of all agents; of two with one id the first counts. */
function skillsOf({ agents }: CardFacts): DescribedSkill[] {
  const byId = new Map<string, DescribedSkill>();
  for (const skill of agents.flatMap((agent) => agent.skills)) {
    if (!byId.has(skill.id)) byId.set(skill.id, skill);
  }
  return [...byId.values()];
}

function modes(found: string[]): string[] {
  return found.length === 0 ? ['text/plain'] : [...new Set(found)];
}
