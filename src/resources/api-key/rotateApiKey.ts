import type { Command } from '#core/command.ts';
import { timestamp } from '#protocol/ports.ts';
import {
  endApiKey,
  loadLiveKey,
  makeApiKey,
  refuseThirdKey,
  refuseWider,
  shownAgain,
} from './make-api-key.ts';

const DEFAULT_OVERLAP_SECONDS = 86_400;

export const rotateApiKey: Command<'rotateApiKey'> = {
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
