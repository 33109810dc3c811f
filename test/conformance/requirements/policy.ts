import { type Requirement, section } from './requirement.ts';

/** What the narrative and the contract ask of personas, tiers and approvals. */
export const POLICY: readonly Requirement[] = [
  ...section('Persona', [
    ['POL-PER-01', 'MUST', 'a tool that the Persona may not use fails the Task with policy_violation'],
    [
      'POL-PER-02',
      'MUST',
      'capabilities and handoffs of the Persona are enforced on every Task that names it',
    ],
    ['POL-PER-04', 'MUST', 'a Task hands work only to whom its Persona may, and its session is told'],
    ['POL-PER-03', 'MUST', 'a shadow calls nothing, and its Task completes saying so'],
  ]),
  ...section('Authentication and authorization', [
    ['POL-TIER-01', 'MUST', 'each tier makes the same of each side-effect class on every face'],
    [
      'POL-APP-01',
      'MUST',
      'a side effect that needs approval waits for it, and happens once when it is given',
    ],
    ['POL-SES-01', 'MUST', 'Skills that a Session lists limit its Tasks'],
    ['POL-SES-02', 'DECIDED', 'the tier of a Session gives less than persona and operator allow, never more'],
    ['POL-EXP-01', 'SHOULD', 'a decision is explained by the rule that makes it, before anybody calls'],
    ['POL-EXP-02', 'MUST NOT', 'an explanation tells of what is hidden from whoever asks'],
    ['POL-MATRIX-01', 'MUST NOT', 'any route, by any id, tells a stranger what is there from what is not'],
    [
      'POL-MEM-01',
      'MUST',
      'Memories of a Session reach its agent apart from the transcript, and a replay finds them as they were',
    ],
    ['POL-REF-01', 'DECIDED', 'what is refused before there is a Task is an event and a trust record'],
    ['POL-REF-02', 'DECIDED', 'whoever is refused again and again does not fill the log'],
    ['POL-REF-03', 'MUST NOT', 'refusals tell of what is hidden, or are written for nobody'],
    ['POL-WSP-01', 'MUST', 'capabilities that a Workspace lists limit what is done in it'],
  ]),
];
