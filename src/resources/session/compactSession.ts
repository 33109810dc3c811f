import type { Command } from '#core/command.ts';
import { load } from '#core/load.ts';
import type { SessionFold } from '#resources/read-states.ts';
import { stateKey } from '#resources/state-keys.ts';
import { refuseClosed } from './refuse-closed.ts';
import { archiveUpTo, boundaryUpTo, extractOf, firstLiveTurn } from './transcript/archive-turns.ts';
import { usageOf } from './transcript/budget.ts';
import { appendCompaction } from './transcript/make-room.ts';

/**
 * Archives all turns but the newest ones. Messages, Events and Artifacts stay readable, and every recorded run can still be
 * replayed; the transcript, and what an agent is given of the past, become shorter. Nothing to archive changes nothing.
 */
export const compactSession: Command<'compactSession'> = {
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
    const after = tx.get<SessionFold>(stateKey.session(session.resource.id)) ?? session;
    const result = {
      object: 'session.compact_result',
      session_id: session.resource.id,
      compacted_turn_count: Math.max(0, to - from),
      retained_turn_count: usageOf(after.internal).messages,
      summary: after.internal.archive?.summary ?? null,
      summary_source: after.internal.archive?.summary_source ?? null,
      session: after.resource,
    };
    return { body: result };
  },
};
