import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Connector, ConnectorDelivery } from '#resources/connector/schema.ts';
import { allEvents } from '../../conformance/event-findings.ts';
import { stageOf } from '../../conformance/stage.ts';
import { OTHER_TENANT } from '../../harness/tenants.ts';

const SECRET = 'shop-webhook-secret-9f2c7d51';
const directory = mkdtempSync(join(tmpdir(), 'harn-connectors-'));
const secretFile = join(directory, 'secret');
writeFileSync(secretFile, SECRET);

describe('connectors', () => {
  const connector = (id: string, more: object = {}) => ({
    id,
    provider: 'shop',
    auth: { type: 'hmac-sha256', secret: { file: secretFile } },
    ...more,
  });
  const plain = {
    type: 'hmac-sha256',
    secret: { file: secretFile },
    signed: 'body',
    header: 'X-Sign',
  };
  const stage = stageOf({
    agents: {},
    config: {
      ...OTHER_TENANT.config,
      connectors: [
        connector('orders', { dedupe: { header: 'X-Delivery' } }),
        connector('notes', { dedupe: { path: 'event.id' }, deliver_as: 'message' }),
        connector('plain', { auth: plain }),
        connector('lost', { target_session: 'session_none' }),
        connector('foreign', { workspace: 'workspace_other' }),
        { id: 'polled', provider: 'shop', polling: { url: 'https://shop.example.com/orders' } },
      ],
    },
    keys: [OTHER_TENANT.key],
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const now = () => Math.floor(Date.now() / 1000);

  function signature(body: string, seconds = now(), key = SECRET): string {
    return `t=${seconds},v1=${createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex')}`;
  }

  function deliver(id: string, body: string, headers: Record<string, string | undefined> = {}) {
    return stage.client.call<ConnectorDelivery>('POST', `/v1/connectors/${id}/deliveries`, {
      body,
      headers: {
        authorization: undefined,
        'Harn-Agents-Protocol-Version': undefined,
        'content-type': 'application/json',
        'X-Harn-Signature': signature(body),
        ...headers,
      },
    });
  }

  async function eventsOf(id: string) {
    const events = await allEvents(stage.gateway.log);
    return events.filter(({ resource }) => resource.object === 'connector' && resource.id === id);
  }

  it('[EXT-CON-01] are listed for the members of their workspace, without a secret', async () => {
    const { data } = await stage.client.get<{ data: Connector[] }>(
      '/v1/connectors?workspace_id=workspace_default',
    );
    expect(data.map(({ id }) => id)).toEqual(['lost', 'notes', 'orders', 'plain', 'polled']);
    expect(JSON.stringify(data)).not.toMatch(/secret/i);
    const orders = await stage.client.get<Connector>('/v1/connectors/orders');
    expect(orders).toMatchObject({
      object: 'connector',
      provider: 'shop',
      status: 'ACTIVE',
      dedupe_policy: { header: 'X-Delivery' },
      webhook: { path: '/v1/connectors/orders/deliveries' },
    });
    const stranger = stage.as('stranger');
    expect((await stranger.get<{ data: Connector[] }>('/v1/connectors')).data).toMatchObject([
      { id: 'foreign' },
    ]);
    expect((await stranger.call('GET', '/v1/connectors/orders')).status).toBe(404);
  });

  it('[C20] [EXT-CON-03] a signed delivery becomes a task of the session of its connector', async () => {
    const body = JSON.stringify({ order: 17, note: 'fragile' });
    const { status, body: delivery } = await deliver('orders', body, { 'X-Delivery': 'd-1' });
    expect(status).toBe(202);
    expect(delivery).toMatchObject({ connector_id: 'orders', dedupe_key: 'd-1', message_id: null });
    const task = await stage.client.until(String(delivery.task_id), 'COMPLETED');
    expect(task).toMatchObject({
      created_by: 'orders',
      session_id: delivery.session_id,
      metadata: { connector_id: 'orders', delivery_id: delivery.id },
      input: { parts: [{ type: 'json', value: { order: 17, note: 'fragile' } }] },
    });
    const next = await deliver('orders', body, { 'X-Delivery': 'd-2' });
    expect(next.body.session_id).toBe(delivery.session_id);
  });

  it('[C20] [EXT-CON-02] a repeated delivery gets the first answer and makes nothing, also many at once', async () => {
    const body = JSON.stringify({ order: 18 });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => deliver('orders', body, { 'X-Delivery': 'd-again' })),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const kinds = (await eventsOf('orders'))
      .filter(({ payload }) => payload['dedupe_key'] === 'd-again')
      .map(({ event }) => event);
    expect(kinds.filter((kind) => kind === 'connector.delivery_deduped')).toHaveLength(9);
    expect(kinds.filter((kind) => kind !== 'connector.delivery_deduped')).toEqual([
      'connector.delivery_received',
      'connector.normalized',
      'connector.task_submitted',
    ]);
  });

  it('[C20] a replayed signature is a repetition, whatever its unsigned headers say', async () => {
    const text = JSON.stringify({ order: 20 });
    const seconds = now();
    const first = await deliver('orders', text, {
      'X-Delivery': 'd-20',
      'X-Harn-Signature': signature(text, seconds),
    });
    const [time = '', hex = ''] = signature(text, seconds).split(',v1=');
    for (const replayed of [
      `${time},v1=${hex}`,
      ` v1=${hex.toUpperCase()}, ${time} `,
      `${time},v1=${hex},v1=00`,
    ]) {
      const headers = { 'X-Delivery': 'd-20-again', 'X-Harn-Signature': replayed };
      const again = await deliver('orders', text, headers);
      expect([again.status, again.body]).toEqual([202, first.body]);
    }
    const later = { 'X-Delivery': 'd-20-new', 'X-Harn-Signature': signature(text, seconds - 1) };
    expect((await deliver('orders', text, later)).body.task_id).not.toBe(first.body.task_id);
  });

  const body = '{"order":19}';
  it.each([
    ['without a signature', 'orders', { 'X-Harn-Signature': undefined }],
    ['signed with another secret', 'orders', { 'X-Harn-Signature': signature(body, now(), 'another') }],
    ['signed for another body', 'orders', { 'X-Harn-Signature': signature('{}') }],
    ['that is late', 'orders', { 'X-Harn-Signature': signature(body, now() - 301) }],
    ['from the future', 'orders', { 'X-Harn-Signature': signature(body, now() + 600) }],
    ['without a time', 'orders', { 'X-Harn-Signature': signature(body).replace(/^t=\d+,/, '') }],
    ['to a connector that is not there', 'nobody', {}],
  ])('[C20] a delivery %s is refused with 401 and leaves nothing', async (_what, id, headers) => {
    const before = await eventsOf(id);
    const answer = await deliver(id, body, { 'X-Delivery': 'd-bad', ...headers });
    expect(answer.status).toBe(401);
    expect(answer.body).toMatchObject({ error: { code: 'unauthenticated' } });
    expect(await eventsOf(id)).toEqual(before);
  });

  it('an API key does not replace the signature', async () => {
    const authorization = `Bearer ${stage.client.key}`;
    const answer = await deliver('orders', body, { authorization, 'X-Harn-Signature': undefined });
    expect(answer.status).toBe(401);
  });

  it('takes signatures over the body alone where it is configured so', async () => {
    const hex = createHmac('sha256', SECRET).update(body).digest('hex');
    const headers = { 'X-Harn-Signature': undefined, 'X-Sign': `sha256=${hex}` };
    const first = await deliver('plain', body, headers);
    expect(first.status).toBe(202);
    expect((await deliver('plain', body, headers)).body.id).not.toBe(first.body.id);
  });

  it('appends a message where it is configured so, deduped by a member of the body', async () => {
    const note = JSON.stringify({ event: { id: 7 }, text: 'call back' });
    const { body: delivery } = await deliver('notes', note);
    expect(delivery).toMatchObject({ task_id: null, dedupe_key: '7' });
    expect(await stage.client.get(`/v1/messages/${delivery.message_id}`)).toMatchObject({
      session_id: delivery.session_id,
      role: 'user',
    });
    expect((await deliver('notes', note)).body).toEqual(delivery);
  });

  it.each([
    ['notes', '{"event":{}}', 400, 'event.id'],
    ['orders', '{"broken"', 400, undefined],
    ['lost', '{}', 404, 'target_session'],
  ])(
    'a delivery to %s that cannot be used fails, says so in an event, and may come again',
    async (id, text, status, param) => {
      const answer = await deliver(id, text, { 'X-Delivery': 'd-fails' });
      expect(answer.status).toBe(status);
      if (param !== undefined) expect(answer.body).toMatchObject({ error: { param } });
      expect((await eventsOf(id)).at(-1)).toMatchObject({ event: 'connector.failed' });
      const again = await deliver(id, text, { 'X-Delivery': 'd-fails' });
      expect(again.status).toBe(status);
    },
  );

  it('refuses a text that is not UTF-8 and does not repair it', async () => {
    const bytes = Buffer.from([0x68, 0xff, 0x69]);
    const answer = await fetch(`${stage.gateway.url}/v1/connectors/plain/deliveries`, {
      method: 'POST',
      body: bytes,
      headers: {
        'content-type': 'text/plain',
        'X-Sign': createHmac('sha256', SECRET).update(bytes).digest('hex'),
      },
    });
    expect(answer.status).toBe(400);
    expect((await eventsOf('plain')).at(-1)?.event).toBe('connector.failed');
  });

  it('makes another session when the last one is closed', async () => {
    const first = (await deliver('orders', body, { 'X-Delivery': 's-1' })).body.session_id;
    await stage.client.post(`/v1/sessions/${first}/close`);
    const second = (await deliver('orders', '{"order":21}', { 'X-Delivery': 's-2' })).body.session_id;
    expect(second).not.toBe(first);
  });

  it('one that would have to be polled is described as disabled, takes nothing, and is never run', async () => {
    expect(await stage.client.get('/v1/connectors/polled')).toMatchObject({
      status: 'DISABLED',
      polling: { url: 'https://shop.example.com/orders', interval_seconds: 300 },
      auth: {},
      webhook: {},
    });
    expect((await deliver('polled', body)).status).toBe(401);
    expect(await eventsOf('polled')).toEqual([]);
  });

  it('never tells its secret', async () => {
    const events = JSON.stringify(await allEvents(stage.gateway.log));
    expect(events + stage.gateway.logText()).not.toContain(SECRET);
  });
});
