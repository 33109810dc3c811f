import type { Command } from '#core/command.ts';
import { endApiKey, loadApiKey } from './make-api-key.ts';

/** Revoking twice is the same as once. */
export const revokeApiKey: Command<'revokeApiKey'> = {
  decide({ path }, tx, facts) {
    const key = loadApiKey(path.key_id, tx, facts.caller);
    if (key.revoked_at === null) endApiKey(key, { revoked_at: tx.time }, tx);
    return { body: loadApiKey(path.key_id, tx, facts.caller) };
  },
};
