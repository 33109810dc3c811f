import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { TRUST_RECORD } from '#resources/trust/example.ts';
import { trustRecord } from '#resources/trust/schema.ts';

const REFERENCE = new URL(
  '../../../../../shared/spec/trust-graph/trust-record.v0.schema.json',
  import.meta.url,
);
const isPresent = existsSync(REFERENCE);
if (!isPresent) console.warn('skipped: the reference schema of trust records is not beside the project');

type Change = (record: JsonObject) => void;
const metadataOf = (record: JsonObject) => record['metadata'] as JsonObject;
const approvalOf = (record: JsonObject) => metadataOf(record)['approval'] as JsonObject;
const set =
  (name: string, value: JsonValue): Change =>
  (record) => {
    record[name] = value;
  };
const unset =
  (name: string): Change =>
  (record) => {
    delete record[name];
  };
const approval =
  (change: Change): Change =>
  (record) =>
    change(approvalOf(record));

/** Written by hand, each with what the specification says of it. */
const ROWS: readonly [string, boolean, Change][] = [
  ['the example', true, () => undefined],
  ['a later link', true, set('previous_hash', `sha256:${'a'.repeat(64)}`)],
  ['a cost', true, set('cost_usd', 0.25)],
  ['no cost known', true, set('cost_usd', null)],
  [
    'no approver where none was needed',
    true,
    (record) => {
      record['metadata'] = {};
      record['approver'] = null;
    },
  ],
  [
    'no approver under another tier',
    true,
    (record) => {
      record['autonomy_tier'] = 'act_auto';
      delete record['approver'];
    },
  ],
  [
    'no approver of a denial',
    true,
    (record) => {
      record['outcome'] = 'denied';
      record['approver'] = null;
    },
  ],
  ['members of an approval that nobody knows', true, approval(set('more', 1))],
  ['an approval that was not required', true, approval(set('required', false))],
  ...['schema', 'record_id', 'agent', 'action', 'outcome', 'trace_id', 'autonomy_tier'].map(
    (name): [string, boolean, Change] => [`no ${name}`, false, unset(name)],
  ),
  ...['timestamp', 'chain_index', 'previous_hash', 'entry_hash', 'metadata'].map(
    (name): [string, boolean, Change] => [`no ${name}`, false, unset(name)],
  ),
  ['a member that nobody knows', false, set('more', 1)],
  ['another schema', false, set('schema', 'opentrustgraph/v1')],
  ['an empty agent', false, set('agent', '')],
  ['an empty approver', false, set('approver', '')],
  ['an outcome of its own', false, set('outcome', 'approved')],
  ['a tier of its own', false, set('autonomy_tier', 'act')],
  ['no time', false, set('timestamp', 'yesterday')],
  ['a cost below nothing', false, set('cost_usd', -1)],
  ['a place before the first', false, set('chain_index', 0)],
  ['half a place', false, set('chain_index', 1.5)],
  ['a bare hash', false, set('entry_hash', 'a'.repeat(64))],
  ['a hash in capitals', false, set('previous_hash', `sha256:${'A'.repeat(64)}`)],
  ['a list as metadata', false, set('metadata', [])],
  ['an approval that names nobody', false, set('approver', null)],
  ['an approval that names nobody at all', false, unset('approver')],
  ['a quorum of none', false, approval(set('quorum', 0))],
  ['no quorum', false, approval(unset('quorum'))],
  ['nobody who signed', false, approval(set('signatures', []))],
  [
    'a signature without a reviewer',
    false,
    approval(set('signatures', [{ signed_at: TRUST_RECORD.timestamp, signature: 'x' }])),
  ],
  ['a signature without a time', false, approval(set('signatures', [{ reviewer: 'ann', signature: 'x' }]))],
];

function changed(change: Change): JsonObject {
  const record = structuredClone(TRUST_RECORD) as unknown as JsonObject;
  change(record);
  return record;
}

describe('the schema of a trust record', () => {
  it.each(ROWS)('says of %s: %s', (_what, isValid, change) => {
    expect(trustRecord.safeParse(changed(change)).success).toBe(isValid);
  });

  it.skipIf(!isPresent)('says the same as the reference one (skipped without ../shared)', () => {
    const ajv = new Ajv2020({ strict: false, formats: { 'date-time': isTime } });
    const reference = ajv.compile(JSON.parse(readFileSync(REFERENCE, 'utf8')));
    const said = ROWS.map(([what, , change]) => [what, reference(changed(change))]);
    expect(said).toEqual(ROWS.map(([what, isValid]) => [what, isValid]));
  });

  it.skipIf(!isPresent)('has the members of the reference one (skipped without ../shared)', () => {
    const reference: JsonObject = JSON.parse(readFileSync(REFERENCE, 'utf8'));
    const { $defs } = z.toJSONSchema(trustRecord, { io: 'input', unrepresentable: 'any' });
    const ours = $defs?.['TrustRecord'] as JsonObject;
    expect(Object.keys(ours['properties'] as JsonObject)).toEqual(
      Object.keys(reference['properties'] as JsonObject),
    );
    expect([...(ours['required'] as string[])].sort()).toEqual(
      [...(reference['required'] as string[])].sort(),
    );
    expect(ours['additionalProperties']).toBe(false);
  });
});

function isTime(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text));
}
