import type { Command } from '#core/command.ts';
import { notFound } from '#core/load.ts';
import { recordSigningKeys, signingKeyOf } from './signing-keys.ts';

/** Inside of the decision for the reason of a rotation. */
export const revokeSigningKey: Command<'revokeSigningKey'> = {
  decide({ path }, tx, { signingKeys }) {
    const row = signingKeys.revoke(path.signing_key_id, tx.time);
    if (row === undefined) throw notFound('signing_key');
    recordSigningKeys(tx, signingKeys.rows());
    return { body: signingKeyOf(row) };
  },
};
