import type { Command } from '#core/command.ts';
import { metadataOf, patchedMetadata } from '#core/decode-input.ts';
import { wasErased } from '#core/erased.ts';
import { expiryOf } from '#core/expiry.ts';
import type { Facts } from '#core/facts.ts';
import { erasedOf, isExpired, load, loadBranch } from '#core/load.ts';
import { newEvent, placeOfSession } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { isEventId } from '#eventlog/segment.ts';
import { type Clean, type CleanObject, type CleanText, sentence, word } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { refuseUnknownRoute } from '#resources/agent/choose-route.ts';
import { createBranch } from '#resources/branch/commands.ts';
import type { Session } from './schema.ts';
import { refuseUnknownTier } from './session-tier.ts';
import { modeShown, shownSession } from './shown-session.ts';
import type { CleanSessionFold } from './state.ts';
import { withOwnBudget } from './transcript/budget.ts';
import type { TranscriptArchive } from './transcript/schema.ts';
import { turnAt } from './transcript/turns.ts';

export const forkSession: Command<'forkSession'> = {
  decide({ path, body }, tx, facts) {
    const source = load(tx, facts.caller, 'session', path.session_id);
    // It may still be there for a moment; a copy would outlive it.
    const erased = erasedOf(tx, facts.caller, source.resource.id);
    if (erased !== undefined) throw wasErased('session', erased);
    refuseUnknownRoute(facts.routes, metadataOf(body ?? {}));
    refuseUnknownTier(metadataOf(body ?? {}));
    const at = body?.at_event_id ?? null;
    const turn_count = at === null ? source.internal.messages : turnsUntil(tx, source, at);
    const branch_id = branchOf(body?.branch_id ?? null, source, at, tx, facts);
    const archive = archiveWithin(source, turn_count);
    const fork = forkOf(source, { branch_id, turn_count, archive }, metadataOf(body ?? {}), tx, facts);
    const fact = { at_event_id: at, turn_count };
    const forked = { session_id: source.resource.id, ...fact, ...(archive ? { archive } : {}) };
    const pointer = { object: 'session', id: fork.id };
    const { skill_ids, vault_ids, memory_ids } = source.internal;
    const given = Object.entries({ skill_ids, vault_ids, memory_ids }).filter(([, ids]) => ids !== undefined);
    // What limits a Session limits what is forked from it.
    const payload = { session: modeShown(tx, facts.self, fork), forked, ...Object.fromEntries(given) };
    tx.append(newEvent('session.created', pointer, placeOfSession(fork), payload));
    const origin = { object: 'session', id: source.resource.id };
    const newThread = { session_id: fork.id, branch_id, ...fact };
    tx.append(newEvent('session.thread_forked', origin, placeOfSession(source.resource), newThread));
    return { body: shownSession(tx, facts, load(tx, facts.caller, 'session', fork.id)) };
  },
};

/** Turns that the event had seen; the event must be one of this session. */
function turnsUntil(tx: Transaction, { resource, internal }: CleanSessionFold, eventId: string): number {
  const event = isEventId(eventId) ? tx.event(eventId) : undefined;
  if (event?.session_id !== resource.id) {
    const message = 'at_event_id is no event of this session. Take one from its events, or leave it out.';
    throw new ProtocolError('invalid_request', message, { param: 'at_event_id' });
  }
  let count = 0;
  while (count < internal.messages) {
    const turn = turnAt(tx, resource.id, count);
    if (turn === undefined || turn.event_id > eventId) break;
    count += 1;
  }
  return count;
}

function branchOf(
  asked: CleanText | null,
  { resource }: CleanSessionFold,
  at: CleanText | null,
  tx: Transaction,
  facts: Facts,
): CleanText {
  if (asked !== null) return loadBranch(tx, facts.caller, asked, resource.workspace_id).resource.id;
  const draft = {
    kind: 'session' as const,
    base_ref: at === null ? resource.id : sentence`${resource.id}@${at}`,
    metadata: {},
    parent_branch_id: resource.branch_id,
    session_id: resource.id,
  };
  return createBranch(tx, facts, placeOfSession(resource), draft).id;
}

/** A fork inside of what was archived has those turns whole; its own events begin with it. */
function archiveWithin(
  { internal }: CleanSessionFold,
  turnCount: number,
): Clean<TranscriptArchive> | undefined {
  const { archive } = internal;
  if (archive === undefined || archive.turns > turnCount) return undefined;
  return { ...archive, through_event_id: null, counted: { ...archive.counted, events: 0 } };
}

interface Forked {
  branch_id: CleanText;
  turn_count: number;
  archive: Clean<TranscriptArchive> | undefined;
}

/** A fork starts idle, with the metadata of its source under its own; of a source that is over it takes no expiry. */
function forkOf(
  { resource, internal }: CleanSessionFold,
  { branch_id, turn_count, archive }: Forked,
  metadata: CleanObject,
  tx: Transaction,
  facts: Facts,
): Clean<Session> {
  // Whoever works there does not work here.
  const { live_clients, live_controller_id, ...source } = resource;
  const { expires_at, ...lasting } = source.metadata;
  const kept = expires_at === undefined || isExpired(source, tx.time) ? lasting : source.metadata;
  const patched = patchedMetadata(kept, withOwnBudget(metadata, kept), facts.limits);
  return {
    ...source,
    id: facts.newId('session'),
    created_at: tx.time,
    updated_at: tx.time,
    metadata: patched,
    expires_at: expiryOf(patched),
    state: 'IDLE',
    transcript: {
      object: word('transcript'),
      message_count: turn_count,
      ...(archive ? { archived_turn_count: archive.turns } : {}),
    },
    summary: archive === undefined && source.summary === internal.archive?.summary ? null : source.summary,
    root_session_id: source.root_session_id ?? source.id,
    parent_session_id: source.id,
    branch_id,
    last_event_id: null,
  };
}
