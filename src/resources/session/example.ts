import { MESSAGE, resource, SESSION, WORKSPACE } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';
import { COMPACTED, TRANSCRIPT_EXAMPLES } from './transcript/examples.ts';

const session = resource('session', SESSION, {
  workspace_id: WORKSPACE,
  state: 'IDLE',
  transcript: { message_count: 2 },
  persona_id: null,
  root_session_id: null,
  parent_session_id: null,
  branch_id: null,
  last_event_id: '00000000000000000042',
  summary: null,
  expires_at: null,
});

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  ...TRANSCRIPT_EXAMPLES,
  Session: session,
  CreateSessionRequest: { workspace_id: 'workspace_default' },
  UpdateSessionRequest: { summary: 'A greeting.' },
  ForkSessionRequest: { at_event_id: '00000000000000000042' },
  CompactSessionRequest: { summary: 'The customer reported a broken page.', keep_last: 10 },
  CompactSessionResponse: { ...COMPACTED, session_id: SESSION, session },
  TruncateSessionRequest: { keep_first: 2, reason: 'Wrong turn.' },
  TruncateSessionResponse: {
    object: 'session.truncate_result',
    session_id: SESSION,
    kept_turn_count: 2,
    removed_turn_count: 3,
    new_tip_turn_id: MESSAGE,
    session,
  },
  'closeSession.response': { ...session, state: 'CLOSED' },
} satisfies Examples;
