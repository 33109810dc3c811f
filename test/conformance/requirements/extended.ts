import { type Requirement, section } from './requirement.ts';

/** What the Agents Protocol narrative demands of the resources of level Extended. */
export const EXTENDED: readonly Requirement[] = [
  ...section('Vault', [
    ['EXT-VLT-01', 'MUST NOT', 'reads of resources give secret values'],
    ['EXT-VLT-02', 'MUST', 'events and receipts hold no secret material, whoever says it'],
    ['EXT-VLT-03', 'MAY', 'secrets reach calls of tools and agents, where policy lets them'],
  ]),
  ...section('Quota', [
    ['EXT-QUO-01', 'MUST', 'a Quota has scope, limits and a snapshot of what is used'],
    ['EXT-QUO-02', 'MUST', 'hard quotas that apply are checked before work starts'],
  ]),
];
