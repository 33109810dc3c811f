import type { Examples } from '#resources/room.ts';

const AT = '2026-11-21T09:00:00.000Z';
const TIMES = { created_at: AT, updated_at: AT, metadata: {} };
const CONFIG = 'push_config_01KAHG6C47Y3B5T7E9G1J3M5P7';
const TASK = 'task_01KAHG62E4R9X1P3A5C7E9G1J3';

/** Push configs and what they could not deliver, by the name of their schema. */
export const examples = {
  DeadLetter: {
    id: 'dead_letter_01KAHG6DZ8A4C6V8F0H2K4N6R8',
    object: 'dead_letter',
    ...TIMES,
    workspace_id: 'workspace_default',
    task_id: TASK,
    push_config_id: CONFIG,
    event_id: '00000000000000000042',
    status: 'dead',
    reason: 'http 503',
    attempts: 84,
    last_attempt_at: AT,
  },
  PushConfig: {
    id: CONFIG,
    object: 'push_config',
    ...TIMES,
    task_id: TASK,
    client_id: null,
    url: 'https://receiver.example.com/hooks/harn',
    form: 'harn',
    has_token: false,
    authentication_scheme: null,
    is_signed: true,
  },
  SetPushConfigRequest: {
    url: 'https://receiver.example.com/hooks/harn',
    secret: 'a key that only you and the gateway know',
  },
} satisfies Examples;
