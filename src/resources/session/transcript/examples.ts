import type { JsonValue } from '#protocol/json.ts';

const AT = '2026-11-21T09:00:00.000Z';
const MESSAGE = 'message_01KAHG64J5T7V9X1Z3B5D7F9H1';
const ASSET = 'artifact_01KAHG69P1R3T5V7X9Z1B3D5F7';
const BLOCKS: JsonValue[] = [
  { type: 'image', asset_id: ASSET, mime_type: 'image/png', visibility: 'public' },
  { type: 'text', text: 'Review this screenshot', visibility: 'public' },
];

/** A transcript, and what compacting it answers, by the name of their schema. */
export const TRANSCRIPT_EXAMPLES: Readonly<Record<'Transcript', JsonValue>> = {
  Transcript: {
    _type: 'transcript',
    version: 2,
    id: 'tr_01KAHG60A2C4E6G8J0K2M4N6P8',
    state: 'active',
    summary: 'The customer reported a broken page.',
    metadata: { system_prompt: 'Answer in one sentence.' },
    messages: [{ id: MESSAGE, role: 'user', content: BLOCKS, position: 12, created_at: AT, task_id: null }],
    events: [
      {
        kind: 'system_prompt',
        visibility: 'internal',
        event_id: null,
        event: null,
        created_at: null,
        fingerprint: 'sha256:29ea9abde4d6e3c5ab3b0ec58b6bbbcfd9b3c3a4dcb33ad7bb10ea87b2bd9aab',
      },
      {
        kind: 'message',
        role: 'user',
        visibility: 'public',
        event_id: '00000000000000000042',
        event: 'user.message',
        created_at: AT,
        message_id: MESSAGE,
        task_id: null,
        text: '<image:screenshot.png> Review this screenshot',
        blocks: BLOCKS,
      },
    ],
    assets: [
      {
        _type: 'transcript_asset',
        id: ASSET,
        kind: 'image',
        mime_type: 'image/png',
        visibility: 'public',
        storage: {
          path: 'sha256/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
          sha256: 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
          uri: `/v1/artifacts/${ASSET}/content`,
          size: 3,
        },
        name: 'screenshot.png',
        created_at: AT,
        task_id: null,
      },
    ],
  },
};

/** The answer of a compaction, but for its Session. */
export const COMPACTED = {
  object: 'session.compact_result',
  compacted_turn_count: 12,
  retained_turn_count: 10,
  summary: 'The customer reported a broken page.',
  summary_source: 'caller',
} as const;
