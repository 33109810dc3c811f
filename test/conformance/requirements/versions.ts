import { type Requirement, section } from './requirement.ts';

/** What holds for two versions on one gateway, and what agents-protocol-2026-10-11 asks for beside 2026-04-25. */
export const VERSION_ROWS: readonly Requirement[] = [
  ...section('Two versions on one gateway', [
    ['VER-NEG-01', 'MUST', 'each request chooses its version by the header; a refusal lists both'],
    ['VER-NEG-02', 'MUST', 'documents about the gateway answer in the version asked for, and say so by Vary'],
    ['VER-NEG-03', 'MUST', 'a public document without a known version speaks the configured one'],
    ['VER-NEG-04', 'MUST', 'a WebSocket without the header chooses by its subprotocol'],
    [
      'VER-MATRIX-01',
      'MUST',
      'every operation works in both versions, and answers in the form of both documents',
    ],
    ['VER-MATRIX-02', 'MUST', 'every operation of either document is served'],
    [
      'VER-ONE-01',
      'MUST',
      'clients of both versions share sessions: each sees what the other does, in the same bytes',
    ],
    ['VER-NEG-05', 'MUST NOT', 'what is signed depends on the version of the request'],
  ]),
  ...section('agents-protocol-2026-10-11', [
    [
      'VER-IDEM-01',
      'MUST',
      'both creates of a Task are one target of retries; a retry gets 200 and the Task',
    ],
    ['VER-IDEM-02', 'MUST', 'every other operation refuses an Idempotency-Key with 400, before effects'],
    ['VER-IDEM-03', 'MUST', 'a retry may come in the other version'],
    ['VER-MODE-01', 'MUST', 'mode_id is the autonomy tier of a Session, and what is shown is what holds'],
    ['VER-MODE-02', 'MUST', 'an unknown mode, or a model policy of another form, is 400 and makes nothing'],
    [
      'VER-MODEL-01',
      'MUST',
      'a model policy is replaced as a whole, cleared by null, and inherited by forks',
    ],
    ['VER-MODEL-02', 'MUST', 'an agent that offers the model is told; what it does not take is recorded'],
    ['VER-CAT-01', 'MUST', 'the provider catalog has what is configured and what agents offer'],
    ['VER-BND-01', 'MUST', 'new optional members of bundles are kept through import and export'],
    [
      'VER-TRG-01',
      'MUST',
      'trust records of v0.1 verify: hashes, effects within the grant, chains of actors',
    ],
    [
      'VER-TRG-02',
      'MUST',
      'trust records of any producer verify from a file, and one that was changed is named',
    ],
    ['VER-MSG-01', 'MUST', 'a message to a Task has kind input; it steers one that works'],
  ]),
];
