import { nextTurn } from '#core/next-turn.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { decodeLeaf } from '#receipts/merkle.ts';
import { keysOfJwks, type VerificationKeys } from '#receipts/verification-keys.ts';
import { ChainVerifier, type ReceiptVerdict } from '#receipts/verify-chain.ts';
import type { ImportState } from '#resources/bundle/fold-imported.ts';
import { bundleKeys } from '#resources/bundle/state.ts';
import { type ErasedState, erasureKeys } from '#resources/erasure/state.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import { leafKey, receiptKey } from '#store/keys.ts';
import type { WireReceipt } from './schema.ts';
import { type ReceiptChainState, type ReceiptState, receiptKeys } from './state.ts';

export interface StoredVerdict extends ReceiptVerdict {
  /**
   * Whose keys made the signatures that were looked at: all of them this gateway's `own`, or some that the bundle of an imported
   * Session `brought`, which show that nothing was changed since and not whose it is.
   */
  keys: 'own' | 'brought';
  /** Receipts before it in the chain that were erased: of them only the hashes were looked at. Absent where there are none. */
  erased?: number;
}

/** Receipts read in one go; other work gets its turn in between. */
const PAGE = 50;

/**
 * Verifies a stored receipt with all of its chain before it, from the bytes as they are stored, and that it is the leaf of the
 * receipt log that it says to be. A record that fails its own integrity check is a receipt that does not verify.
 */
export async function verifyStoredReceipt(
  log: EventLog,
  keys: VerificationKeys,
  receiptId: string,
  trustAnchor?: string,
): Promise<StoredVerdict> {
  const { session_id } = stateOf(log, receiptId).resource;
  const trusted = anchored(keysOfSession(log, keys, session_id), trustAnchor);
  const signers = new Set<string>();
  const links = chainOf(log, receiptId);
  const verdict = await verdictOf(log, links, trusted, signers);
  const erased = links.filter((link) => erasedLink(log, link) !== undefined).length;
  return {
    ...verdict,
    ...(erased > 0 ? { erased } : {}),
    keys: [...signers].every((keyId) => keys.has(keyId)) ? 'own' : 'brought',
  };
}

/** Notes the keys of what was verified in `signers`. */
async function verdictOf(
  log: EventLog,
  links: readonly string[],
  trusted: VerificationKeys,
  signers: Set<string>,
): Promise<ReceiptVerdict> {
  const verifier = new ChainVerifier({ keys: trusted, receipts: 'whole' });
  let verdict = verifier.verdict();
  let index = 0;
  for (const id of links) {
    if (index > 0 && index % PAGE === 0) await nextTurn();
    const erased = erasedLink(log, id);
    if (erased !== undefined) {
      const leaf = hashOfLeaf(log, id, erased.log_index);
      if (leaf !== erased.hash)
        return refused('merkle', index, erased.hash, leaf ?? 'no leaf of the receipt log');
      verifier.pass(erased.hash);
      index += 1;
      continue;
    }
    const given = readReceipt(log, id);
    if ('fault' in given) return refused('canonicalize', index, 'a record with its own hash', given.fault);
    verdict = verifier.take(given.value);
    if (!verdict.ok) return verdict;
    const { signatures = [] } = given.value as unknown as WireReceipt;
    for (const { key_id } of signatures) signers.add(key_id);
    const { hash, log_index } = stateOf(log, id).internal;
    const leaf = hashOfLeaf(log, id, log_index);
    if (leaf !== hash) return refused('merkle', index, hash, leaf ?? 'no leaf of the receipt log');
    index += 1;
  }
  return verdict;
}

/**
 * The keys of this gateway; for a Session that was imported also those that its bundle brought. A key that is known here counts
 * as it is known here.
 */
function keysOfSession(log: EventLog, keys: VerificationKeys, sessionId: string): VerificationKeys {
  const imported = log.state<ImportState>(bundleKeys.sessionImport(sessionId));
  return imported ? new Map([...keysOfJwks(imported.signing_keys), ...keys]) : keys;
}

function anchored(keys: VerificationKeys, anchor: string | undefined): VerificationKeys {
  return anchor === undefined ? keys : new Map([...keys].filter(([keyId]) => keyId === anchor));
}

/** The ids of the chain up to this receipt, oldest first; for a replay the chain of its session, then what it follows there. */
function chainOf(log: EventLog, receiptId: string): string[] {
  const { resource, internal } = stateOf(log, receiptId);
  if (internal.chain_index !== null) return linksThrough(log, receiptId);
  const chain = log.state<ReceiptChainState>(receiptKeys.receiptChain(resource.session_id));
  return [...(chain ? linksThrough(log, chain.newest) : []), ...replaysThrough(log, receiptId)];
}

/** Each receipt names the one before it in the chain of its session, down to the one of place 0; so does what is left of an erased one. */
function linksThrough(log: EventLog, newest: string): string[] {
  const ids: string[] = [];
  let place = linkOf(log, newest).index;
  for (let id: string | null = newest; id !== null; ) {
    const { index, previous_id }: Link = linkOf(log, id);
    if (index === null || index !== place || (place === 0) !== (previous_id === null))
      throw new Error(`The receipt ${id} has not the place ${place} of its chain.`);
    ids.push(id);
    place = index - 1;
    id = previous_id;
  }
  return ids.reverse();
}

interface Link {
  index: number | null;
  previous_id: string | null;
}

function linkOf(log: EventLog, receiptId: string): Link {
  const erased = erasedLink(log, receiptId)?.chain;
  if (erased !== undefined) return erased;
  const { chain_index: index, previous_id = null } = stateOf(log, receiptId).internal;
  return { index, previous_id };
}

/** What is left of a receipt that was erased. */
function erasedLink(log: EventLog, receiptId: string): ErasedState['receipt'] {
  if (log.state<ReceiptState>(receiptKeys.receipt(receiptId)) !== undefined) return undefined;
  return log.state<ErasedState>(erasureKeys.erased(receiptId))?.receipt;
}

/** A replay of a replay follows the receipt of that one, and so on; oldest first. */
function replaysThrough(log: EventLog, receiptId: string): string[] {
  const { task_id } = stateOf(log, receiptId).resource;
  const replayed = log.state<TaskState>(taskKeys.task(task_id))?.internal.replay?.source_task_id;
  const source = replayed === undefined ? undefined : log.state<TaskState>(taskKeys.task(replayed));
  const followed = source?.internal.replay ? source.resource.receipt_id : null;
  return [...(followed === null ? [] : replaysThrough(log, followed)), receiptId];
}

function stateOf(log: EventLog, receiptId: string): ReceiptState {
  const state = log.state<ReceiptState>(receiptKeys.receipt(receiptId));
  if (state === undefined)
    throw new Error(`The receipt ${receiptId} is named by another record and is nowhere itself.`);
  return state;
}

function hashOfLeaf(log: EventLog, receiptId: string, index: number): string | undefined {
  const record = log.record(leafKey(index));
  const leaf = record && decodeLeaf(record);
  return leaf?.receiptId === receiptId ? leaf.receiptHash : undefined;
}

function readReceipt(log: EventLog, receiptId: string): { value: JsonValue } | { fault: string } {
  try {
    const bytes = log.record(receiptKey(receiptId));
    return bytes === undefined ? { fault: 'no record' } : { value: JSON.parse(bytes.toString('utf8')) };
  } catch (error) {
    if (ProtocolError.from(error).code !== 'resource_locked') throw error;
    return { fault: 'another hash' };
  }
}

function refused(
  step: ReceiptVerdict['step'],
  index: number,
  expected: string,
  observed: string,
): ReceiptVerdict {
  return { ok: false, step, index, expected, observed, skipped: [] };
}
