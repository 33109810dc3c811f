import { type Requirement, section } from './requirement.ts';

/** What the Agents Protocol narrative demands of the resources of level Extended. */
export const EXTENDED: readonly Requirement[] = [
  ...section('Quota', [
    ['EXT-QUO-01', 'MUST', 'a Quota has scope, limits and a snapshot of what is used'],
    ['EXT-QUO-02', 'MUST', 'hard quotas that apply are checked before work starts'],
  ]),
];
