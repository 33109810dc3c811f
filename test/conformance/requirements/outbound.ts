import { type Requirement, section } from './requirement.ts';

/** What the gateway may send to URLs that callers give. */
export const OUTBOUND: readonly Requirement[] = [
  ...section('Outbound', [
    ['X-01', 'DECIDED', 'a URL that leads to an address that is not public is refused when it is named'],
    ['X-02', 'DECIDED', 'a name that changes its address after the check leads nowhere'],
    ['X-03', 'DECIDED', 'redirects are not followed'],
    ['X-05', 'DECIDED', 'only https, and http where the operator allows the address'],
    ['X-08', 'DECIDED', 'slow and endless receivers are bounded, retried in order, given up visibly'],
    ['X-09', 'DECIDED', 'posts prove their sender, and their time'],
    ['X-10', 'DECIDED', 'one tenant does not take all connections'],
  ]),
];
