import type { Command, Handlers } from '#core/command.ts';
import { metadataOf } from '#core/decode-input.ts';
import { type Expiry, expiryOf } from '#core/expiry.ts';
import { load } from '#core/load.ts';
import { newEvent } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { type Clean, type CleanText, word } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { type CleanErasedState, type CleanErasureState, erasureKeys } from '#resources/erasure/state.ts';
import { tombstoneKey } from '#store/keys.ts';
import { getHold, listHolds } from './queries.ts';
import type { Hold } from './schema.ts';
import { type CleanHoldState, holdKeys } from './state.ts';

const createHold: Command<'createHold'> = {
  decide({ body }, tx, facts) {
    const sessions = body.session_ids.map((id, at) => {
      const { resource } = load(tx, facts.caller, 'session', id, `session_ids[${at}]`);
      if (tx.recorded(tombstoneKey(resource.id)) !== undefined) throw goingAway(at);
      refuseErasing(tx, resource.id, at);
      return resource;
    });
    const [first] = sessions;
    const stranger = sessions.findIndex(({ workspace_id }) => workspace_id !== first?.workspace_id);
    if (first === undefined || stranger !== -1) throw otherWorkspace(stranger);
    const { expires_at } = body;
    const expiry = typeof expires_at === 'string' ? expiryOf({ expires_at }, 'expires_at') : null;
    if (expiry !== null && expiry <= tx.time) throw overAlready();
    const hold: Clean<Hold> = {
      id: facts.newId('hold'),
      object: 'hold',
      created_at: tx.time,
      updated_at: tx.time,
      metadata: metadataOf(body),
      name: body.name,
      workspace_id: first.workspace_id,
      session_ids: [...new Set(sessions.map(({ id }) => id))],
      reason: body.reason,
      created_by: facts.by.actor,
      expires_at: expiry,
      released_at: null,
      released_by: null,
      release_reason: null,
    };
    const place = { workspace_id: hold.workspace_id };
    tx.append(newEvent('vendor.harn_gateway.hold_created', { object: 'hold', id: hold.id }, place, { hold }));
    return { body: hold };
  },
};

function otherWorkspace(at: number): ProtocolError {
  const message = 'The sessions of a hold are of one workspace. Make a hold for each workspace.';
  return new ProtocolError('invalid_request', message, { param: `session_ids[${at}]` });
}

/** Half of it may be gone: a hold would keep what nobody can call whole. */
function refuseErasing(tx: Transaction, sessionId: string, at: number): void {
  const begun = [erasureKeys.erased(sessionId), erasureKeys.erasedIn(sessionId)];
  for (const key of begun) {
    const id = tx.get<CleanErasedState>(key)?.erasure_id;
    if (id === undefined || tx.get<CleanErasureState>(erasureKeys.erasure(id))?.resource.state !== 'erasing')
      continue;
    const message = `An erasure takes words out of this session now, so it cannot be kept as it is. Ask again when ${id} is completed.`;
    throw new ProtocolError('conflict', message, {
      param: `session_ids[${at}]`,
      details: { erasure_id: id },
    });
  }
}

function goingAway(at: number): ProtocolError {
  const message = 'This session is being removed already, so it cannot be kept any more.';
  return new ProtocolError('conflict', message, { param: `session_ids[${at}]` });
}

function overAlready(): ProtocolError {
  return new ProtocolError('invalid_request', 'expires_at is in the past. Name a later time, or none.', {
    param: 'expires_at',
  });
}

/** Releasing twice is refused, so that the reason on record is that of the release. */
const releaseHold: Command<'releaseHold'> = {
  decide({ path, body }, tx, facts) {
    const { resource } = load(tx, facts.caller, 'hold', path.hold_id);
    if (resource.released_at !== null)
      throw new ProtocolError('conflict', 'This hold was released already.', {
        details: { released_at: resource.released_at },
      });
    release(tx, resource, { by: facts.by.actor, reason: body.reason });
    return { body: load(tx, facts.caller, 'hold', path.hold_id).resource };
  },
};

function release(
  tx: Transaction,
  { id, workspace_id }: Clean<Hold>,
  { by, reason }: { by: CleanText | null; reason: CleanText },
): void {
  const payload = { released_at: tx.time, released_by: by, release_reason: reason };
  const pointer = { object: 'hold', id };
  tx.append(newEvent('vendor.harn_gateway.hold_released', pointer, { workspace_id }, payload));
}

export const expiry: Expiry = {
  prefix: holdKeys.expiringHolds,
  end(tx, _tools, id) {
    const hold = tx.get<CleanHoldState>(holdKeys.hold(id))?.resource;
    if (hold && hold.released_at === null) release(tx, hold, { by: null, reason: word('expired') });
  },
};

export const handlers = { createHold, releaseHold, getHold, listHolds } satisfies Partial<Handlers>;
