import { type Requirement, section } from './requirement.ts';

/** What is demanded of approvals, of their proof, and of credentials. */
export const APPROVALS: readonly Requirement[] = [
  ...section('Authorization rules', [
    ['EXT-APP-01', 'MUST', 'what needs an approval waits for it, and an approval covers nothing else'],
    ['EXT-APP-02', 'MUST', 'the same request can be answered by every transport, with the same meaning'],
    ['EXT-APP-03', 'MUST', 'whoever may not approve is refused, by scope, workspace, quorum and four eyes'],
  ]),
  ...section('Contract 1, approval webhooks', [
    [
      'S1-HOOK',
      'DECIDED',
      'webhooks of a workspace get {task, event}, signed with the time, until they take it',
    ],
  ]),
  ...section('Contract 8, trust records', [
    [
      'S8-TRUST-01',
      'DECIDED',
      'each approval, denial and change of a tier is a record of its own, of the schema',
    ],
    ['S8-TRUST-02', 'DECIDED', 'records are links of a hash chain; what was changed is found'],
    ['S8-TRUST-03', 'DECIDED', 'records are told to the members of their workspace, and to nobody else'],
  ]),
  ...section('Contract 9, permission requests', [
    ['S9-12', 'DECIDED', 'deadlines and cancels are denials with a reason'],
    ['S9-10', 'DECIDED', 'the first answer wins, the others are told'],
  ]),
  ...section('Authentication', [
    ['A-02', 'MUST', 'tokens that are not exactly what the issuer signed for this gateway are refused'],
    ['A-11', 'DECIDED', 'bad credentials in numbers are 429, and keep no good ones out'],
  ]),
];
