import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses of a name, as the resolver of the host gives them. Rejects with the system error. */
type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Why a URL that a caller gave is not called. The words are public; they never say what an address led to. */
const TARGET_REFUSALS = {
  malformed: 'is no URL',
  scheme: 'must be an https URL; http is for addresses of outbound.allow only',
  user_info: 'must hold no user name and no password',
  unresolved: 'names a host that does not resolve',
  address: 'leads to an address that is not public; the operator can allow it in outbound.allow',
} as const;
type TargetRefusal = keyof typeof TARGET_REFUSALS;

/** A URL that must not be called. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused';
  readonly refusal: TargetRefusal;

  constructor(refusal: TargetRefusal) {
    super(`The URL ${TARGET_REFUSALS[refusal]}.`);
    this.refusal = refusal;
  }
}

type Address = ReturnType<typeof ipaddr.process>;
type Range = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Decides which URLs of callers may be called: public unicast addresses over TLS, and whatever the operator allows. It looks
 * at addresses, never at names, so a name is as good as what it resolves to.
 */
export class AddressGuard {
  readonly #allowed: readonly Range[];
  readonly #resolve: Resolve;

  /** `allow`: addresses and CIDR ranges of the operator. */
  constructor(allow: readonly string[], resolve: Resolve) {
    this.#allowed = allow.map(rangeOf);
    this.#resolve = resolve;
  }

  /** The URL and the addresses it may be reached at, all of them checked. Throws TargetRefused. */
  async check(text: string): Promise<{ url: URL; addresses: string[] }> {
    const url = targetUrl(text);
    return { url, addresses: await this.addressesOf(url) };
  }

  /** One forbidden address among several refuses the name: which one is used is not for its owner to decide. */
  async addressesOf(url: URL): Promise<string[]> {
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
    const found = ipaddr.isValid(host) ? [host] : await this.#resolved(host);
    const addresses = found.map((address) => ({ address, parsed: parsedAddress(address) }));
    if (addresses.length === 0) throw new TargetRefused('unresolved');
    for (const { parsed } of addresses) {
      const isAllowed = parsed !== undefined && this.#isAllowed(parsed);
      if (isAllowed) continue;
      if (parsed === undefined || !isPublic(parsed)) throw new TargetRefused('address');
      if (url.protocol !== 'https:') throw new TargetRefused('scheme');
    }
    return addresses.map(({ address }) => address);
  }

  async #resolved(host: string): Promise<readonly string[]> {
    try {
      return await this.#resolve(host);
    } catch {
      // The system's reason would show callers the network of the gateway.
      throw new TargetRefused('unresolved');
    }
  }

  #isAllowed(address: Address): boolean {
    return this.#allowed.some(
      ([net, bits]) => address.kind() === net.kind() && address.match([net, bits] as never),
    );
  }
}

/** The URL as far as it can be judged without asking anybody. Throws TargetRefused. */
function targetUrl(text: string): URL {
  if (!URL.canParse(text)) throw new TargetRefused('malformed');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new TargetRefused('scheme');
  if (url.username !== '' || url.password !== '') throw new TargetRefused('user_info');
  return url;
}

/** Of IPv6 only 2000::/3 is global unicast; the library calls unassigned space unicast too, such as ::7f00:1. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST as never);
}

/** IPv4 in IPv6 is the IPv4 address it stands for. Undefined for a zone, or what is no address. */
function parsedAddress(address: string): Address | undefined {
  return ipaddr.isValid(address) && !address.includes('%') ? ipaddr.process(address) : undefined;
}

function rangeOf(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128] as Range;
}

/**
 * The name is resolved for the connection itself and only checked addresses come back, so a name that changes its address
 * after the check leads nowhere. Names alone come here: an address in the URL was checked before.
 */
export function checkedLookup(guard: AddressGuard): LookupFunction {
  return (hostname, options, callback) => {
    // Which scheme it is was decided by the check before; here an address has to be public or allowed.
    guard.addressesOf(new URL(`https://${hostname}`)).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
        const [first] = found;
        if (options.all) callback(null, found);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: Error) => callback(error, '', 4),
    );
  };
}
