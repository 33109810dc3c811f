import { resource, SESSION, WORKSPACE } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

const asked = {
  name: 'case 2026-17',
  session_ids: [SESSION],
  reason: 'The auditors asked for the conversation.',
};

/** Examples by the names of schemas. */
export const examples = {
  Hold: resource('hold', 'hold_01KAHG6QJC3G0Z2K4N6Q8S0V2X', {
    ...asked,
    workspace_id: WORKSPACE,
    created_by: 'auditor',
    expires_at: null,
    released_at: null,
    released_by: null,
    release_reason: null,
  }),
  CreateHoldRequest: asked,
  ReleaseHoldRequest: { reason: 'The case is closed.' },
} satisfies Examples;
