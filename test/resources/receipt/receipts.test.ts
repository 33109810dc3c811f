import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import { decode } from 'cborg';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import type { Receipt } from '#resources/receipt/schema.ts';
import { type WireReceipt, wireReceipt } from '#resources/receipt/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';
import { merkleRoot, receiptHash } from '../../harness/receipt-hash.ts';

const BARE = 'application/vnd.harn.receipt+json';
const CBOR = 'application/vnd.harn.receipt+cbor';

describe('receipts', () => {
  const stage = stageOf({
    agents: { scripted: () => startScriptedAgent({}) },
    config: { receipts: { issuer: 'harness_conformance', name: 'Conformance' } },
  });
  const ended = async (text: string, sessionId?: string) => {
    const task = await stage.client.submit(text, sessionId);
    return stage.client.until(task.id, 'COMPLETED', 'FAILED', 'CANCELED');
  };
  /** Oldest first. */
  const receiptsOf = async (taskId: string) =>
    (await stage.client.get<{ data: Receipt[] }>(`/v1/tasks/${taskId}/receipts`)).data.reverse();
  const payloadsOf = async (taskId: string) => (await receiptsOf(taskId)).map(({ wire }) => wire.payload);

  it('[C12] a task has one receipt, of its end', async () => {
    const task = await ended('hello');
    const [done, ...more] = await receiptsOf(task.id);
    expect(more).toEqual([]);
    expect(done?.wire.payload).toMatchObject({
      subject: { object: 'task', id: task.id },
      lifecycle: { started_at: task.started_at, completed_at: task.completed_at, final_state: 'SUCCEEDED' },
      issuer: { id: 'harness_conformance', kind: 'harness', name: 'Conformance' },
    });
  });

  it.each([
    ['refuse', 'FAILED'],
    ['fail', 'FAILED'],
    ['stream 2', 'SUCCEEDED'],
  ])('[C12] [REC-RES-01] the receipt of "%s" says %s and keeps to the schema', async (text, state) => {
    const task = await ended(text);
    const [done] = await payloadsOf(task.id);
    expect(wireReceipt.parse(done)).toEqual(done);
    expect(done?.lifecycle).toMatchObject({ final_state: state, failure: task.failure });
  });

  it('[C12] a task canceled before it started has run for no time', async () => {
    const first = await stage.client.submit('slow 5');
    const queued = await stage.client.submit('hello', first.session_id);
    await stage.client.post(`/v1/tasks/${queued.id}/cancel`);
    await stage.client.post(`/v1/tasks/${first.id}/cancel`);
    const [done] = await payloadsOf(queued.id);
    expect(done?.lifecycle).toMatchObject({ started_at: queued.created_at, final_state: 'CANCELED' });
    expect(done?.replay_input.materials).toEqual([]);
  });

  it('[C11] each receipt follows the one before in its session, over the Merkle root of all before', async () => {
    const first = await ended('hello');
    const second = await ended('stream 2', first.session_id);
    const third = await ended('fail', first.session_id);
    const chain = (await Promise.all([first, second, third].map(({ id }) => payloadsOf(id)))).flat();
    expect(chain.length).toBe(3);
    expect(chain[0]?.chain).toEqual({
      previous_receipt_hash: null,
      receipt_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    chain.slice(1).forEach((receipt, at) => {
      const before = chain.slice(0, at + 1).map((one) => one.chain.receipt_hash);
      expect(receipt.chain.previous_receipt_hash).toBe(before.at(-1));
      expect(receipt.chain.merkle_root).toBe(`sha256:${merkleRoot(before).toString('hex')}`);
    });
    const elsewhere = await ended('hello');
    expect((await payloadsOf(elsewhere.id))[0]?.chain.previous_receipt_hash).toBeNull();
  });

  it('[S3-02] [REC-RES-02] [REC-RES-03] the stored bytes are canonical and hash to what they say', async () => {
    const task = await ended('file');
    for (const { id, wire } of await receiptsOf(task.id)) {
      const { text, headers } = await stage.client.call('GET', `/v1/receipts/${id}`, {
        headers: { accept: BARE },
      });
      expect(headers.get('content-type')).toBe(BARE);
      expect(text).toBe(canonicalize(wire.payload));
      expect(receiptHash(wire.payload)).toBe(wire.payload.chain.receipt_hash);
    }
  });

  it('[S3-05] the hash is signed by the key the receipt names', async () => {
    const task = await ended('hello');
    const { keys } = JSON.parse(readFileSync(join(stage.gateway.data, 'keys/registry.json'), 'utf8'));
    for (const { wire } of await receiptsOf(task.id)) {
      const [signature, ...more] = wire.payload.signatures ?? [];
      expect(more).toEqual([]);
      expect(signature).toMatchObject({ algorithm: 'ed25519', key_id: wire.payload.issuer.public_key_id });
      expect(wire.signature).toEqual({
        algorithm: 'ed25519',
        key_id: signature?.key_id,
        value: signature?.signature,
      });
      const row = keys.find(({ key_id }: { key_id: string }) => key_id === signature?.key_id);
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: row.public_key }, format: 'jwk' });
      const bytes = Buffer.from((signature?.signature ?? '').replace(/^base64:/, ''), 'base64');
      expect(verify(null, Buffer.from(wire.payload.chain.receipt_hash), key, bytes)).toBe(true);
    }
  });

  it('[C2] the resource wraps the receipt; the receipt itself and its CBOR come by Accept', async () => {
    const task = await ended('hello');
    const [done] = await receiptsOf(task.id);
    const path = `/v1/receipts/${done?.id}`;
    expect(await stage.client.get(path)).toEqual(done);
    expect(done).toMatchObject({
      id: done?.wire.payload.receipt_id,
      object: 'receipt',
      format: 'receipt-2026-04-25',
      subject: { object: 'task', id: task.id },
      issuer: 'harness_conformance',
      verification: null,
      wire: { schema_version: 'receipt-2026-04-25', subject: { object: 'task', id: task.id } },
    });
    const bare = await stage.client.call('GET', path, { headers: { accept: BARE } });
    expect(bare.body).toEqual(done?.wire.payload);
    expect(bare.headers.get('vary')).toContain('Accept');
    const usual = await stage.client.call('GET', path, {
      headers: { accept: `${BARE};q=0.1, application/json` },
    });
    expect(usual.body).toEqual(done);
  });

  it('[C2] the CBOR archive is the same receipt, and is the same bytes every time', async () => {
    const task = await ended('hello');
    const { receipt_id } = task;
    const read = () =>
      fetch(`${stage.client.url}/v1/receipts/${receipt_id}`, {
        headers: {
          authorization: `Bearer ${stage.client.key}`,
          'harn-agents-protocol-version': 'agents-protocol-2026-04-25',
          accept: CBOR,
        },
      });
    const first = await read();
    expect(first.headers.get('content-type')).toBe(CBOR);
    const bytes = Buffer.from(await first.arrayBuffer());
    expect(Buffer.from(await (await read()).arrayBuffer())).toEqual(bytes);
    const decoded = decode(bytes) as WireReceipt;
    const [done] = await payloadsOf(task.id);
    expect(decoded).toEqual(done);
    expect(receiptHash(decoded)).toBe(done?.chain.receipt_hash);
  });

  it('[REC-REF-01] task, outcome, artifact and events name their receipt', async () => {
    const task = await ended('file');
    const [done] = await receiptsOf(task.id);
    expect(task.receipt_id).toBe(done?.id);
    expect(await stage.client.get(`/v1/outcomes/${task.outcome_id}`)).toMatchObject({
      receipt_id: done?.id,
      artifacts: [{ receipt_id: done?.id }],
    });
    const events = await stage.client.events(`/v1/tasks/${task.id}/events`);
    const named = events.flatMap((event) => {
      const { receipt_id } = event as unknown as { receipt_id?: string };
      return receipt_id === undefined ? [] : [[event.event, receipt_id]];
    });
    expect(named).toEqual([['task.completed', done?.id]]);
  });

  it('each receipt has one receipt.issued event, the last one ends the task', async () => {
    const task = await ended('hello');
    const events = await stage.client.events(`/v1/tasks/${task.id}/events`);
    const issued = events.filter(({ event }) => event === 'receipt.issued').map(({ payload }) => payload);
    const expected = (await receiptsOf(task.id)).map(({ wire: { payload } }) => ({
      receipt_id: payload.receipt_id,
      receipt_hash: payload.chain.receipt_hash,
      previous_receipt_hash: payload.chain.previous_receipt_hash,
      subject: payload.subject,
      follows: 'session',
    }));
    expect(issued).toMatchObject(expected);
    expect(issued.length).toBe(1);
    expect(events.at(-1)?.event).toBe('receipt.issued');
  });

  it('[S3-04] [S3-06] says what the run did: frames, hand-off, artifacts, times, and that no model was called', async () => {
    const task = await ended('file');
    const [done] = await payloadsOf(task.id);
    const { replay_input, final_artifacts, side_effects, identifiers } = done as WireReceipt;
    expect(replay_input.determinism).toBe('byte_deterministic');
    expect(replay_input.materials.map(({ id }) => id)).toEqual(
      replay_input.materials.map((_, at) => `a2a:sample:${at + 1}`),
    );
    for (const { uri, sha256: hash } of replay_input.materials) {
      expect(uri).toMatch(new RegExp(`^harn://tasks/${task.id}/frames/\\d+$`));
      expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    }
    // The frame with which the task ended is among them.
    const events = await stage.client.events(`/v1/tasks/${task.id}/events`);
    const end = events.find(({ event }) => event === 'task.completed');
    expect(end?.payload['material']).toBe(replay_input.materials.at(-1)?.id);
    const { data } = await stage.client.get<{ data: { id: string; sha256: string }[] }>(
      `/v1/artifacts?task_id=${task.id}`,
    );
    expect(final_artifacts).toEqual(
      data.map(({ id, sha256: hash }) => ({
        artifact_id: id,
        kind: 'file',
        uri: `/v1/artifacts/${id}/content`,
        sha256: `sha256:${hash}`,
      })),
    );
    expect(side_effects.a2a_handoffs).toEqual([
      { target_agent: 'sample', task_id: expect.any(String), status: 'completed' },
    ]);
    expect(done).toMatchObject({
      trust: { start_tier: 'act_auto', end_tier: 'act_auto' },
      model_route: {
        chosen_model: { provider: 'none', model: 'none' },
        route_policy_reason: expect.any(String),
      },
      cost: { currency: 'USD', total: 0, provider_breakdown: [] },
    });
    expect(identifiers).not.toHaveProperty('persona_ref');
    expect(JSON.stringify(done)).not.toContain('null,"persona');
  });

  it('[REC-RES-04] the OpenAPI document holds the shape of a receipt once, and references it', async () => {
    const { body } = await stage.client.call<{ components: { schemas: Record<string, JsonObject> } }>(
      'GET',
      '/openapi.json',
    );
    const { ReceiptWireEnvelope, ReceiptPayload } = body.components.schemas;
    expect(ReceiptWireEnvelope).toMatchObject({
      properties: { payload: { $ref: '#/components/schemas/ReceiptPayload' } },
    });
    expect(ReceiptPayload).toMatchObject({ additionalProperties: false });
    const { ReceiptPayload: _, ...others } = body.components.schemas;
    const elsewhere = JSON.stringify({ ...body, components: { schemas: others } }, (key, value) =>
      key === 'example' ? undefined : value,
    );
    expect(elsewhere).not.toContain('merkle_root');
  });
});
