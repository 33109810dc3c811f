import { describe, expect, it } from 'vitest';
import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import type { JsonObject } from '#protocol/json.ts';
import { TrustChainVerifier } from '#receipts/trust-chain.ts';
import { verifyTrustFile } from '#receipts/verify-trust-file.ts';

const AT = '2026-11-01T09:00:00Z';
const CHAIN = { sub: 'user:ann' };

/** Sealed by the rule of the specification, here and not by the code under test. */
function chainOf(metadata: readonly JsonObject[], schema = 'opentrustgraph/v0.1'): Buffer[] {
  let previous: string | null = null;
  return metadata.map((own, at) => {
    const content: JsonObject = {
      schema,
      record_id: `r${at + 1}`,
      agent: 'clerk',
      action: 'tool.call',
      outcome: 'success',
      trace_id: 't',
      autonomy_tier: 'act_auto',
      timestamp: AT,
      chain_index: at + 1,
      previous_hash: previous,
      metadata: own,
    };
    previous = `sha256:${sha256Hex(canonicalJson(content))}`;
    return Buffer.from(canonicalJson({ ...content, entry_hash: previous }));
  });
}

function faultsOf(records: readonly Buffer[]) {
  const verifier = new TrustChainVerifier(undefined, new Map() as never);
  return records.map((bytes) => verifier.take(bytes)?.step);
}

const asExport = (records: readonly Buffer[], changed: object = {}, schema = 'opentrustgraph-chain/v0') => {
  const list = records.map((record) => JSON.parse(record.toString()));
  const chain = {
    topic: 'theirs',
    total: list.length,
    root_hash: list.at(-1)?.entry_hash ?? null,
    ...changed,
  };
  return JSON.stringify({ schema, chain, records: list });
};

describe('a file with trust records of others', () => {
  const chain = chainOf([{ n: 1 }, { n: 2 }, { n: 3 }]);
  const verdictOf = (text: string) => verifyTrustFile(Buffer.from(text), undefined);

  it.each([
    ['an array', `[${chain.join(',')}]`],
    ['lines', chain.join('\n')],
    ['lines with an empty one at the end', `${chain.join('\n\n')}\n`],
    ['a list answer', `{"data": [${chain.toReversed().join(',')}], "next_cursor": null}`],
    ['an export', asExport(chain)],
    ['an export of 0.1', asExport(chain, {}, 'opentrustgraph-chain/v0.1')],
    ['members in another order', JSON.stringify(chain.map((one) => JSON.parse(one.toString())))],
  ])('[VER-TRG-02] verifies as %s', (_, text) => {
    const [ok, records, step] = [true, 3, null];
    expect(verdictOf(text)).toMatchObject({ ok, records, step, signatures: { verified: 0, unchecked: 0 } });
  });

  it.each([
    ['one that is left out at the end', asExport(chain.slice(0, 2), { total: 3 }), 'total', null],
    ['another end', asExport(chain, { root_hash: `sha256:${'0'.repeat(64)}` }), 'root_hash', null],
    ['a list that begins later', `[${chain.slice(1).join(',')}]`, 'chain_index', 0],
    ['a changed one', `[${chain.join(',').replace('"n":2', '"n":9')}]`, 'compare', 1],
    ['a record of another chain', asExport(chainOf([{ topic: 'other' }])), 'chain', 0],
    ['an export of a form that is not known', asExport(chain, {}, 'opentrustgraph-chain/v9'), 'file', null],
    ['a member that is there twice', `[{"schema":1,"schema":2}]`, 'file', null],
    ['something else', '"text"', 'file', null],
    ['nothing', '', 'file', null],
    ['no record', '[7]', 'schema', 0],
  ])('[VER-TRG-02] finds %s', (_, text, step, index) => {
    const { ok, ...verdict } = verdictOf(text);
    expect([ok, verdict.step, verdict.index]).toEqual([false, step, index]);
    expect(verdict.observed).toEqual(expect.any(String));
  });

  it('[VER-TRG-02] an export of nothing is whole', () => {
    expect(verdictOf(asExport([]))).toMatchObject({ ok: true, records: 0, root_hash: null });
  });

  it('[VER-TRG-02] says how many signatures nobody verified', () => {
    const approval = {
      required: true,
      quorum: 1,
      signatures: [{ reviewer: 'ann', signed_at: AT, signature: 'x' }],
    };
    expect(verdictOf(`[${chainOf([{ approval }])[0]}]`).signatures).toEqual({ verified: 0, unchecked: 1 });
  });
});

describe('a chain of trust records of others', () => {
  it.each(['opentrustgraph/v0', 'opentrustgraph/v0.1'])('[VER-TRG-01] verifies in %s', (schema) => {
    const approval = {
      required: true,
      quorum: 1,
      signatures: [{ reviewer: 'ann', signed_at: AT, signature: 'ed25519:AA' }],
    };
    expect(faultsOf(chainOf([{}, { approval }, { actor_chain_alert: 'depth' }], schema))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('[VER-TRG-01] a word of a version that is not known is refused', () => {
    expect(faultsOf(chainOf([{}], 'opentrustgraph/v0.2'))).toEqual(['schema']);
  });

  it('[VER-TRG-01] what was changed, left out or moved is found', () => {
    const [one, two, three] = chainOf([{ n: 1 }, { n: 2 }, { n: 3 }]) as [Buffer, Buffer, Buffer];
    const changed = Buffer.from(two.toString().replace('"n":2', '"n":9'));
    expect(faultsOf([one, changed])).toEqual([undefined, 'compare']);
    expect(faultsOf([one, three])).toEqual([undefined, 'chain_index']);
  });

  it.each([
    ['within the grant', { effects_used: ['read'], actor_chain: { sub: 'bot', act: CHAIN } }, undefined],
    ['nothing used', {}, undefined],
    ['an effect that was not granted', { effects_used: ['read', 'delete'] }, 'effects'],
    ['no further hop', { actor_chain: CHAIN }, 'actor_chain'],
    ['two hops', { actor_chain: { sub: 'x', act: { sub: 'bot', act: CHAIN } } }, 'actor_chain'],
  ])('[VER-TRG-01] a child of a grant: %s', (_, child, fault) => {
    const parent = { effects_grant: ['read', 'write'], actor_chain: CHAIN };
    const records = chainOf([parent, { ...child, parent_record_id: 'r1' }]);
    expect(faultsOf(records)).toEqual([undefined, fault]);
  });

  it('[VER-TRG-01] a parent that is not in the chain says nothing of its child', () => {
    const records = chainOf([{ parent_record_id: 'elsewhere', effects_used: ['delete'] }]);
    expect(faultsOf(records)).toEqual([undefined]);
  });
});
