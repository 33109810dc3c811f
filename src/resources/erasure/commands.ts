import type { Command, Handlers } from '#core/command.ts';
import type { Facts } from '#core/facts.ts';
import { load, loadWorkspace } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { defaultWorkspace } from '#policy/access.ts';
import { type Clean, type CleanText, word } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { refuseHeld } from '#resources/hold/held.ts';
import { closeSessionNow } from '#resources/session/close-session.ts';
import { getErasure, listErasures } from './queries.ts';
import type { Erasure } from './schema.ts';
import { type CleanErasedState, erasureKeys } from './state.ts';

const NOTHING_OF_ACTOR = { sessions: [], shared: [], held: [], unreplayable: [] };
const NOTHING = { events: 0, tasks: 0, messages: 0, artifacts: 0, receipts: 0, memories: 0, answers: 0 };

/** The request is durable before anything goes: a crash in between leaves an erasure that the next start ends. */
const createErasure: Command<'createErasure'> = {
  decide({ body }, tx, facts) {
    const { subject, workspace_id } =
      body.actor === undefined
        ? sessionToErase(tx, facts, body.session_id)
        : actorToErase(tx, facts, body.actor, body.workspace_id);
    const id = facts.newId('erasure');
    const erasure: Clean<Erasure> = {
      id,
      object: 'erasure',
      created_at: tx.time,
      updated_at: tx.time,
      metadata: {},
      workspace_id,
      subject,
      rule: body.rule,
      reason: body.reason ?? null,
      requested_by: facts.by.actor,
      state: 'erasing',
      completed_at: null,
      removed: NOTHING,
      receipts: [],
      forks: [],
      ...(body.actor === undefined ? {} : { of_actor: NOTHING_OF_ACTOR }),
    };
    tx.append(
      newEvent(
        'vendor.harn_gateway.erasure_requested',
        { object: 'erasure', id },
        { workspace_id },
        {
          erasure,
        },
      ),
    );
    return { effect: { kind: 'erase', erasureId: id } };
  },

  conclude({ body }, tx, facts, { erasureId }) {
    if (erasureId === undefined)
      throw new Error(`the erasure of ${body.session_id ?? 'an actor'} is begun before it is answered`);
    return { body: load(tx, facts.caller, 'erasure', erasureId).resource };
  },
};

interface ToErase {
  subject: Clean<Erasure['subject']>;
  workspace_id: CleanText;
}

function sessionToErase(tx: Transaction, facts: Facts, sessionId = ''): ToErase {
  const session = load(tx, facts.caller, 'session', sessionId, 'session_id').resource;
  const begun = tx.get<CleanErasedState>(erasureKeys.erased(session.id));
  if (begun !== undefined) throw underWay('session', begun);
  refuseHeld(tx, session.id, tx.time);
  closeSessionNow(tx, facts, session, word('erased'));
  return { subject: { object: word('session'), id: session.id }, workspace_id: session.workspace_id };
}

/** Which Sessions the actor is in is found out when it is carried out, and which of them a hold keeps. */
function actorToErase(
  tx: Transaction,
  facts: Facts,
  actor: CleanText,
  workspaceId: CleanText | undefined,
): ToErase {
  const asked = workspaceId ?? defaultWorkspace(facts.caller);
  const { id: workspace_id } = loadWorkspace(tx, facts.caller, asked, 'workspace_id').resource;
  const begun = tx.get<CleanErasedState>(erasureKeys.erasingActor(workspace_id, actor));
  if (begun !== undefined) throw underWay('actor', begun);
  return { subject: { object: word('actor'), id: actor }, workspace_id };
}

function underWay(what: 'session' | 'actor', { erasure_id }: CleanErasedState): ProtocolError {
  const message = `This ${what} is being erased already. Read the erasure to see how far it is.`;
  return new ProtocolError('conflict', message, { details: { erasure_id } });
}

export const handlers = { createErasure, getErasure, listErasures } satisfies Partial<Handlers>;
