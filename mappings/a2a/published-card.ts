import type { JsonObject, JsonValue } from '../../src/protocol/json.ts';
import type { AgentDescription } from '../../src/upstream.ts';
import { isObject } from './events.ts';
import { HARN_EXTENSION } from './extension.ts';

export interface CardFacts {
  /** URL of the agent's endpoint here, without a trailing slash. */
  url: string;
  /** Version of the gateway, for an agent that says none. */
  version: string;
  name: string;
  /** What the agent behind says of itself; undefined while it has not been reached. */
  described: AgentDescription | undefined;
  pushNotifications: boolean;
}

const FALLBACK_DESCRIPTION = 'An agent behind a Harn gateway.';
const LEGACY_VERSION = '0.3.0';

/** Members of an agent's card that say what it is; where and how it is reached is the gateway's to say. */
const KEPT = ['provider', 'documentationUrl', 'iconUrl'] as const;

/**
 * The card under which an agent is served here: one document for readers of 1.0 and 0.3 (contract C3). Empty members are left
 * out and every skill has a tag, so that all readers sign and verify the same bytes. Unsigned. Source: notes/a2a.md 5.
 */
export function publishedCard(facts: CardFacts): JsonObject {
  const { url, described } = facts;
  const raw = isObject(described?.raw) ? described.raw : {};
  const interfaces = [
    { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
  ];
  return {
    name: facts.name,
    description: described?.description || FALLBACK_DESCRIPTION,
    version: described?.version || facts.version,
    ...Object.fromEntries(KEPT.flatMap((name) => (isFilled(raw[name]) ? [[name, raw[name]]] : []))),
    supportedInterfaces: interfaces,
    protocolVersion: LEGACY_VERSION,
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url, transport: 'JSONRPC' }],
    capabilities: {
      streaming: true,
      pushNotifications: facts.pushNotifications,
      extendedAgentCard: true,
      extensions: extensionsOf(raw),
    },
    supportsAuthenticatedExtendedCard: true,
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', httpAuthSecurityScheme: { scheme: 'bearer' } },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    security: [{ bearer: [] }],
    defaultInputModes: modes(described?.inputModes),
    defaultOutputModes: modes(described?.outputModes),
    skills: skillsOf(raw, described),
  };
}

/** URIs of the extensions a card offers. */
export function offeredExtensions(card: JsonObject): string[] {
  const { capabilities } = card;
  const listed = isObject(capabilities) ? capabilities['extensions'] : undefined;
  return Array.isArray(listed) ? listed.filter(isObject).map(({ uri }) => String(uri)) : [];
}

/** Extensions of the agent are passed on both ways; ours comes first. */
function extensionsOf(raw: JsonObject): JsonObject[] {
  const listed = isObject(raw['capabilities']) ? raw['capabilities']['extensions'] : undefined;
  const own = {
    uri: HARN_EXTENSION,
    description: 'Ids, events and facts of the Harn Agents Protocol in metadata.',
  };
  const theirs = Array.isArray(listed) ? listed.filter(isObject) : [];
  return [own, ...theirs.filter(({ uri }) => typeof uri === 'string' && uri !== HARN_EXTENSION)];
}

function skillsOf(raw: JsonObject, described: AgentDescription | undefined): JsonObject[] {
  const whole = new Map(
    (Array.isArray(raw['skills']) ? raw['skills'].filter(isObject) : []).map((skill) => [skill['id'], skill]),
  );
  return (described?.skills ?? []).map(({ id, name, description, tags, examples }) => {
    const { inputModes, outputModes } = whole.get(id) ?? {};
    return {
      id,
      name: name || id,
      description: description || name || id,
      tags: tags.length > 0 ? tags : ['agent'],
      ...(examples === undefined || examples.length === 0 ? {} : { examples }),
      ...(isFilled(inputModes) ? { inputModes } : {}),
      ...(isFilled(outputModes) ? { outputModes } : {}),
    };
  });
}

function modes(found: readonly string[] | undefined): string[] {
  return found === undefined || found.length === 0 ? ['text/plain'] : [...found];
}

function isFilled(value: JsonValue | undefined): value is JsonValue {
  if (value === undefined || value === null || value === '') return false;
  return Array.isArray(value) ? value.length > 0 : true;
}
