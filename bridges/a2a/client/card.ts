import { AgentCard } from '@a2a-js/sdk';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { AgentDescription } from '#upstream.ts';
import { isObject } from '../../../mappings/a2a/events.ts';
import { HARN_EXTENSION } from '../../../mappings/a2a/extension.ts';
import { withJsonNames } from '../../../mappings/a2a/proto-names.ts';
import { malformed } from './faults.ts';
import { chooseInterface, type Pin, type Target } from './interfaces.ts';

/** A card that was read and found usable. */
export interface ReadCard {
  target: Target;
  description: AgentDescription;
}

/**
 * Reads a 1.0, 0.3, hybrid or `harn serve` card: what is called is as it came, what it says of the agent as it may be shown
 * (`shown`: the same without secrets). Throws Fault when it is none or offers nothing usable.
 */
export function readCard(raw: JsonValue, cardUrl: URL, pin: Pin, shown: JsonValue = raw): ReadCard {
  const [called, said] = [withJsonNames(raw), withJsonNames(shown)];
  if (!isObject(called) || !isObject(said)) throw malformed('card', 'The agent card is no JSON object.');
  const target = chooseInterface(called, cardUrl, pin);
  return { target, description: describeCard(said, target.streaming) };
}

/** Throws Fault for members of the wrong kind. */
function describeCard(raw: JsonObject, streaming: boolean): AgentDescription {
  const card = typedView(raw);
  return {
    name: card.name,
    description: card.description,
    version: card.version,
    skills: card.skills.map(({ id, name, description, tags, examples, inputModes, outputModes }) => ({
      id,
      name,
      description,
      tags,
      ...(examples.length > 0 && { examples }),
      ...(inputModes.length > 0 && { inputModes }),
      ...(outputModes.length > 0 && { outputModes }),
    })),
    inputModes: card.defaultInputModes,
    outputModes: card.defaultOutputModes,
    streaming,
    ...linksOf(card),
    ...extensionsOf(raw),
    raw,
  };
}

/** Extensions of the agent's own. A gateway in front of a gateway offers the Harn extension itself. */
function extensionsOf(raw: JsonObject): { extensions?: JsonObject[] } {
  const { capabilities } = raw;
  const listed = isObject(capabilities) ? capabilities['extensions'] : undefined;
  const own = Array.isArray(listed) ? listed.filter(isObject) : [];
  const extensions = own.filter(({ uri }) => typeof uri === 'string' && uri !== '' && uri !== HARN_EXTENSION);
  return extensions.length === 0 ? {} : { extensions };
}

/** Links for people. Other schemes than the web's are left out: a reader of the card may click on them. */
function linksOf({ provider, documentationUrl, iconUrl }: AgentCard) {
  return {
    ...(provider && isWeb(provider.url) && provider.organization !== '' && { provider: { ...provider } }),
    ...(isWeb(documentationUrl) && { documentationUrl }),
    ...(isWeb(iconUrl) && { iconUrl }),
  };
}

function isWeb(url: string | undefined): url is string {
  return url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url);
}

/** The members read here are the same in both versions, so the codec of 1.0 reads every card. */
function typedView(raw: JsonValue): AgentCard {
  try {
    return AgentCard.fromJSON(raw);
  } catch {
    throw malformed('card', 'The agent card has members of the wrong kind.');
  }
}

const WELL_KNOWN = '.well-known/agent-card.json';
/** Before A2A 0.3. */
const OLD_WELL_KNOWN = '.well-known/agent.json';

/** Where to look for the card: the URL itself, or below it when its path ends with a slash. */
export function cardUrls(configured: string): URL[] {
  const url = new URL(configured);
  if (!url.pathname.endsWith('/')) return [url];
  return [new URL(WELL_KNOWN, url), new URL(OLD_WELL_KNOWN, url)];
}
