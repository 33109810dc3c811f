import { AT, resource, SESSION, TASK_ID, WORKSPACE } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

const rule = 'GDPR Art. 17';
const reason = 'The customer asked for it.';

/** Examples by the names of schemas. */
export const examples = {
  Erasure: resource('erasure', 'erasure_01KAHG6QJC3G0Z2K4N6Q8S0V2X', {
    workspace_id: WORKSPACE,
    subject: { object: 'session', id: SESSION },
    rule,
    reason,
    requested_by: 'officer',
    state: 'completed',
    completed_at: AT,
    removed: { events: 9, tasks: 1, messages: 2, artifacts: 1, receipts: 1, memories: 0, answers: 1 },
    receipts: [
      {
        receipt_id: 'receipt_01KAHG6QJC3G0Z2K4N6Q8S0V2X',
        task_id: TASK_ID,
        receipt_hash: `sha256:${'6c183fc13a6e6075'.repeat(4)}`,
        log_index: 0,
      },
    ],
    forks: [],
  }),
  CreateErasureRequest: { session_id: SESSION, rule, reason },
} satisfies Examples;
