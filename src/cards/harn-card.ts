import { DEFAULT_VERSION, type VersionId } from '#protocol/versions.ts';
import type { A2aAgentCard, HarnAgentCard } from '#resources/discovery/schema.ts';
import { OPERATIONS, type OperationRow } from '#resources/operations.ts';
import type { DescribedAgent, DescribedSkill } from './a2a-card.ts';

export interface HarnCardFacts {
  agents: readonly DescribedAgent[];
  /** The A2A card of the agent that runs what names no route. */
  a2aCard: A2aAgentCard;
  /** Where the default agent is reached by A2A; undefined while the gateway serves none. */
  a2aUrl: string | undefined;
  /** Origin that clients use, without a trailing slash. */
  publicUrl: string;
  /** RFC 3339 time of the start; cards are not stored. */
  createdAt: string;
}

const GATEWAY_NAME = 'Harn gateway';
const GATEWAY_DESCRIPTION = 'Durable sessions, tasks, events and artifacts in front of existing agents.';
const PROVIDER = { organization: 'harn-gateway', url: 'https://harnlang.com' };

/** What can be read here, off the operations table, so that the card names what is served and no more. */
const COLLECTIONS = [
  ...new Set(
    Object.values<OperationRow>(OPERATIONS).flatMap(({ scope }) => /^(\w+):read$/.exec(scope)?.[1] ?? []),
  ),
];

/** The unsigned card with the union of the fields that current and older clients read. See README.md, One card for all readers. */
export function harnCard(
  facts: HarnCardFacts,
  object: HarnAgentCard['object'],
  version: VersionId = DEFAULT_VERSION,
): HarnAgentCard {
  const { publicUrl, a2aUrl, a2aCard, createdAt } = facts;
  const interfaces: HarnAgentCard['interfaces'] = [
    { transport: 'rest', url: `${publicUrl}/v1` },
    { transport: 'sse', url: `${publicUrl}/v1/events/stream` },
    { transport: 'websocket', url: `${publicUrl.replace(/^http/, 'ws')}/v1/ws` },
    ...(a2aUrl === undefined ? [] : [{ transport: 'a2a' as const, url: a2aUrl }]),
  ];
  return {
    id: 'card_default',
    object,
    created_at: createdAt,
    updated_at: createdAt,
    metadata: {},
    name: nameOf(facts),
    description: descriptionOf(facts),
    protocol_version: version,
    a2a_card: a2aCard,
    a2a_agent_card: a2aCard,
    skills: skillsOf(facts).map((skill) => skillResource(skill, createdAt)),
    interfaces,
    harn_interfaces: interfaces,
    persona_ids: [],
    capabilities: COLLECTIONS,
    auth_schemes: ['bearer'],
    receipt_policy: 'required',
    provider: PROVIDER,
    public_url: publicUrl,
    signature: null,
  };
}

function skillResource(skill: DescribedSkill, createdAt: string): HarnAgentCard['skills'][number] {
  return {
    id: skill.id,
    object: 'skill',
    created_at: createdAt,
    updated_at: createdAt,
    metadata: { tags: [...skill.tags] },
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

function nameOf({ agents }: HarnCardFacts): string {
  const [only] = agents;
  return agents.length === 1 && only !== undefined ? only.name : GATEWAY_NAME;
}

function descriptionOf({ agents }: HarnCardFacts): string {
  const [only] = agents;
  return agents.length === 1 && only !== undefined && only.description !== ''
    ? only.description
    : GATEWAY_DESCRIPTION;
}

/** Skills of all agents; of two with one id the first counts. */
function skillsOf({ agents }: HarnCardFacts): DescribedSkill[] {
  const byId = new Map<string, DescribedSkill>();
  for (const skill of agents.flatMap((agent) => agent.skills)) {
    if (!byId.has(skill.id)) byId.set(skill.id, skill);
  }
  return [...byId.values()];
}
