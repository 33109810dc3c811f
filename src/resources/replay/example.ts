import { AT } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  ReplaySessionRequest: { mode: 'exact', trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' },
  ReplayTaskRequest: { mode: 'exact', reason: 'Does it still come out the same?' },
  ReplayCheckRequest: { sample: 0.01, since: AT, seed: 'harn' },
  ReplayCheck: {
    object: 'replay_check',
    id: 'replay_check_01JZ0000000000000000000000',
    status: 'COMPLETED',
    started_at: AT,
    ended_at: AT,
    sample: 0.01,
    since: AT,
    seed: 'harn',
    tasks: { sampled: 12, byte_equal: 12, diverged: 0, tampered: 0, incomplete: 0, failed: 0 },
    findings: [],
  },
} satisfies Examples;
