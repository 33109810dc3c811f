import { listAmong, listGiven, paging } from '#core/list-page.ts';
import { erasedOf, load } from '#core/load.ts';
import { ok, type Query, type QueryTools } from '#core/query.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { consistencyProof, frontierOf, inclusionProof, leafHash, rootOf } from '#receipts/merkle.ts';
import { encodeReceiptCbor } from '#receipts/receipt-cbor.ts';
import { receiptKey } from '#store/keys.ts';
import {
  RECEIPT_CBOR_TYPE,
  RECEIPT_FORMAT,
  RECEIPT_JSON_TYPE,
  type Receipt,
  type WireReceipt,
} from './schema.ts';
import { signingKeyOf } from './signing-keys.ts';
import { type ReceiptState, receiptKeys } from './state.ts';

export const listTaskReceipts: Query<'listTaskReceipts'> = ({ path, query }, tools) => {
  const { resource, internal } = load(tools.reader, tools.caller, 'task', path.task_id);
  const { receipt_id } = resource;
  const ids = [...(internal.receipts ?? []), ...(receipt_id === null ? [] : [receipt_id])];
  const shape = (state: object) => shownReceipt(state as ReceiptState, tools);
  return listAmong(tools, ids, { ...paging(query), keyOf: receiptKeys.receipt, shape });
};

/** The resource, or the receipt itself by its media types; see src/receipts/README.md, Forms. */
export const getReceipt: Query<'getReceipt'> = ({ path }, tools) => {
  const state = load(tools.reader, tools.caller, 'receipt', path.receipt_id);
  const wanted = prefersType(tools.accept, [RECEIPT_JSON_TYPE, RECEIPT_CBOR_TYPE]);
  if (wanted === undefined) return { status: 200, body: { kind: 'json', value: shownReceipt(state, tools) } };
  const stored = receiptBytes(state, tools);
  const bytes =
    wanted === RECEIPT_JSON_TYPE ? stored : encodeReceiptCbor(JSON.parse(stored.toString('utf8')));
  return { status: 200, body: { kind: 'document', mimeType: wanted, bytes } };
};

function shownReceipt(state: ReceiptState, tools: Pick<QueryTools, 'log'>): Receipt {
  const { resource } = state;
  const payload: WireReceipt = JSON.parse(receiptBytes(state, tools).toString('utf8'));
  const [signed] = payload.signatures ?? [];
  const { subject, issued_at } = resource;
  const signature = signed && {
    algorithm: signed.algorithm,
    key_id: signed.key_id,
    value: signed.signature,
  };
  const wire = {
    schema_version: RECEIPT_FORMAT,
    subject,
    issued_at,
    payload,
    signature: signature ?? null,
  } as const;
  const { verification, ...described } = resource;
  return { ...described, wire, verification };
}

function receiptBytes({ resource }: ReceiptState, { log }: Pick<QueryTools, 'log'>): Buffer {
  const bytes = log.record(receiptKey(resource.id));
  if (bytes === undefined) throw new Error(`The receipt ${resource.id} has no bytes.`);
  return bytes;
}

/**
 * Which of the `offered` media types an Accept header names, the one with the largest weight first; undefined when it names
 * none, and the usual JSON is the answer. Wildcards ask for nothing special. Spec: RFC 9110, section 12.5.1.
 */
function prefersType(accept: string | undefined, offered: readonly string[]): string | undefined {
  if (accept === undefined) return undefined;
  const named = accept
    .split(',')
    .map(rangeOf)
    .filter(({ type, weight }) => weight > 0 && offered.includes(type));
  const usual = weightOf(accept, 'application/json');
  const [best] = named.sort((one, other) => other.weight - one.weight);
  return best !== undefined && best.weight >= usual ? best.type : undefined;
}

function weightOf(accept: string, wanted: string): number {
  return (
    accept
      .split(',')
      .map(rangeOf)
      .find(({ type }) => type === wanted)?.weight ?? 0
  );
}

function rangeOf(text: string): { type: string; weight: number } {
  const [type = '', ...parameters] = text.split(';').map((piece) => piece.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

const prefixed = (hash: string): string => `sha256:${hash}`;

export const getReceiptLogHead: Query<'getReceiptLogHead'> = async (_input, tools) =>
  ok(await tools.receiptLog.head(), tools.caller);

/** What the receipt log has of a receipt; that stays when the receipt is erased. */
function leafOf(id: string, { reader, caller }: QueryTools): { id: string; hash: string; log_index: number } {
  const erased = erasedOf(reader, caller, id)?.receipt;
  if (erased !== undefined) return { id, ...erased };
  const { resource, internal } = load(reader, caller, 'receipt', id, 'receipt_id');
  return { id: resource.id, hash: internal.hash, log_index: internal.log_index };
}

export const getReceiptLogInclusion: Query<'getReceiptLogInclusion'> = async ({ query }, tools) => {
  const { id, hash, log_index: index } = leafOf(query.receipt_id, tools);
  const head = await tools.receiptLog.head();
  const size = sizeOf(query.size, head.size, 'size');
  if (index >= size)
    throw outside('size', `The receipt is leaf ${index}: ask for a size from ${index + 1} on.`);
  const answer = {
    object: 'receipt_log_inclusion',
    receipt_id: id,
    receipt_hash: hash,
    leaf_hash: prefixed(leafHash(hash.slice('sha256:'.length))),
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

export const listSigningKeys: Query<'listSigningKeys'> = ({ query }, tools) =>
  listGiven(tools, tools.signingKeys.rows().map(signingKeyOf), paging(query));
