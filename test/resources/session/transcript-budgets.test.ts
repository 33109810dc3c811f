import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { Session } from '#resources/session/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { userText } from '../../harness/client.ts';
import { startTestGateway } from '../../harness/gateway.ts';
import { startSampleAgent } from '../../harness/peers/sample-agent.ts';
import { append, sessionSaying, transcriptOf } from '../../harness/transcripts.ts';

const KIND = 'vendor.harn_gateway.transcript_budget';

describe('the budget of a transcript', () => {
  const stage = stageOf();
  const full = (budget: object, texts: string[]) =>
    sessionSaying(stage.client, texts, { transcript_budget: budget });
  const send = (id: string, text: string) =>
    stage.client.call<{ error: object }>('POST', `/v1/sessions/${id}/messages`, {
      body: { message: userText(text) },
    });
  const budgetEvents = async (id: string) =>
    (await stage.client.events(`/v1/sessions/${id}/events`)).filter(({ event }) => event === KIND);

  it.each([
    ['messages', { max_messages: 4 }],
    ['bytes', { max_bytes: 1024 }],
    ['events', { max_events: 100 }],
  ])(
    '[TRA-10] [TRA-11] the cap on %s rejects what does not fit, and nothing of it is written',
    async (reason, cap) => {
      const id = await full({ ...cap, recovery: 'reject' }, ['one']);
      const text = 'x'.repeat(200);
      let answer = await send(id, text);
      for (let at = 0; at < 60 && answer.status === 201; at += 1) answer = await send(id, text);
      expect(answer.status).toBe(409);
      expect(answer.body.error).toMatchObject({ code: 'conflict', details: { reason } });
      const before = await stage.client.events(`/v1/sessions/${id}/events`);
      expect((await send(id, text)).status).toBe(409);
      expect(await stage.client.events(`/v1/sessions/${id}/events`)).toEqual(before);
      const task = await stage.client.call('POST', `/v1/sessions/${id}/tasks`, {
        body: { input: userText(text) },
      });
      expect(task.status).toBe(409);
    },
  );

  it('[TRA-10] a rejected session takes messages again once it was truncated', async () => {
    const id = await full({ max_messages: 4, recovery: 'reject' }, ['one', 'two']);
    expect((await send(id, 'more')).status).toBe(409);
    await stage.client.post(`/v1/sessions/${id}/truncate`, { keep_first: 2 });
    expect((await send(id, 'more')).status).toBe(201);
  });

  it('a message larger than the whole budget is 413, whatever the policy', async () => {
    const id = await full({ max_bytes: 1024, recovery: 'compact' }, ['one']);
    const answer = await send(id, 'x'.repeat(2_000));
    expect([answer.status, answer.body.error]).toMatchObject([413, { code: 'payload_too_large' }]);
  });

  it.each([
    ['compact', 'compacted'],
    ['trim', 'trimmed'],
  ])(
    '[TRA-11] [TRA-12] recovery by %s makes room, is audited, and the session says why',
    async (recovery, action) => {
      const id = await full({ max_messages: 6, recovery }, ['one', 'two']);
      for (const text of ['three', 'four', 'five', 'six'])
        if ((await budgetEvents(id)).length === 0) expect((await send(id, text)).status).toBe(201);
      const [audit, ...more] = await budgetEvents(id);
      expect(more).toEqual([]);
      expect(audit?.payload).toMatchObject({
        action,
        reason: 'messages',
        limits: { messages: 6 },
        before: { messages: 6 },
        after: { messages: 3 },
      });
      const session = await stage.client.get<Session>(`/v1/sessions/${id}`);
      expect(session.metadata['transcript_budget']).toMatchObject({
        max_messages: 6,
        recovery,
        last_action: { action, reason: 'messages', event_id: audit?.id },
      });
      const read = await transcriptOf(stage.client, id);
      expect(read.messages).toHaveLength(4);
      expect(read.metadata['transcript_budget']).toEqual(session.metadata['transcript_budget']);
      expect(read.summary === null).toBe(recovery === 'trim');
      expect(read.events.filter(({ kind }) => kind === 'transcript_budget')).toHaveLength(1);
    },
  );

  it('[TRA-10] what an agent says is recorded in any case, and room is made for it', async () => {
    const id = await full({ max_messages: 4, recovery: 'compact' }, []);
    for (let at = 0; at < 4; at += 1)
      await stage.client.until((await stage.client.submit(`hello ${at}`, id)).id, 'COMPLETED');
    expect((await transcriptOf(stage.client, id)).messages.length).toBeLessThanOrEqual(5);
    const { data } = await stage.client.get<{ data: object[] }>(`/v1/sessions/${id}/messages`);
    expect(data.length).toBeGreaterThanOrEqual(9);
    expect((await budgetEvents(id)).length).toBeGreaterThanOrEqual(1);
  });

  it.each([
    [{ max_messages: 0 }, 'metadata.transcript_budget.max_messages'],
    [{ recovery: 'forget' }, 'metadata.transcript_budget.recovery'],
    [{ max_turns: 3 }, 'metadata.transcript_budget.max_turns'],
    ['small', 'metadata.transcript_budget'],
  ])('refuses the budget %j and names the member', async (transcript_budget, param) => {
    const { id } = await stage.client.session();
    const body = { workspace_id: 'workspace_default', metadata: { transcript_budget } };
    for (const [method, path] of [
      ['POST', '/v1/sessions'],
      ['PATCH', `/v1/sessions/${id}`],
      ['POST', `/v1/sessions/${id}/fork`],
    ] as const) {
      const answer = await stage.client.call<{ error: object }>(method, path, { body });
      expect([answer.status, answer.body.error]).toMatchObject([400, { code: 'invalid_request', param }]);
    }
  });

  it('nobody but the gateway writes last_action', async () => {
    const { id, metadata } = await stage.client.session({ transcript_budget: { last_action: 'mine' } });
    expect(metadata).toEqual({ transcript_budget: {} });
    const { body } = await stage.client.call<Session>('PATCH', `/v1/sessions/${id}`, {
      body: { metadata: { transcript_budget: { max_messages: 9, last_action: 'mine' } } },
    });
    expect(body.metadata).toEqual({ transcript_budget: { max_messages: 9 } });
  });
});

describe('a transcript on disk', () => {
  it('[TRA-13] is the same after a restart, and log check rebuilds it from its events', async () => {
    const agent = await startSampleAgent();
    const data = mkdtempSync(join(tmpdir(), 'harn-transcript-'));
    const options = {
      data,
      config: {
        upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
        limits: { max_transcript_messages: 6 },
      },
    };
    const first = await startTestGateway(options);
    const id = await sessionSaying(first.client, ['one', 'two']);
    for (const text of ['hi', 'hello'])
      await first.client.until((await first.client.submit(text, id)).id, 'COMPLETED');
    const fork = await first.client.post<Session>(`/v1/sessions/${id}/fork`, {});
    await append(first.client, fork.id, 'seven');
    await first.client.post(`/v1/sessions/${fork.id}/compact`, { keep_last: 1, summary: 'Numbers.' });
    await first.client.post(`/v1/sessions/${id}/truncate`, { keep_first: 3 });
    const paths = [id, fork.id].map((one) => `/v1/sessions/${one}/transcript`);
    const before = [];
    for (const path of paths) before.push((await first.client.call('GET', path)).text);
    await first.close();
    const findings = [];
    for await (const step of checkData(data, systemClock, systemRandom))
      if (step.kind === 'finding') findings.push(step.finding);
    expect(findings).toEqual([]);
    const second = await startTestGateway(options);
    const after = [];
    for (const path of paths) after.push((await second.client.call('GET', path)).text);
    expect(after).toEqual(before);
    await second.close();
    await agent.close();
    rmSync(data, { recursive: true, force: true });
  });
});
