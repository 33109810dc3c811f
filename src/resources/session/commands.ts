import type { Command, Handlers } from '#core/command.ts';
import { metadataOf, patchedMetadata } from '#core/decode-input.ts';
import { type Expiry, expiryOf } from '#core/expiry.ts';
import { load } from '#core/load.ts';
import { newEvent, placeOfSession } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { asCleanObject, type CleanObject, type CleanText, word } from '#protocol/clean.ts';
import { refuseUnknownRoute } from '#resources/agent/choose-route.ts';
import { refuseHeld } from '#resources/hold/held.ts';
import { refuseUnknownProvider } from '#resources/runtime/provider-catalog.ts';
import { cancelOpenTasks, closeSession, closeSessionNow } from './close-session.ts';
import { forkSession } from './forkSession.ts';
import { createSession } from './new-session.ts';
import { getMessage, getSession, listSessionMessages, listSessions } from './queries.ts';
import type { SessionModelPolicy } from './schema.ts';
import { refuseClosed } from './session-lane.ts';
import { patchWithMode, proveTierChange, refuseUnknownTier } from './session-tier.ts';
import { shownSession } from './shown-session.ts';
import { type CleanSessionFold, sessionKeys } from './state.ts';
import { archiveUpTo, boundaryUpTo, extractOf, firstLiveTurn } from './transcript/archive-turns.ts';
import { usageOf, withOwnBudget } from './transcript/budget.ts';
import { appendCompaction } from './transcript/make-room.ts';
import { getSessionTranscript } from './transcript/queries.ts';
import { turnAt } from './transcript/turns.ts';

const updateSession: Command<'updateSession'> = {
  decide({ path, body }, tx, facts) {
    const { resource } = load(tx, facts.caller, 'session', path.session_id);
    refuseUnknownRoute(facts.routes, metadataOf(body));
    refuseUnknownTier(metadataOf(body));
    refuseUnknownProvider(facts, body.model_policy);
    const patch = patchWithMode(body.metadata, body.mode_id);
    const changes: CleanObject = {
      ...(body.summary === undefined ? {} : { summary: body.summary }),
      ...(body.model_policy === undefined
        ? {}
        : { model_policy: body.model_policy && asCleanObject<SessionModelPolicy>(body.model_policy) }),
      ...(patch === undefined
        ? {}
        : {
            metadata: patchedMetadata(
              resource.metadata,
              withOwnBudget(patch, resource.metadata),
              facts.limits,
            ),
          }),
      ...(body.metadata?.['expires_at'] === undefined ? {} : { expires_at: expiryOf(body.metadata) }),
    };
    if (Object.keys(changes).length > 0) {
      const place = placeOfSession(resource);
      const pointer = { object: 'session', id: resource.id };
      const draft = newEvent('vendor.harn_gateway.session_updated', pointer, place, { changes });
      const event = tx.append(draft);
      const { metadata } = load(tx, facts.caller, 'session', path.session_id).resource;
      proveTierChange(tx, facts, resource, { event, metadata });
    }
    return {
      body: shownSession(tx, facts, load(tx, facts.caller, 'session', path.session_id)),
    };
  },
};

/**
 * Archives all turns but the newest ones. Messages, Events and Artifacts stay readable, and every recorded run can still be
 * replayed; the transcript, and what an agent is given of the past, become shorter. Nothing to archive changes nothing.
 */
const compactSession: Command<'compactSession'> = {
  decide({ path, body }, tx, facts) {
    const { summary, keep_last = 10, reason } = body ?? {};
    const session = load(tx, facts.caller, 'session', path.session_id);
    refuseClosed(session.resource, tx.time);
    const to = boundaryUpTo(tx, session, Math.max(0, session.internal.messages - keep_last));
    const from = firstLiveTurn(session);
    if (to > from) {
      const abstract =
        summary === undefined
          ? { text: facts.redact(extractOf(tx, session, to)).value, source: 'extract' as const }
          : { text: summary, source: 'caller' as const };
      appendCompaction(tx, session, archiveUpTo(tx, session, to, abstract), reason ?? null);
    }
    const after = tx.get<CleanSessionFold>(sessionKeys.session(session.resource.id)) ?? session;
    const result = {
      object: 'session.compact_result',
      session_id: session.resource.id,
      compacted_turn_count: Math.max(0, to - from),
      retained_turn_count: usageOf(after.internal).messages,
      summary: after.internal.archive?.summary ?? null,
      summary_source: after.internal.archive?.summary_source ?? null,
      session: shownSession(tx, facts, after),
    };
    return { body: result };
  },
};

/** A turn is a Message. Keeping as many as there are, or more, changes nothing. */
const truncateSession: Command<'truncateSession'> = {
  decide({ path, body }, tx, facts) {
    const before = load(tx, facts.caller, 'session', path.session_id);
    refuseClosed(before.resource, tx.time);
    const kept = Math.min(body.keep_first, before.internal.messages);
    const removed = before.internal.messages - kept;
    const tip = tipOf(tx, before, kept);
    if (removed > 0) {
      refuseHeld(tx, before.resource.id, tx.time);
      cancelOpenTasks(tx, facts, before.resource.id, word('The session was truncated.'));
      const counts = { kept_turn_count: kept, removed_turn_count: removed, new_tip_turn_id: tip };
      const payload = { ...counts, reason: body.reason ?? null };
      const pointer = { object: 'session', id: before.resource.id };
      tx.append(newEvent('session.truncated', pointer, placeOfSession(before.resource), payload));
    }
    const result = {
      object: 'session.truncate_result',
      session_id: before.resource.id,
      kept_turn_count: kept,
      removed_turn_count: removed,
      new_tip_turn_id: tip,
      session: shownSession(tx, facts, load(tx, facts.caller, 'session', path.session_id)),
    };
    return { body: result };
  },
};

function tipOf(tx: Transaction, { resource }: CleanSessionFold, kept: number): CleanText | null {
  return turnAt(tx, resource.id, kept - 1)?.message_id ?? null;
}

export const expiry: Expiry = {
  prefix: sessionKeys.expiringSessions,
  end(tx, tools, id) {
    const session = tx.get<CleanSessionFold>(sessionKeys.session(id))?.resource;
    if (session) closeSessionNow(tx, tools, session, word('expired'));
  },
};

export const handlers = {
  closeSession,
  compactSession,
  createSession,
  forkSession,
  truncateSession,
  updateSession,
  getMessage,
  getSession,
  getSessionTranscript,
  listSessionMessages,
  listSessions,
} satisfies Partial<Handlers>;
