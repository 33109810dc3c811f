import type { Command } from '#core/command.ts';
import { load } from '#core/load.ts';
import { newEvent, placeOfSession } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { type CleanText, word } from '#protocol/clean.ts';
import type { SessionFold } from '#resources/read-states.ts';
import { cancelOpenTasks } from './close-session.ts';
import { refuseClosed } from './refuse-closed.ts';
import { turnAt } from './transcript/turns.ts';

/** A turn is a Message. Keeping as many as there are, or more, changes nothing. */
export const truncateSession: Command<'truncateSession'> = {
  decide({ path, body }, tx, facts) {
    const before = load(tx, facts.caller, 'session', path.session_id);
    refuseClosed(before.resource, tx.time);
    const kept = Math.min(body.keep_first, before.internal.messages);
    const removed = before.internal.messages - kept;
    const tip = tipOf(tx, before, kept);
    if (removed > 0) {
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
      session: load(tx, facts.caller, 'session', path.session_id).resource,
    };
    return { body: result };
  },
};

function tipOf(tx: Transaction, { resource }: SessionFold, kept: number): CleanText | null {
  return turnAt(tx, resource.id, kept - 1)?.message_id ?? null;
}
