import { type Command, metadataOf } from '#core/command.ts';
import { expiryOf } from '#core/expiry.ts';
import { word } from '#protocol/clean.ts';
import { refuseSecrets } from '#resources/vault/refuse-secrets.ts';
import { makeApiKey, refuseThirdKey, refuseWider, shownAgain } from './make-api-key.ts';

export const createApiKey: Command<'createApiKey'> = {
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
