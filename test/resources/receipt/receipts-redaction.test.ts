import { createHmac, hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import { describe, expect, it } from 'vitest';
import type { Receipt } from '#resources/receipt/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { startScriptedAgent } from '../../harness/peers/scripted-agent.ts';

describe('redactions in receipts', () => {
  const stage = stageOf({
    agents: { scripted: () => startScriptedAgent({}) },
    keys: [{ actor: 'no_receipts', scopes: ['tasks:read', 'events:read'] }],
  });
  const ended = async (text: string) =>
    stage.client.until((await stage.client.submit(text)).id, 'COMPLETED', 'FAILED', 'CANCELED');
  /** Oldest first. */
  const receiptsOf = async (taskId: string) =>
    (await stage.client.get<{ data: Receipt[] }>(`/v1/tasks/${taskId}/receipts`)).data.reverse();
  const payloadsOf = async (taskId: string) => (await receiptsOf(taskId)).map(({ wire }) => wire.payload);

  it('[REC-AUTH-01] [REC-RED-01] no secret of the run is in its receipt, and reading it takes receipts:read', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const task = await ended(`echo ${secret}`);
    const texts = await Promise.all(
      (await receiptsOf(task.id)).map(
        async ({ id }) => (await stage.client.call('GET', `/v1/receipts/${id}`)).text,
      ),
    );
    expect(texts.join()).not.toContain(secret);
    expect(texts.join()).not.toContain(stage.client.key);
    const [done] = await payloadsOf(task.id);
    const sent = { parts: [{ type: 'text', text: `echo ${secret}`, visibility: 'public' }], metadata: {} };
    expect(done?.redactions).toContainEqual({
      field: expect.stringMatching(/^\/messages\/message_/),
      reason: expect.any(String),
      proof_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
    const redaction = done?.redactions?.find(({ field }) => field.startsWith('/messages/'));
    const place = redaction?.field.slice('/messages/'.length);
    const proofKey = hkdfSync(
      'sha256',
      readFileSync(join(stage.gateway.data, 'keys/input.key')),
      '',
      'harn-gateway redaction proof',
      32,
    );
    const claim = canonicalize({ original: sent, place }) ?? '';
    expect(redaction?.proof_hash).toBe(
      `sha256:${createHmac('sha256', Buffer.from(proofKey)).update(claim).digest('hex')}`,
    );
    expect(done?.redactions?.some(({ field }) => field.startsWith('/replay_input/materials/'))).toBe(true);
    const refused = await stage.as('no_receipts').call('GET', `/v1/receipts/${task.receipt_id}`);
    expect(refused.status).toBe(403);
  });

  it('[REC-RED-01] a guessed secret that is sent to the gateway has other proofs than the one it guesses', async () => {
    const secret = `ghp_${'c3D4'.repeat(9)}`;
    const proofsOf = async ({ id }: { id: string }) =>
      (await payloadsOf(id)).flatMap(({ redactions = [] }) => redactions.map((one) => one.proof_hash));
    const known = await proofsOf(await ended(`echo ${secret}`));
    const guessed = await proofsOf(await ended(`echo ${secret}`));
    expect(known.length).toBeGreaterThan(1);
    expect(new Set([...known, ...guessed]).size).toBe(known.length + guessed.length);
  });
});
