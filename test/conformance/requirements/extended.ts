import { type Requirement, section } from './requirement.ts';

/** What the Agents Protocol narrative demands of the resources of level Extended. */
export const EXTENDED: readonly Requirement[] = [
  ...section('Persona', [
    ['EXT-PER-01', 'MUST', 'a Persona has its required fields, and none is made without them'],
  ]),
  ...section('Workspace', [['EXT-WSP-01', 'MUST', 'a Workspace has its required fields']]),
  ...section('Branch', [
    ['EXT-BRN-01', 'MUST', 'a Branch has its required fields and one of the four kinds'],
  ]),
  ...section('Skill', [
    ['EXT-SKL-01', 'MUST', 'a Skill has its required fields, its schemas or null for them'],
  ]),
  ...section('OAuth2 client credentials', [
    ['EXT-OAU-01', 'MUST', 'issuer, audience, expiry and scopes of a token are validated'],
    ['EXT-OAU-02', 'MAY', 'machines come with tokens of the client credentials flow'],
    ['EXT-OAU-03', 'MUST', 'a token bound to a key needs a new proof for each request (RFC 9449)'],
    [
      'EXT-OAU-04',
      'MUST',
      'a refused credential is told why, and where the metadata is (RFC 6750, RFC 9728)',
    ],
    ['EXT-OAU-05', 'MUST', 'the metadata names the audience, the issuers and the scopes (RFC 9728)'],
    ['EXT-OAU-06', 'MUST', 'a token bound to a certificate needs a connection that shows it (RFC 8705)'],
  ]),
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
    ['EXT-VLT-04', 'MUST', 'a Vault has its required fields'],
    ['EXT-VLT-05', 'MUST', 'the vaults that Session and Workspace may use are evaluated before a call'],
    ['EXT-VLT-03', 'MAY', 'secrets reach calls of tools and agents, where policy lets them'],
  ]),
  ...section('Quota', [
    ['EXT-QUO-01', 'MUST', 'a Quota has scope, limits and a snapshot of what is used'],
    ['EXT-QUO-02', 'MUST', 'hard quotas that apply are checked before work starts'],
  ]),
];
