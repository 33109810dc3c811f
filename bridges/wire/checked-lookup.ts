import type { LookupFunction } from 'node:net';
import type { AddressGuard } from './address-guard.ts';

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
