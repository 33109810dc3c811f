import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { readReceipts } from '#receipts/read-receipts.ts';
import { keysOfJwks } from '#receipts/verification-keys.ts';
import { verifyChain } from '#receipts/verify-chain.ts';
import { RECEIPT_PAYLOAD } from '#resources/receipt/example.ts';
import { wireReceipt } from '#resources/receipt/schema.ts';
import { TEST_JWKS } from '../../../harness/drafted-receipts.ts';
import { receiptHash } from '../../../harness/receipt-hash.ts';

const REFERENCE = new URL(
  '../../../../../shared/spec/receipts/receipt-2026-04-25.schema.json',
  import.meta.url,
);
const isPresent = existsSync(REFERENCE);
if (!isPresent) console.warn('skipped: the reference schema of receipts is not beside the project');
const FIXTURES = new URL('../../../../fixtures/receipts/', import.meta.url);
const MAX_BYTES = 1_000_000;

/** Members that say nothing about which receipts are valid, or say again what another member says. */
const SILENT = ['$schema', '$id', 'id', '$defs', 'title', 'description', 'default', 'propertyNames'];

/** One spelling for schemas that mean the same: references followed, null a branch, formats without their pattern. */
function plain(schema: JsonValue, defs: JsonObject): JsonValue {
  if (Array.isArray(schema)) return schema.map((item) => plain(item, defs));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref } = schema;
  if (typeof $ref === 'string') return plain(defs[$ref.slice('#/$defs/'.length)] ?? {}, defs);
  return normal(
    Object.fromEntries(
      Object.entries(schema)
        .filter(([name]) => !SILENT.includes(name))
        .map(([name, member]) => [name, name === 'properties' ? members(member, defs) : plain(member, defs)]),
    ),
  );
}

function members(properties: JsonValue, defs: JsonObject): JsonObject {
  const entries = Object.entries(properties as JsonObject);
  return Object.fromEntries(entries.map(([name, schema]) => [name, plain(schema, defs)]));
}

function normal(schema: JsonObject): JsonValue {
  const { type, ...rest } = schema;
  if (Array.isArray(type) && type.includes('null')) {
    const [real = 'string'] = type.filter((name) => name !== 'null');
    return { anyOf: [normal({ ...rest, type: real }), { type: 'null' }] };
  }
  const said: JsonObject = { ...schema };
  if (said['const'] !== undefined) delete said['type'];
  if (said['format'] === 'date-time') delete said['pattern'];
  if (said['maximum'] === Number.MAX_SAFE_INTEGER) delete said['maximum'];
  if (Array.isArray(said['required'])) said['required'] = said['required'].map(String).sort();
  const { additionalProperties: more } = said;
  if (more === true || JSON.stringify(more) === '{}') delete said['additionalProperties'];
  return said;
}

describe('the schema of a receipt', () => {
  it.skipIf(!isPresent)('is the reference one, field by field (skipped without ../shared)', () => {
    const reference: JsonObject = JSON.parse(readFileSync(REFERENCE, 'utf8'));
    const ours = z.toJSONSchema(wireReceipt, { io: 'input', unrepresentable: 'any' }) as JsonObject;
    const theirs = plain(reference, reference['$defs'] as JsonObject);
    expect(plain(ours, (ours['$defs'] ?? {}) as JsonObject)).toEqual(theirs);
  });

  it('is kept by the example of the OpenAPI document, whose hash is right', () => {
    const receipt = wireReceipt.parse(RECEIPT_PAYLOAD);
    expect(receiptHash(receipt)).toBe(receipt.chain.receipt_hash);
    expect(verifyChain([RECEIPT_PAYLOAD], { keys: keysOfJwks(TEST_JWKS), receipts: 'whole' }).ok).toBe(true);
  });
});

const filesIn = (folder: string) => readdirSync(new URL(folder, FIXTURES)).sort();
const read = (path: string) => readReceipts(readFileSync(new URL(path, FIXTURES)), MAX_BYTES);
const keys = keysOfJwks(JSON.parse(readFileSync(new URL('jwks.json', FIXTURES), 'utf8')));

describe('receipt fixtures', () => {
  it.each(filesIn('valid'))('valid/%s verifies', (name) => {
    const { items, receipts } = read(`valid/${name}`);
    expect(verifyChain(items, { keys, receipts })).toMatchObject({ ok: true });
  });

  it.each(filesIn('invalid'))('invalid/%s fails at the step it is named after', (name) => {
    const items: JsonValue[] = JSON.parse(readFileSync(new URL(`invalid/${name}`, FIXTURES), 'utf8'));
    const [, step, index] = /^(\w+)\.(\d+)(?:\..+)?\.json$/.exec(name) ?? [];
    expect(verifyChain(items, { keys, receipts: 'whole' })).toMatchObject({
      ok: false,
      step,
      index: Number(index),
    });
  });

  it('have one for every step that can fail', () => {
    const steps = new Set(filesIn('invalid').map((name) => name.split('.')[0]));
    expect([...steps]).toEqual([
      'canonicalize',
      'compare',
      'merkle',
      'previous_hash',
      'schema',
      'signatures',
    ]);
  });
});
