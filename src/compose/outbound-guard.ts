import { lookup } from 'node:dns/promises';
import { AddressGuard } from '../../bridges/wire/address-guard.ts';
import type { Parts } from './parts.ts';

/** What every URL that came from outside has to pass, at each call: public addresses, and those of `outbound.allow`. */
export function outboundGuard({ config, resolveHost }: Pick<Parts, 'config' | 'resolveHost'>): AddressGuard {
  return new AddressGuard(config.outbound.allow, resolveHost ?? systemResolve);
}

/** For URLs that the operator configured, which may be anywhere: the same client, with the same bounds. */
export function operatorGuard({ resolveHost }: Pick<Parts, 'resolveHost'>): AddressGuard {
  return new AddressGuard(['0.0.0.0/0', '::/0'], resolveHost ?? systemResolve);
}

async function systemResolve(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
