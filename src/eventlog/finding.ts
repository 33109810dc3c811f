/**
 * `missing`: a record named by a commit, or a commit, is not there. `hash`: bytes do not match their hash. `chain`: a
 * commit is not the one its successor (or the checkpoint) was chained to. `order`: ids, sequences or links have a gap.
 * `extra`: a record that no commit accounts for. `fold`: a folded state is not what the events say. `receipt`: a receipt does
 * not verify, or is not what its leaf, its event or the head of the receipt log says. `trust`: a trust record does not verify,
 * or is not what its chain says. `content`: stored content is not the bytes it is stored under, or nothing refers to it, or
 * what is referred to is not stored.
 */
export type Problem =
  | 'missing'
  | 'hash'
  | 'chain'
  | 'order'
  | 'extra'
  | 'fold'
  | 'receipt'
  | 'trust'
  | 'content';

/** One fault found in the stored log. `where` is the key (or the resource and sequence) of the faulty record. */
export interface Finding {
  problem: Problem;
  where: string;
  expected: string;
  observed: string;
}
