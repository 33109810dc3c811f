import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import type { SessionFold } from '#resources/states.ts';
import { changeSession } from '../fold.ts';
import type { Session } from '../schema.ts';
import type { TranscriptArchive } from './schema.ts';
import { cutTurns, turnAt } from './turns.ts';

export const transcriptFolds: Folds = {
  'session.truncated': [foldSessionTruncated],
  'session.compacted': [foldSessionCompacted],
  'vendor.harn_gateway.transcript_budget': [foldTranscriptBudget],
};

/** Turns keep their places, so what was archived comes back whole when the transcript is cut inside of it. */
function foldSessionTruncated(event: Event, states: StateWriter): void {
  const { kept_turn_count: kept } = payload(event, 'session.truncated');
  changeSession(event, states, (state) => {
    const { archive, ...internal } = state.internal;
    const { id } = state.resource;
    const removed = cutTurns(states, id, kept, internal.messages);
    const pending = internal.pending.filter((messageId) => !removed.has(messageId));
    const bytes = kept === 0 ? 0 : turnAt(states, id, kept - 1)?.bytes;
    const transcript = { ...state.resource.transcript, message_count: kept };
    const rest = archive !== undefined && archive.turns <= kept ? archive : undefined;
    state.resource = withSummary({ ...state.resource, transcript }, archive, rest);
    state.internal = {
      ...internal,
      messages: kept,
      pending,
      epoch: internal.epoch + 1,
      ...(bytes === undefined ? {} : { bytes }),
      ...(rest === undefined ? {} : { archive: rest }),
    };
  });
}

export function foldSessionCompacted(event: Event, states: StateWriter): void {
  const { archive } = payload(event, 'session.compacted');
  changeSession(event, states, (state) => archiveIn(states, state, archive));
}

/** The Session says itself why its context became shorter. */
function foldTranscriptBudget(event: Event, states: StateWriter): void {
  const { action, reason, archive } = payload(event, 'vendor.harn_gateway.transcript_budget');
  changeSession(event, states, (state) => {
    if (archive !== undefined) archiveIn(states, state, archive);
    const { resource } = state;
    const known = resource.metadata['transcript_budget'];
    const policy = typeof known === 'object' && known !== null && !Array.isArray(known) ? known : {};
    const last_action = { action, reason, at: event.created_at, event_id: event.id };
    resource.metadata = { ...resource.metadata, transcript_budget: { ...policy, last_action } };
  });
}

/** The boundary among the events is where the last archived turn stands here: imported events have ids of their own. */
function archiveIn(states: StateWriter, state: SessionFold, told: TranscriptArchive): void {
  const { resource, internal } = state;
  const last = turnAt(states, resource.id, told.turns - 1);
  const through_event_id = told.through_event_id === null ? null : (last?.event_id ?? told.through_event_id);
  const archive = { ...told, through_event_id };
  state.resource = withSummary(resource, internal.archive, archive);
  internal.archive = archive;
}

/** A summary that somebody wrote into the Session stays; one that an earlier compaction put there is replaced. */
function withSummary(
  session: Session,
  before: TranscriptArchive | undefined,
  after: TranscriptArchive | undefined,
): Session {
  if (before === after) return session;
  const isOurs = session.summary === null || session.summary === (before?.summary ?? null);
  const summary = isOurs || after?.summary_source === 'caller' ? (after?.summary ?? null) : session.summary;
  const { archived_turn_count: _, ...transcript } = session.transcript;
  const count = after === undefined ? {} : { archived_turn_count: after.turns };
  return { ...session, summary, transcript: { ...transcript, ...count } };
}
