import type { JsonObject } from '#protocol/json.ts';
import { SUPPORTED_VERSIONS } from '#protocol/versions.ts';
import type { A2aAgentCard } from '#resources/discovery/schema.ts';

/** A callable capability of an agent behind the gateway. */
export interface DescribedSkill {
  id: string;
  name: string;
  description: string;
  tags: readonly string[];
  examples?: readonly string[] | undefined;
  inputModes?: readonly string[] | undefined;
  outputModes?: readonly string[] | undefined;
}

/** What a card needs to know of an agent behind the gateway. */
export interface DescribedAgent {
  name: string;
  description: string;
  version: string;
  skills: readonly DescribedSkill[];
  inputModes: readonly string[];
  outputModes: readonly string[];
  provider?: { organization: string; url: string } | undefined;
  documentationUrl?: string | undefined;
  iconUrl?: string | undefined;
  /** Passed on both ways, after those of the gateway. */
  extensions?: readonly JsonObject[] | undefined;
}

/** How the gateway speaks A2A: the same for every agent, below the base path of each. */
export interface A2aOffer {
  /** In order of preference; empty while the gateway serves no A2A. */
  bindings: readonly { protocolBinding: string; protocolVersion: string }[];
  pushNotifications: boolean;
  extendedAgentCard: boolean;
  extensions: readonly JsonObject[];
}

export interface A2aCardFacts {
  agent: DescribedAgent;
  /** How its clients name it over gRPC, where the address names no agent; undefined for the default one. */
  tenant?: string | undefined;
  /** Where gRPC is served, `host:port`; undefined where it is not. */
  grpcAddress?: string | undefined;
  /** Where the agent is reached by A2A. */
  baseUrl: string;
  /** Origin that clients use, without a trailing slash. */
  publicUrl: string;
  offer: A2aOffer;
}

/** Names the Harn protocol as an A2A interface. */
const HARN_BINDING = 'https://harnlang.com/spec/agents-protocol/v1';
/**
 * Names of the security schemes. The versions spell them differently, and an entry that mixes both is read by neither for sure.
 * That of 0.3 is the first, in the order given and in canonical order: @a2a-js/sdk 0.3.14 judges by it which spelling a card has.
 */
const SCHEME_V03 = 'bearer';
const SCHEME_V1 = 'bearer_v1';
const GRPC = 'GRPC';
const LEGACY = '0.3';
const LEGACY_VERSION = '0.3.0';
const PROVIDER = { organization: 'harn-gateway', url: 'https://harnlang.com' };

/** What a credential must hold to run a task; named because an empty list breaks the signatures of some readers. */
const SCOPES = ['tasks:read', 'tasks:write'];

/**
 * One card that satisfies readers of A2A 1.0 and 0.3, with the URLs of the gateway only. What the versions spell differently
 * stands in entries of its own for each. No member is empty and every text is in Unicode form C, because readers canonicalize
 * those differently. Source: A2A 1.0, 8.4; see README.md, One card for all readers.
 */
export function a2aCard(facts: A2aCardFacts): A2aAgentCard {
  const { securitySchemes, ...card } = membersV1(facts);
  return normalized({
    ...card,
    ...interfacesV03(facts),
    ...(facts.offer.extendedAgentCard ? { supportsAuthenticatedExtendedCard: true } : {}),
    securitySchemes: { [SCHEME_V03]: { type: 'http', scheme: 'bearer' }, ...securitySchemes },
    security: [{ [SCHEME_V03]: SCOPES }],
  }) as A2aAgentCard;
}

/** The same with the members of A2A 1.0 alone. */
export function a2aCardV1(facts: A2aCardFacts): JsonObject {
  return normalized(membersV1(facts)) as JsonObject;
}

function membersV1(facts: A2aCardFacts) {
  const { agent, offer } = facts;
  const extensions = [...offer.extensions, ...(agent.extensions ?? [])];
  return {
    name: agent.name,
    description: agent.description || agent.name,
    version: agent.version,
    provider: agent.provider ?? PROVIDER,
    ...links(agent),
    supportedInterfaces: [...spokenAt(facts), ...harnInterfaces(facts)],
    capabilities: {
      streaming: true,
      pushNotifications: offer.pushNotifications,
      ...(offer.extendedAgentCard ? { extendedAgentCard: true } : {}),
      ...(extensions.length > 0 ? { extensions } : {}),
    },
    securitySchemes: { [SCHEME_V1]: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
    securityRequirements: [{ schemes: { [SCHEME_V1]: { list: SCOPES } } }],
    defaultInputModes: modes(agent.inputModes),
    defaultOutputModes: modes(agent.outputModes),
    skills: agent.skills.map(skillOf),
  };
}

/** An address of gRPC names no agent: 1.0 has tenants for that, and 0.3 nothing. */
function spokenAt({ baseUrl, offer, grpcAddress, tenant }: A2aCardFacts) {
  return offer.bindings.flatMap((binding) => {
    if (binding.protocolBinding !== GRPC) return [{ url: baseUrl, ...binding }];
    if (grpcAddress === undefined || (tenant !== undefined && binding.protocolVersion === LEGACY)) return [];
    return [{ url: grpcAddress, ...binding, ...(tenant === undefined ? {} : { tenant }) }];
  });
}

/** One entry for each version, whatever the reader asks in: the card is signed once for all of them. */
function harnInterfaces({ publicUrl }: A2aCardFacts) {
  const url = `${publicUrl}/v1`;
  return SUPPORTED_VERSIONS.map((protocolVersion) => ({
    url,
    protocolBinding: HARN_BINDING,
    protocolVersion,
  }));
}

/**
 * The members by which readers of 0.3 learn where to call. They hold what 0.3 has a word for: strict readers refuse a card with
 * any other transport. While no 0.3 is spoken, the required ones name the Harn interface.
 */
function interfacesV03(facts: A2aCardFacts) {
  const old = spokenAt(facts).filter(({ protocolVersion }) => protocolVersion === LEGACY);
  const preferred = old[0] ?? { url: `${facts.publicUrl}/v1`, protocolBinding: HARN_BINDING };
  return {
    protocolVersion: LEGACY_VERSION,
    url: preferred.url,
    preferredTransport: preferred.protocolBinding,
    additionalInterfaces: old.map(({ url, protocolBinding }) => ({ url, transport: protocolBinding })),
  };
}

function links({ documentationUrl, iconUrl }: DescribedAgent) {
  return {
    ...(documentationUrl ? { documentationUrl } : {}),
    ...(iconUrl ? { iconUrl } : {}),
  };
}

/** Every skill has a tag: A2A requires the member. */
function skillOf(skill: DescribedSkill): A2aAgentCard['skills'][number] {
  const { examples = [], inputModes = [], outputModes = [] } = skill;
  return {
    id: skill.id,
    name: skill.name || skill.id,
    description: skill.description || skill.name || skill.id,
    tags: skill.tags.length > 0 ? [...skill.tags] : ['agent'],
    ...(examples.length > 0 ? { examples: [...examples] } : {}),
    ...(inputModes.length > 0 ? { inputModes: [...inputModes] } : {}),
    ...(outputModes.length > 0 ? { outputModes: [...outputModes] } : {}),
  };
}

function modes(found: readonly string[]): string[] {
  return found.length === 0 ? ['text/plain'] : [...new Set(found)];
}

/** The same value with every text in Unicode form C. */
function normalized(value: unknown): unknown {
  if (typeof value === 'string') return value.normalize('NFC');
  if (Array.isArray(value)) return value.map(normalized);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, normalized(member)]));
}
