import { type Requirement, section } from './requirement.ts';

/** What the transcript architecture demands, rule by rule. */
export const TRANSCRIPT: readonly Requirement[] = [
  ...section('Transcript architecture', [
    ['TRA-01', 'MUST', 'a transcript is a versioned value of three layers: messages, events, assets'],
    ['TRA-02', 'MUST', 'turn content that matters for the next model call is in messages'],
    ['TRA-03', 'MUST', 'replay, audit and lifecycle facts are in events, messages among them'],
    [
      'TRA-04',
      'MUST',
      'large media, file blobs and durable attachments are assets: descriptors with storage',
    ],
    [
      'TRA-05',
      'MUST',
      'the system prompt is metadata plus one leading internal event with its fingerprint only',
    ],
    ['TRA-06', 'MUST NOT', 'the system prompt is duplicated into messages'],
    ['TRA-07', 'MUST', 'adapters tell the agent the system prompt with every request that begins or goes on'],
    ['TRA-08', 'SHOULD', 'blocks name assets by asset_id and embed no base64'],
    [
      'TRA-09',
      'SHOULD',
      'compaction summarises archived text, and keeps descriptors and recent multimodal turns',
    ],
    [
      'TRA-10',
      'MUST',
      'messages, events and configured bytes of a transcript have caps, with or without compaction',
    ],
    [
      'TRA-11',
      'MUST',
      'a full transcript rejects the mutation or applies the recovery policy of the session',
    ],
    [
      'TRA-12',
      'MUST',
      'recovery writes a transcript_budget event, and the session tells metadata.transcript_budget.last_action',
    ],
  ]),
  ...section('Persistence split', [
    ['TRA-13', 'SHOULD', 'the structured transcript is durable, with descriptors and links'],
    ['TRA-14', 'SHOULD', 'what an agent is told of the past is the transcript, compacted as it is'],
  ]),
  ...section('Assets', [
    [
      'TRA-16',
      'DECIDED',
      'stored bytes lie under their hash, once per workspace, as long as something refers to them',
    ],
  ]),
  ...section('Session', [
    ['TRA-15', 'MUST', 'compaction keeps references enough for audit, and runs before it can be replayed'],
  ]),
];
