import { AgentCard } from '@a2a-js/sdk';
import { type FindKeys, keysOfSet, type TrustedKeys } from '#cards/trusted-keys.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, textOf } from '#protocol/json-shape.ts';
import type { AgentDescription } from '#protocol-client.ts';
import { type CardVerdict, cardVerdict } from '#resources/agent/schema.ts';
import { HARN_EXTENSION } from '../../../mappings/a2a/extension.ts';
import type { PartDialect } from '../../../mappings/a2a/message.ts';
import { type A2aProtocol, INTERFACES, PROTOCOLS } from '../../../mappings/a2a/operations.ts';
import { withJsonNames } from '../../../mappings/a2a/proto-names.ts';
import type { BridgeDeps } from '../../bridge.ts';
import { unavailable } from '../../wire/faults.ts';
import { type HttpClient, readText } from '../../wire/http-client.ts';
import { sha256 } from '../../wire/sha256.ts';
import { type A2aClientConfig, FIXED_LIMITS } from './config.ts';

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
  if (!isObject(called) || !isObject(said)) throw unavailable('card', 'The agent card is no JSON object.');
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
    throw unavailable('card', 'The agent card has members of the wrong kind.');
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

/** A card as it was read from its agent, kept for the time when the agent does not answer. */
export interface KeptCard {
  /** The configured URL; a card of another one is not used. */
  configured: string;
  /** Where it was found. */
  url: string;
  etag: string | undefined;
  /** RFC 3339. */
  fetchedAt: string;
  /** As it came, or without the secrets that it repeated. */
  text: string;
  /** Lower-case hex, over the bytes as they came. */
  sha256: string;
  /** Secrets were taken out, so that neither its ETag nor its signature is that of the text. */
  redacted: boolean;
  signature: CardVerdict;
}

const RECORD_VERSION = 1;

/** Lower-case hex. */
export function hashOf(text: string): string {
  return sha256(text);
}

export function writeKept(card: KeptCard): string {
  return JSON.stringify({ version: RECORD_VERSION, ...card });
}

/** The card of a record, or undefined when it is not one of this version. */
export function readKept(record: string, parseJson: BridgeDeps['parseJson']): KeptCard | undefined {
  const value = parsed(record, parseJson);
  if (value === undefined || value['version'] !== RECORD_VERSION) return undefined;
  const { configured, url, etag, fetchedAt, text, sha256 } = value;
  const signature = cardVerdict.safeParse(value['signature']);
  const texts = [configured, url, fetchedAt, text];
  if (!signature.success || !texts.every((member) => typeof member === 'string')) return undefined;
  return {
    configured: String(configured),
    url: String(url),
    etag: typeof etag === 'string' ? etag : undefined,
    fetchedAt: String(fetchedAt),
    text: String(text),
    // Records of earlier versions hold the text as it came.
    sha256: typeof sha256 === 'string' ? sha256 : hashOf(String(text)),
    redacted: value['redacted'] === true,
    signature: signature.data,
  };
}

function parsed(record: string, parseJson: BridgeDeps['parseJson']): JsonObject | undefined {
  let value: JsonValue;
  try {
    value = parseJson(record);
  } catch {
    return undefined;
  }
  return isObject(value) ? value : undefined;
}

/** Where and how to speak to an agent. */
export interface Target {
  protocol: A2aProtocol;
  /** Usable interfaces of the card that come after it, each once, in their order. */
  others: readonly A2aProtocol[];
  /** How parts are spelled. */
  dialect: PartDialect;
  /** JSON-RPC endpoint, or base of the HTTP+JSON routes. */
  url: URL;
  /** Must be sent back as it came. Spec: A2A 1.0, AgentInterface.tenant. */
  tenant: string | undefined;
  streaming: boolean;
  /** It sends push notifications. */
  pushes: boolean;
}

interface Offer {
  url: string | undefined;
  binding: string;
  version: string;
  tenant: string | undefined;
}

export type Pin = Pick<A2aClientConfig, 'protocol' | 'binding'>;

/**
 * Chooses the interface of a card: the one of the lowest rank (`INTERFACES`), among equals the card's order of preference. Unknown
 * versions and bindings are passed over; a card with nothing else is refused. Throws Fault.
 */
function chooseInterface(card: JsonObject, cardUrl: URL, pin: Pin): Target {
  const offers = [...listedOffers(card), ...legacyOffers(card)];
  const usable = offers.flatMap((offer) => {
    const protocol = protocolOf(offer);
    return protocol !== undefined && isWanted(protocol, pin) ? [{ offer, protocol }] : [];
  });
  // What was pinned comes first; JSON-RPC of 0.3 stays the way to an agent that has no other.
  const rank = ({ protocol }: { protocol: A2aProtocol }) =>
    INTERFACES[protocol].rank +
    (pin.binding === undefined || INTERFACES[protocol].binding === pin.binding ? 0 : 10);
  const ranked = usable.sort((one, other) => rank(one) - rank(other));
  const [chosen] = ranked;
  if (chosen === undefined) {
    throw unavailable('no_usable_interface', 'The card offers no interface that the gateway speaks.');
  }
  const { offer, protocol } = chosen;
  return {
    protocol,
    others: [...new Set(ranked.map((each) => each.protocol))].filter((other) => other !== protocol),
    dialect: dialectOf(protocol, card),
    url:
      INTERFACES[protocol].binding === 'GRPC' ? ownAddress(offer.url, cardUrl) : ownUrl(offer.url, cardUrl),
    tenant: offer.tenant,
    streaming: isCapable(card, 'streaming'),
    pushes: isCapable(card, 'pushNotifications'),
  };
}

function isCapable({ capabilities }: JsonObject, name: string): boolean {
  return isObject(capabilities) && capabilities[name] === true;
}

function listedOffers(card: JsonObject): Offer[] {
  const listed = Array.isArray(card['supportedInterfaces']) ? card['supportedInterfaces'] : [];
  return listed.filter(isObject).map((row) => ({
    url: textOf(row['url']),
    binding: textOf(row['protocolBinding']) ?? '',
    version: textOf(row['protocolVersion']) ?? '',
    tenant: textOf(row['tenant']),
  }));
}

/** The members of a 0.3 card, which a hybrid card has beside the 1.0 list. Spec: A2A 0.3, AgentCard. */
function legacyOffers(card: JsonObject): Offer[] {
  const version = textOf(card['protocolVersion']);
  if (version === undefined) return [];
  const additional = Array.isArray(card['additionalInterfaces']) ? card['additionalInterfaces'] : [];
  const own = { url: card['url'] ?? null, transport: card['preferredTransport'] ?? 'JSONRPC' };
  const rows: JsonObject[] = [own, ...additional.filter(isObject)];
  return rows
    .filter((row) => typeof row['url'] === 'string')
    .map((row) => ({
      url: textOf(row['url']),
      binding: textOf(row['transport']) ?? '',
      version,
      tenant: undefined,
    }));
}

/** Patch numbers do not matter; anything else unknown is refused. Spec: A2A 1.0, 3.6. */
function protocolOf({ binding, version }: Offer): A2aProtocol | undefined {
  const major = /^(\d+\.\d+)(\.\d+)?$/.exec(version)?.[1];
  return PROTOCOLS.find((name) => INTERFACES[name].binding === binding && INTERFACES[name].version === major);
}

function isWanted(protocol: A2aProtocol, { protocol: version = 'auto', binding }: Pin): boolean {
  if (version !== 'auto' && !protocol.endsWith(version)) return false;
  if (binding === undefined || protocol === 'jsonrpc-0.3') return true;
  return INTERFACES[protocol].binding === binding;
}

/** `harn serve a2a` lists 0.3 interfaces and has no url at the top. */
function dialectOf(protocol: A2aProtocol, card: JsonObject): PartDialect {
  if (INTERFACES[protocol].version !== '0.3') return '1.0';
  return card['url'] === undefined && protocol === 'jsonrpc-0.3' ? 'harn-serve' : '0.3';
}

/**
 * The interface must live where the card does: a card is untrusted text and the credential goes to this URL. Loopback
 * names are one host; the card's own spelling is used, for it is known to answer.
 */
function ownUrl(given: string | undefined, cardUrl: URL): URL {
  const url = urlOf(given ?? '/', cardUrl);
  if (url === undefined || url.username !== '' || url.password !== '') {
    throw unavailable('interface_url', 'The card names an interface that is no URL.');
  }
  if (!isSameOrigin(url, cardUrl)) {
    throw unavailable('interface_origin', 'The card names an interface on another origin than its own.');
  }
  url.host = cardUrl.host;
  url.hash = '';
  return url;
}

/**
 * Where an agent serves gRPC: a URL, or `host:port` as clients of gRPC spell it, which is reached as the card was. It must be on the
 * host of the card, for the credential goes there; the port is its own.
 */
function ownAddress(given: string | undefined, cardUrl: URL): URL {
  const [, scheme, rest = ''] = /^(?:(https?|grpcs?|dns):\/{2,3})?(.*)$/.exec(given ?? '') ?? [];
  const isBare = scheme === undefined || scheme === 'dns';
  const isSecure = isBare ? cardUrl.protocol === 'https:' : scheme.endsWith('s');
  const url = rest === '' ? undefined : urlOf(`${isSecure ? 'https' : 'http'}://${rest}`, cardUrl);
  if (url === undefined || url.username !== '' || url.password !== '')
    throw unavailable('interface_url', 'The card names an interface that is no address.');
  const isOwn = url.hostname === cardUrl.hostname || isLoopbackPair(url, cardUrl);
  if (!isOwn || (cardUrl.protocol === 'https:' && !isSecure))
    throw unavailable(
      'interface_origin',
      'The card names an interface on another host than its own, or without its TLS.',
    );
  url.hostname = cardUrl.hostname;
  url.hash = '';
  return url;
}

/** Loopback names are one host. */
function isSameOrigin(one: URL, other: URL): boolean {
  const isSameHost = one.host === other.host || (isLoopbackPair(one, other) && one.port === other.port);
  return one.protocol === other.protocol && isSameHost;
}

function urlOf(given: string, base: URL): URL | undefined {
  return URL.canParse(given, base.href) ? new URL(given, base) : undefined;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

function isLoopbackPair(one: URL, other: URL): boolean {
  return LOOPBACK.includes(one.hostname) && LOOPBACK.includes(other.hostname);
}

interface CardKeysOptions {
  /** Keys of the configuration; the only ones that count where there are some. */
  pinned: readonly JsonObject[] | undefined;
  /** Where the card was read. */
  cardUrl: URL;
  http: HttpClient;
  parseJson: BridgeDeps['parseJson'];
  signal: AbortSignal;
}

/**
 * The keys that may have signed a card: the pinned ones; else those that the origin of the card publishes under the `jku` of
 * the signature, over TLS (or on loopback), without redirects and without a credential. Without either there are none.
 */
export function cardKeys(options: CardKeysOptions): FindKeys {
  const { pinned, cardUrl } = options;
  const read = new Map<string, Promise<TrustedKeys>>();
  return async (keyUrl) => {
    if (pinned !== undefined) return { from: 'pinned', keys: pinned };
    if (keyUrl === undefined) return { from: 'origin', keys: [] };
    const url = ownKeyUrl(keyUrl, cardUrl);
    if (url === undefined) return { refused: 'key_url_refused' };
    const asked = read.get(url.href) ?? readKeys(url, options);
    read.set(url.href, asked);
    return asked;
  };
}

function ownKeyUrl(text: string, cardUrl: URL): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPrivate = url.protocol === 'https:' || isLoopback(url);
  return isPrivate && isSameOrigin(url, cardUrl) && url.username === '' && url.password === ''
    ? url
    : undefined;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

async function readKeys(url: URL, { http, parseJson, signal }: CardKeysOptions): Promise<TrustedKeys> {
  try {
    const headers = { accept: 'application/json', 'accept-encoding': 'identity' };
    const reply = await http.request({ method: 'GET', url, lane: 'control', signal, headers });
    try {
      if (reply.status !== 200) return { refused: 'keys_unavailable' };
      const keys = keysOfSet(parseJson(await readText(reply.body, FIXED_LIMITS.maxKeySetBytes)));
      return keys === undefined ? { refused: 'keys_unavailable' } : { from: 'origin', keys };
    } finally {
      reply.release('done');
    }
  } catch {
    // Whatever kept the keys away, the card proves nothing without them.
    return { refused: 'keys_unavailable' };
  }
}
