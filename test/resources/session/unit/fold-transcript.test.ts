import { describe, expect, it } from 'vitest';
import type { Event } from '#eventlog/event-log.ts';
import { foldSessionCompacted } from '#resources/session/fold.ts';
import { type SessionFold, sessionKeys } from '#resources/session/state.ts';
import { putTurn } from '#resources/session/transcript/turns.ts';
import { FoldedRows } from '../../../harness/folded-rows.ts';

const ID = 'session_1';
const HERE = '00000000000000000900';

/** Folds a compaction of two turns whose event says `through_event_id`, in a Session whose second turn stands at HERE. */
function archiveAfter(through_event_id: string | null) {
  const states = new FoldedRows();
  const session = {
    resource: { id: ID, summary: null, transcript: {} },
    internal: { messages: 2, events: 5 },
  };
  states.set(sessionKeys.session(ID), session);
  putTurn(states, ID, 1, { message_id: 'message_2', event_id: HERE, events: 4, bytes: 9 });
  const archive = {
    turns: 2,
    first_message_id: 'message_1',
    last_message_id: 'message_2',
    through_event_id,
    summary: 'Both.',
    summary_source: 'caller',
    kept: [],
    counted: { events: 4, bytes: 9 },
  };
  const event = {
    id: '00000000000000000905',
    created_at: '2026-11-21T00:00:00.000Z',
    session_id: ID,
    payload: { archive, compacted_turn_count: 2, reason: null },
  } as unknown as Event;
  foldSessionCompacted(event, states);
  return states.get<SessionFold>(sessionKeys.session(ID))?.internal.archive;
}

describe('the fold of a compaction', () => {
  it('ends the archived events where the last archived turn stands here, whatever id the event had where it came from', () => {
    expect(archiveAfter(HERE)?.through_event_id).toBe(HERE);
    expect(archiveAfter('00000000000000000042')?.through_event_id).toBe(HERE);
  });

  it('archives no event of a fork whose archived turns happened elsewhere', () => {
    expect(archiveAfter(null)?.through_event_id).toBeNull();
  });
});
