import { type Requirement, section } from './requirement.ts';

/** What the Agents Protocol narrative demands of the resources of level Extended. */
export const EXTENDED: readonly Requirement[] = [
  ...section('Memory', [
    ['EXT-MEM-01', 'MUST', 'a Memory has scope, owner, content and provenance'],
    ['EXT-MEM-02', 'MUST', 'Memory is kept apart from transcripts'],
    ['EXT-MEM-03', 'MAY', 'a Memory expires'],
  ]),
  ...section('Connector', [
    ['EXT-CON-01', 'MUST', 'a Connector has provider, workspace, status and the events it emits'],
    ['EXT-CON-02', 'MUST', 'the same delivery id is the same delivery'],
    ['EXT-CON-03', 'MUST', 'a delivery becomes a Task or a Message, and its events'],
  ]),
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
