import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import type { TestClient } from '../harness/client.ts';
import { EventStreamClient } from '../harness/event-stream.ts';
import { stageOf } from './stage.ts';

const part = (text: string, visibility: string) => ({ type: 'text', text, visibility });
const PARTS = [
  part('for all', 'public'),
  part('for insiders', 'internal'),
  part('for receipts', 'receipt_only'),
];
const INSIDER = 'for insiders';
const RECEIPT = 'for receipts';
const HASH = createHash('sha256')
  .update('{"text":"for receipts","type":"text","visibility":"receipt_only"}')
  .digest('hex');

describe('visibility', () => {
  const scopes = [
    'sessions:read',
    'messages:read',
    'tasks:read',
    'events:read',
    'artifacts:read',
    'outcomes:read',
  ];
  const stage = stageOf({
    config: { limits: { inline_payload_bytes: 64 } },
    keys: [
      { actor: 'reader', scopes },
      { actor: 'writer', scopes: [...scopes, 'tasks:write', 'messages:write'] },
      { actor: 'insider', scopes: [...scopes, 'internal:read'] },
    ],
  });
  let task: Task;
  let paths: string[] = [];
  beforeAll(async () => {
    const { id } = await stage.client.session();
    const body = { input: { role: 'user', parts: PARTS } };
    task = await stage.client.post<Task>(`/v1/sessions/${id}/tasks`, body);
    await stage.client.until(task.id, 'COMPLETED');
    const message = await stage.client.post<{ id: string }>(`/v1/sessions/${id}/messages`, {
      message: { role: 'assistant', parts: PARTS },
    });
    const events = await stage.client.events(`/v1/sessions/${id}/events`);
    const holders = events.filter(({ event }) =>
      ['task.submitted', 'user.message', 'agent.message'].includes(event),
    );
    paths = [
      `/v1/tasks/${task.id}`,
      '/v1/tasks',
      `/v1/sessions/${id}/messages`,
      `/v1/messages/${message.id}`,
      `/v1/sessions/${id}/events`,
      `/v1/tasks/${task.id}/events`,
      '/v1/events',
      ...holders.map((event) => `/v1/events/${event.id}`),
    ];
  });
  const texts = async (client: TestClient) => {
    const answers = await Promise.all(paths.map((path) => client.call('GET', path)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
    const stream = await EventStreamClient.open(client, `/v1/tasks/${task.id}/stream`);
    await stream.ended;
    return [...answers.map(({ text }) => text), stream.text];
  };

  it('[S4-03] [CORE-PRIV-01] a reader sees public parts and neither of the others, on every way', async () => {
    const all = await texts(stage.as('reader'));
    expect(all.filter((text) => text.includes(INSIDER) || text.includes(RECEIPT))).toEqual([]);
    expect(all.filter((text) => text.includes('for all')).length).toBeGreaterThan(5);
  });

  it('[S4-03] [CORE-PRIV-01] internal:read shows internal parts, receipt_only never leaves', async () => {
    const all = await texts(stage.as('insider'));
    expect(all.filter((text) => text.includes(RECEIPT))).toEqual([]);
    expect(all.filter((text) => text.includes(INSIDER)).length).toBeGreaterThan(5);
    expect((await texts(stage.client)).filter((text) => text.includes(RECEIPT))).toEqual([]);
  });

  it('[CORE-PRIV-03] [S4-03] a descriptor stands in the place of what is hidden, with the hash of receipt_only', async () => {
    const { input } = await stage.as('reader').get<{ input: { parts: object[] } }>(`/v1/tasks/${task.id}`);
    expect(input.parts).toEqual([
      PARTS[0],
      {
        type: 'json',
        visibility: 'internal',
        value: { redacted: true, type: 'text', visibility: 'internal' },
      },
      {
        type: 'json',
        visibility: 'receipt_only',
        value: { redacted: true, type: 'text', visibility: 'receipt_only', sha256: `sha256:${HASH}` },
      },
    ]);
  });

  it('[CORE-EVT-04] [S4-03] the agent gets public parts only, the others as descriptors', () => {
    const sent = stage.peer('sample').requests.find(({ body }) => body.includes('for all'));
    expect(sent?.body).toContain('"redacted":true');
    expect(sent?.body).not.toContain(INSIDER);
    expect(sent?.body).not.toContain(RECEIPT);
  });

  it('[S4-03] [CORE-PRIV-01] the answers of commands hide as reads do, the first time and repeated', async () => {
    const { id } = await stage.client.session();
    const input = { role: 'user', parts: [...PARTS, part('ask', 'public')] };
    const submit = (client: TestClient, key: string) =>
      client.call<Task>('POST', `/v1/sessions/${id}/tasks`, {
        body: { input },
        headers: { 'idempotency-key': key },
      });
    const answers = [
      await submit(stage.client, 'by all'),
      await submit(stage.client, 'by all'),
      await submit(stage.as('writer'), 'by writer'),
      await submit(stage.as('writer'), 'by writer'),
    ];
    const [own] = answers;
    const cancel = `/v1/tasks/${own?.body.id}/cancel`;
    answers.push(
      await stage.as('writer').call<Task>('POST', cancel),
      await stage.as('writer').call<Task>('POST', cancel),
    );
    for (const { text } of answers) expect(text).not.toContain(RECEIPT);
    expect(answers.map(({ text }) => text.includes(INSIDER))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    const message = { message: { role: 'user', parts: PARTS } };
    const appended = await stage.as('writer').call('POST', `/v1/sessions/${id}/messages`, { body: message });
    expect(appended.status).toBe(201);
    expect(appended.text).not.toContain(INSIDER);
  });

  it.each([
    ['public', 'reader', 200],
    ['internal', 'reader', 403],
    ['internal', 'insider', 200],
    ['receipt_only', 'insider', 403],
  ])('[S4-03] content of a %s artifact for the %s: %i', async (visibility, actor, status) => {
    const made = await stage.client.post<{ id: string }>('/v1/artifacts', {
      kind: 'file',
      mime_type: 'text/plain',
      visibility,
    });
    await stage.client.call('PUT', `/v1/artifacts/${made.id}/content`, { body: Buffer.from('content') });
    expect((await stage.as(actor).call('GET', `/v1/artifacts/${made.id}`)).status).toBe(200);
    const content = await stage.as(actor).call('GET', `/v1/artifacts/${made.id}/content`);
    expect(content.status).toBe(status);
    expect(content.text.includes('content of this artifact') || content.text === 'content').toBe(true);
  });

  it('[S4-03] [C27] a large internal part is as hidden in its artifact as it was in the message', async () => {
    const { id } = await stage.client.session();
    const long = part('secret plan '.repeat(20), 'internal');
    const message = await stage.client.post<{ parts: { artifact_id: string }[] }>(
      `/v1/sessions/${id}/messages`,
      {
        message: { role: 'user', parts: [long] },
      },
    );
    const path = `/v1/artifacts/${message.parts[0]?.artifact_id}/content`;
    expect((await stage.as('reader').call('GET', path)).status).toBe(403);
    expect((await stage.as('insider').call('GET', path)).text).toBe(long.text);
    await stage.client.until((await stage.client.submit('tell', id)).id, 'COMPLETED');
    expect(stage.peer('sample').requests.filter(({ body }) => body.includes('secret plan'))).toEqual([]);
  });

  it.each(['internal', 'receipt_only'])(
    '[S4-03] a public reference does not carry the content of a %s artifact to the agent',
    async (visibility) => {
      const made = await stage.client.post<{ id: string }>('/v1/artifacts', {
        kind: 'file',
        mime_type: 'text/plain',
        visibility,
      });
      const bytes = Buffer.from(`kept back ${visibility}`);
      await stage.client.call('PUT', `/v1/artifacts/${made.id}/content`, { body: bytes });
      const { id } = await stage.client.session();
      const reference = { type: 'artifact_ref', artifact_id: made.id, visibility: 'public' };
      const { body } = await stage.client.call<Task>('POST', `/v1/sessions/${id}/tasks`, {
        body: { input: { role: 'user', parts: [part(`see ${visibility}`, 'public'), reference] } },
      });
      await stage.client.until(body.id, 'COMPLETED');
      const sent = stage
        .peer('sample')
        .requests.filter(({ body }) => body.includes(made.id) || body.includes(`see ${visibility}`));
      expect(sent.length).toBeGreaterThan(0);
      for (const request of sent) expect(request.body).not.toContain(bytes.toString('base64'));
    },
  );
});
