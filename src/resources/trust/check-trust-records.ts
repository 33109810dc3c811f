import type { Finding } from '#eventlog/finding.ts';
import { decodeFold } from '#eventlog/fold-record.ts';
import { TrustChainVerifier } from '#receipts/trust-chain.ts';
import type { VerificationKeys } from '#receipts/verification-keys.ts';
import { KEY_KINDS, keysUnder, trustKey, trustPlaceOf } from '#store/keys.ts';
import { unseal } from '#store/sealed-record.ts';
import type { Store } from '#store/store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { type TrustChainState, trustKeys } from './state.ts';

/**
 * Verifies every chain of trust records from its stored bytes: shape, hashes, links, signatures, and that it is as long as the
 * log says. Of a chain the first record that fails is reported: what comes after it cannot be judged. Changes nothing.
 */
export async function* checkTrustRecords(
  store: Store,
  keys: VerificationKeys,
): AsyncGenerator<Finding, void> {
  let chain: CheckedChain | undefined;
  const heads = new Set<string>();
  for await (const page of store.entries(keysUnder(KEY_KINDS.trust.prefix)))
    for (const [key, sealed] of page) {
      const place = placeOf(key);
      if (place === undefined) {
        yield finding(key, 'a link of a chain of trust records', 'another record');
        continue;
      }
      if (chain?.topic !== place.topic) {
        yield* chain?.end(store) ?? [];
        chain = new CheckedChain(place.topic, keys);
        heads.add(trustKeys.trustChain(place.topic));
      }
      yield* chain.take(key, sealed);
    }
  yield* chain?.end(store) ?? [];
  for await (const page of store.keys(keysUnder(trustKeys.trustChains)))
    for (const key of page) if (!heads.has(key)) yield finding(key, 'the records of this chain', 'none');
}

class CheckedChain {
  readonly topic: string;
  readonly #verifier: TrustChainVerifier;
  #isBroken = false;

  constructor(topic: string, keys: VerificationKeys) {
    this.topic = topic;
    this.#verifier = new TrustChainVerifier(topic, keys);
  }

  *take(key: string, sealed: Buffer): Generator<Finding, void> {
    if (this.#isBroken) return;
    const expected = trustKey(this.topic, this.#verifier.count + 1);
    if (key !== expected) {
      yield this.#broken(expected, 'the next record of the chain', `the next one is ${key}`);
      return;
    }
    const bytes = readable(() => unseal(sealed, key));
    if (bytes === undefined) {
      yield this.#broken(key, 'the bytes that were written', 'others');
      return;
    }
    const fault = this.#verifier.take(bytes);
    if (fault) yield this.#broken(key, `${fault.step}: ${fault.expected}`, fault.observed);
  }

  /** Records that are missing at the end are known by the head alone. */
  *end(store: Store): Generator<Finding, void> {
    if (this.#isBroken) return;
    const key = trustKeys.trustChain(this.topic);
    const stored = store.get(key);
    const state = stored && readable(() => decodeFold(key, stored).state as TrustChainState);
    const said = `${state?.count ?? 0} records, head ${state?.head ?? null}`;
    const found = `${this.#verifier.count} records, head ${this.#verifier.head}`;
    if (said !== found) yield finding(key, said, found);
  }

  #broken(where: string, expected: string, observed: string): Finding {
    this.#isBroken = true;
    return finding(where, expected, observed);
  }
}

function placeOf(key: string): { topic: string; index: number } | undefined {
  return readable(() => trustPlaceOf(key));
}

function finding(where: string, expected: string, observed: string): Finding {
  return { problem: 'trust', where, expected, observed };
}

/** Undefined for what is damaged, which the check of the log names, and for a topic in no spelling of ours. */
function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof IntegrityError || error instanceof URIError || error instanceof SyntaxError)
      return undefined;
    throw error;
  }
}
