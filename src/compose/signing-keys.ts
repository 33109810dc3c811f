import type { Config } from '#config/load.ts';
import type { ReceiptFacts, SigningKeyFacts } from '#core/facts.ts';
import { own } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { KeyRegistry } from '#receipts/key-registry.ts';
import type { SigningKey } from '#resources/receipt/schema.ts';
import { recordSigningKeys, signingKeyOf } from '#resources/receipt/signing-keys.ts';
import { createLogging } from './logging.ts';
import { type OpenData, openData } from './open-data.ts';
import { systemClock, systemRandom } from './parts.ts';

/** The registry as decisions use it: what its files refuse becomes an answer that says what to do. */
export function signingKeyFacts(keys: KeyRegistry, { store }: Pick<Config, 'store'>): SigningKeyFacts {
  return {
    isShared: store.kind === 'jetstream',
    rows: () => keys.rows(),
    rotate: (at) => written(() => keys.rotate(at)),
    revoke: (keyId, at) => written(() => keys.revoke(keyId, at)),
  };
}

function written<Result>(change: () => Result): Result {
  try {
    return change();
  } catch (cause) {
    const message =
      'The key registry cannot be written; nothing changed. Look at the data directory, then retry.';
    throw new ProtocolError('service_unavailable', message, { cause });
  }
}

export type KeyChange = { kind: 'none' } | { kind: 'rotate' } | { kind: 'revoke'; keyId: string };

/**
 * Changes the keys of a data directory that no gateway uses; returns all of them. A rotation also takes the place of a key whose
 * private half is lost. Throws StoreOpenError, ProtocolError.
 */
export async function changeKeysOffline(
  config: Config,
  change: KeyChange,
  destination: Parameters<typeof createLogging>[1],
): Promise<SigningKey[]> {
  const { logger } = createLogging('warn', destination);
  const { log, keys } = await openData({
    config,
    logger,
    clock: systemClock,
    random: systemRandom,
    opensWithoutKey: change.kind === 'rotate',
  });
  try {
    if (change.kind !== 'none')
      await log.transact({ actor: 'operator' }, (tx) => {
        if (change.kind === 'rotate') keys.rotate(tx.time);
        else if (keys.revoke(change.keyId, tx.time) === undefined)
          throw new ProtocolError(
            'resource_not_found',
            'No such key. See "harn-gateway keys list --offline".',
          );
        recordSigningKeys(tx, signingKeyFacts(keys, config));
      });
    return keys.rows().map(signingKeyOf);
  } finally {
    await log.close();
  }
}

/** The issuer of a data directory that is given none stays the same while the directory lives. */
export function receiptFacts({ receipts }: Config, { log, keys }: OpenData): ReceiptFacts {
  const { issuer, name, acceptance } = receipts;
  return {
    acceptance,
    issuer: { id: own(issuer ?? log.logId.replace(/^log_/, 'harness_')), name },
    key: keys.current.bind(keys),
  };
}
