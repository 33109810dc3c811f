import { type Requirement, section } from './requirement.ts';

/** What a session bundle is, and what export, validation and import do with it. */
export const BUNDLES: readonly Requirement[] = [
  ...section('Session bundles, Export modes', [
    [
      'BUNDLE-EXP-01',
      'MUST',
      'a bundle is harn_session_bundle with schema_version 1, and follows the checked schema',
    ],
    ['BUNDLE-EXP-02', 'MUST', 'sanitized is the default; every replacement is an entry of redaction.entries'],
    [
      'BUNDLE-EXP-03',
      'MUST',
      'persisted_path, primary, run_path and snapshot_path are replaced in what is shared',
    ],
    ['BUNDLE-EXP-04', 'MUST', 'local keeps the run record as it is'],
    [
      'BUNDLE-EXP-05',
      'MUST',
      'replay-only withholds prompts and tool payloads, and keeps hashes, transitions, checkpoints, spans and fixture',
    ],
    ['BUNDLE-EXP-06', 'MUST', 'payloads of artifacts come along only where they are asked for'],
  ]),
  ...section('Session bundles, Import and validation', [
    ['BUNDLE-IMP-01', 'MUST', 'a bundle without a required field is refused'],
    ['BUNDLE-IMP-02', 'MUST', 'another _type is refused'],
    ['BUNDLE-IMP-03', 'MUST', 'a future schema_version is refused'],
    ['BUNDLE-IMP-04', 'MUST', 'an unredacted secret marker is refused unless it is allowed'],
    ['BUNDLE-IMP-05', 'MUST', 'validation writes nothing'],
    ['BUNDLE-IMP-06', 'MUST', 'import prefers the embedded run record'],
    ['BUNDLE-IMP-07', 'MUST', 'without a run record, fixture and transcript sections make a minimal one'],
  ]),
  ...section('Session bundles, Workspace anchor', [
    [
      'BUNDLE-ANC-01',
      'MUST',
      'the anchor rides through transcript metadata into the section workspace; mount_mode is read_only by default',
    ],
    ['BUNDLE-ANC-02', 'MUST', 'primary and the paths of additional roots are replaced in what is shared'],
    ['BUNDLE-ANC-03', 'MUST', 'without an anchor there is no section; the old metadata keys say nothing'],
  ]),
];
