import type { Command, Handlers } from '#core/command.ts';
import { load } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import { type Clean, word } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { refuseHeld } from '#resources/hold/held.ts';
import { closeSessionNow } from '#resources/session/close-session.ts';
import { getErasure, listErasures } from './queries.ts';
import type { Erasure } from './schema.ts';
import { erasureKeys } from './state.ts';

const NOTHING = { events: 0, tasks: 0, messages: 0, artifacts: 0, receipts: 0, memories: 0, answers: 0 };

/** The request is durable before anything goes: a crash in between leaves an erasure that the next start ends. */
const createErasure: Command<'createErasure'> = {
  decide({ body }, tx, facts) {
    const session = load(tx, facts.caller, 'session', body.session_id, 'session_id').resource;
    const begun = tx.get(erasureKeys.erased(session.id));
    if (begun !== undefined) throw underWay(String((begun as { erasure_id: string }).erasure_id));
    refuseHeld(tx, session.id, tx.time);
    const id = facts.newId('erasure');
    const erasure: Clean<Erasure> = {
      id,
      object: 'erasure',
      created_at: tx.time,
      updated_at: tx.time,
      metadata: {},
      workspace_id: session.workspace_id,
      subject: { object: word('session'), id: session.id },
      rule: body.rule,
      reason: body.reason ?? null,
      requested_by: facts.by.actor,
      state: 'erasing',
      completed_at: null,
      removed: NOTHING,
      receipts: [],
      forks: [],
    };
    closeSessionNow(tx, facts, session, word('erased'));
    const place = { workspace_id: session.workspace_id };
    tx.append(
      newEvent('vendor.harn_gateway.erasure_requested', { object: 'erasure', id }, place, { erasure }),
    );
    return { effect: { kind: 'erase', erasureId: id } };
  },

  conclude({ body }, tx, facts, { erasureId }) {
    if (erasureId === undefined)
      throw new Error(`the erasure of ${body.session_id} is begun before it is answered`);
    return { body: load(tx, facts.caller, 'erasure', erasureId).resource };
  },
};

function underWay(erasure_id: string): ProtocolError {
  const message = 'This session is being erased already. Read the erasure to see how far it is.';
  return new ProtocolError('conflict', message, { details: { erasure_id } });
}

export const handlers = { createErasure, getErasure, listErasures } satisfies Partial<Handlers>;
