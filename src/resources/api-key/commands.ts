import type { Command, Handlers } from '#core/command.ts';
import { metadataOf } from '#core/decode-input.ts';
import { expiryOf } from '#core/expiry.ts';
import { word } from '#protocol/clean.ts';
import { timestamp } from '#protocol/ports.ts';
import { refuseSecrets } from '#resources/vault/refuse-secrets.ts';
import {
  endApiKey,
  loadApiKey,
  loadLiveKey,
  makeApiKey,
  refuseThirdKey,
  refuseWider,
  shownAgain,
} from './make-api-key.ts';
import { listApiKeys } from './queries.ts';

const createApiKey: Command<'createApiKey'> = {
  decide({ body, sent }, tx, facts) {
    const metadata = metadataOf(body);
    const { expires_at } = body;
    const expiry = typeof expires_at === 'string' ? expiryOf({ expires_at }, 'expires_at') : null;
    const scopes = body.scopes.map((scope) => word(scope));
    const grant = { ...body, scopes, metadata, expires_at: expiry };
    refuseWider(grant, tx, facts);
    refuseSecrets({ metadata: sent.metadata ?? {} }, facts);
    refuseThirdKey(grant.actor, tx, facts);
    return { body: makeApiKey(grant, tx, facts) };
  },
  again: shownAgain,
};

const DEFAULT_OVERLAP_SECONDS = 86_400;

const rotateApiKey: Command<'rotateApiKey'> = {
  decide({ path, body }, tx, facts) {
    const old = loadLiveKey(path.key_id, tx, facts);
    refuseWider(old, tx, facts);
    const overlapMs = (body?.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS) * 1000;
    refuseThirdKey(old.actor, tx, facts, overlapMs === 0 ? old.id : undefined);
    const made = makeApiKey(old, tx, facts);
    const until = timestamp(Date.parse(tx.time) + overlapMs);
    const expires_at = old.expires_at !== null && old.expires_at < until ? old.expires_at : until;
    endApiKey(old, { expires_at, replaced_by: made.id }, tx);
    return { body: made };
  },
  again: shownAgain,
};

/** Revoking twice is the same as once. */
const revokeApiKey: Command<'revokeApiKey'> = {
  decide({ path }, tx, facts) {
    const key = loadApiKey(path.key_id, tx, facts.caller);
    if (key.revoked_at === null) endApiKey(key, { revoked_at: tx.time }, tx);
    return { body: loadApiKey(path.key_id, tx, facts.caller) };
  },
};

export const handlers = {
  createApiKey,
  revokeApiKey,
  rotateApiKey,
  listApiKeys,
} satisfies Partial<Handlers>;
