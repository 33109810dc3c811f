import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '../../../mappings/a2a/events.ts';
import type { A2aProtocol } from '../../../mappings/a2a/operations.ts';
import type { PartDialect } from '../../../mappings/a2a/parts-out.ts';
import type { A2aUpstreamConfig } from './config.ts';
import { malformed } from './faults.ts';

/** Where and how to speak to an agent. */
export interface Target {
  protocol: A2aProtocol;
  /** How parts are spelled. */
  dialect: PartDialect;
  /** JSON-RPC endpoint, or base of the HTTP+JSON routes. */
  url: URL;
  /** Must be sent back as it came. Spec: A2A 1.0, AgentInterface.tenant. */
  tenant: string | undefined;
  streaming: boolean;
}

interface Offer {
  url: string | undefined;
  binding: string;
  version: string;
  tenant: string | undefined;
}

export type Pin = Pick<A2aUpstreamConfig, 'protocol' | 'binding'>;

/**
 * Chooses the interface of a card: the newest version it offers, within it the card's order of preference. Unknown
 * versions and bindings are passed over; a card with nothing else is refused. Throws Fault.
 */
export function chooseInterface(card: JsonObject, cardUrl: URL, pin: Pin): Target {
  const offers = [...listedOffers(card), ...legacyOffers(card)];
  const usable = offers.flatMap((offer) => {
    const protocol = protocolOf(offer);
    return protocol !== undefined && isWanted(protocol, pin) ? [{ offer, protocol }] : [];
  });
  const chosen = usable.find(({ protocol }) => protocol !== 'jsonrpc-0.3') ?? usable[0];
  if (chosen === undefined) {
    throw malformed('no_usable_interface', 'The card offers no interface that the gateway speaks.');
  }
  const { offer, protocol } = chosen;
  return {
    protocol,
    dialect: dialectOf(protocol, card),
    url: ownUrl(offer.url, cardUrl),
    tenant: offer.tenant,
    streaming: isObject(card['capabilities']) && card['capabilities']['streaming'] === true,
  };
}

function listedOffers(card: JsonObject): Offer[] {
  const listed = Array.isArray(card['supportedInterfaces']) ? card['supportedInterfaces'] : [];
  return listed.filter(isObject).map((row) => ({
    url: text(row['url']),
    binding: text(row['protocolBinding']) ?? '',
    version: text(row['protocolVersion']) ?? '',
    tenant: text(row['tenant']),
  }));
}

/** The members of a 0.3 card, which a hybrid card has beside the 1.0 list. Spec: A2A 0.3, AgentCard. */
function legacyOffers(card: JsonObject): Offer[] {
  const version = text(card['protocolVersion']);
  if (version === undefined) return [];
  const additional = Array.isArray(card['additionalInterfaces']) ? card['additionalInterfaces'] : [];
  const own = { url: card['url'] ?? null, transport: card['preferredTransport'] ?? 'JSONRPC' };
  const rows: JsonObject[] = [own, ...additional.filter(isObject)];
  return rows
    .filter((row) => typeof row['url'] === 'string')
    .map((row) => ({
      url: text(row['url']),
      binding: text(row['transport']) ?? '',
      version,
      tenant: undefined,
    }));
}

/** Patch numbers do not matter; anything else unknown is refused. Spec: A2A 1.0, 3.6. */
function protocolOf({ binding, version }: Offer): A2aProtocol | undefined {
  const major = /^(\d+\.\d+)(\.\d+)?$/.exec(version)?.[1];
  if (major === '1.0' && binding === 'JSONRPC') return 'jsonrpc-1.0';
  if (major === '1.0' && binding === 'HTTP+JSON') return 'http+json-1.0';
  return major === '0.3' && binding === 'JSONRPC' ? 'jsonrpc-0.3' : undefined;
}

function isWanted(protocol: A2aProtocol, { protocol: version = 'auto', binding }: Pin): boolean {
  if (version !== 'auto' && !protocol.endsWith(version)) return false;
  if (binding === undefined || protocol === 'jsonrpc-0.3') return true;
  return protocol === (binding === 'JSONRPC' ? 'jsonrpc-1.0' : 'http+json-1.0');
}

/** `harn serve a2a` lists 0.3 interfaces and has no url at the top. Source: notes/a2a.md 1.7. */
function dialectOf(protocol: A2aProtocol, card: JsonObject): PartDialect {
  if (protocol !== 'jsonrpc-0.3') return '1.0';
  return card['url'] === undefined ? 'harn-serve' : '0.3';
}

/**
 * The interface must live where the card does: a card is untrusted text and the credential goes to this URL. Loopback
 * names are one host; the card's own spelling is used, for it is known to answer.
 */
function ownUrl(given: string | undefined, cardUrl: URL): URL {
  const url = urlOf(given ?? '/', cardUrl);
  if (url === undefined || url.username !== '' || url.password !== '') {
    throw malformed('interface_url', 'The card names an interface that is no URL.');
  }
  if (!isSameOrigin(url, cardUrl)) {
    throw malformed('interface_origin', 'The card names an interface on another origin than its own.');
  }
  url.host = cardUrl.host;
  url.hash = '';
  return url;
}

/** Loopback names are one host. */
export function isSameOrigin(one: URL, other: URL): boolean {
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

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
