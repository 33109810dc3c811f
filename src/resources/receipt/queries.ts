import { listAmong, paging } from '#core/list-page.ts';
import { load } from '#core/load.ts';
import type { Query, QueryTools } from '#core/query.ts';
import { encodeReceiptCbor } from '#receipts/receipt-cbor.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { ReceiptState } from '#resources/states.ts';
import { receiptKey } from '#store/keys.ts';
import { prefersType } from './prefers-type.ts';
import {
  RECEIPT_CBOR_TYPE,
  RECEIPT_FORMAT,
  RECEIPT_JSON_TYPE,
  type Receipt,
  type WireReceipt,
} from './schema.ts';

export const listTaskReceipts: Query<'listTaskReceipts'> = ({ path, query }, tools) => {
  const { resource, internal } = load(tools.reader, tools.caller, 'task', path.task_id);
  const { receipt_id } = resource;
  const ids = [...(internal.receipts ?? []), ...(receipt_id === null ? [] : [receipt_id])];
  const shape = (state: object) => shownReceipt(state as ReceiptState, tools);
  return listAmong(tools, ids, { ...paging(query), keyOf: stateKey.receipt, shape });
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
