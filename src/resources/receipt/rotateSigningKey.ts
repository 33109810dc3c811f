import type { Command } from '#core/command.ts';
import { recordSigningKeys, signingKeyOf } from './signing-keys.ts';

/**
 * The registry changes inside of the decision: every receipt is signed in a transaction, so each one before this has the old
 * key and a time in its window, and each one after it the new key.
 */
export const rotateSigningKey: Command<'rotateSigningKey'> = {
  decide(_input, tx, { signingKeys }) {
    const row = signingKeys.rotate(tx.time);
    recordSigningKeys(tx, signingKeys.rows());
    return { body: signingKeyOf(row) };
  },
};
