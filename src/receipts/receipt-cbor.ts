import { decode, encode, rfc8949EncodeOptions } from 'cborg';
import type { JsonValue } from '#protocol/json.ts';

/** The deterministic CBOR of a receipt: the same bytes for the same receipt, everywhere. Spec: RFC 8949, section 4.2.1. */
export function encodeReceiptCbor(receipt: JsonValue): Buffer {
  return Buffer.from(encode(receipt, rfc8949EncodeOptions));
}

/**
 * The receipt of an archive; it verifies as the JSON one does. Throws for anything that is not the deterministic CBOR of a
 * JSON value: another spelling would be another archive of the same receipt.
 */
export function decodeReceiptCbor(bytes: Uint8Array): JsonValue {
  const value: JsonValue = decode(bytes, {
    strict: true,
    rejectDuplicateMapKeys: true,
    allowUndefined: false,
  });
  // Byte strings and the like do not survive JSON.
  const plain: JsonValue = JSON.parse(JSON.stringify(value));
  if (!encodeReceiptCbor(plain).equals(bytes))
    throw new TypeError('The CBOR is not in its deterministic form.');
  return value;
}
