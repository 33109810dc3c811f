import { ok } from '#core/answer.ts';
import { load } from '#core/load.ts';
import type { Query, QueryTools } from '#core/query.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { consistencyProof, frontierOf, inclusionProof, leafHash, rootOf } from '#receipts/merkle.ts';

const prefixed = (hash: string): string => `sha256:${hash}`;

export const getReceiptLogHead: Query<'getReceiptLogHead'> = async (_input, tools) =>
  ok(await tools.receiptLog.head(), tools.caller);

export const getReceiptLogInclusion: Query<'getReceiptLogInclusion'> = async ({ query }, tools) => {
  const { resource, internal } = load(tools.reader, tools.caller, 'receipt', query.receipt_id, 'receipt_id');
  const head = await tools.receiptLog.head();
  const size = sizeOf(query.size, head.size, 'size');
  const index = internal.log_index;
  if (index >= size)
    throw outside('size', `The receipt is leaf ${index}: ask for a size from ${index + 1} on.`);
  const answer = {
    object: 'receipt_log_inclusion',
    receipt_id: resource.id,
    receipt_hash: internal.hash,
    leaf_hash: prefixed(leafHash(internal.hash.slice('sha256:'.length))),
    index,
    size,
    root: rootAt(size, tools),
    proof: inclusionProof(index, size, tools.receiptLog.read).map(prefixed),
    head,
  };
  return ok(answer, tools.caller);
};

export const getReceiptLogConsistency: Query<'getReceiptLogConsistency'> = async ({ query }, tools) => {
  const head = await tools.receiptLog.head();
  const second = sizeOf(query.second, head.size, 'second');
  const first = sizeOf(query.first, second, 'first');
  const answer = {
    object: 'receipt_log_consistency',
    first: { size: first, root: rootAt(first, tools) },
    second: { size: second, root: rootAt(second, tools) },
    // Every log begins with the empty one, so there is nothing to prove.
    proof: first === 0 ? [] : consistencyProof(first, second, tools.receiptLog.read).map(prefixed),
    head,
  };
  return ok(answer, tools.caller);
};

function rootAt(size: number, { receiptLog }: QueryTools): string {
  return prefixed(rootOf(frontierOf(size, receiptLog.read)));
}

function sizeOf(asked: number | undefined, limit: number, param: string): number {
  const size = asked ?? limit;
  if (size > limit)
    throw outside(param, `${param} is at most ${limit} here. Ask for the head of the log first.`);
  return size;
}

function outside(param: string, message: string): ProtocolError {
  return new ProtocolError('invalid_request', message, { param });
}
