import { Parser } from '@asyncapi/parser';
import { describe, expect, it } from 'vitest';
import { EVENT_PAYLOADS } from '#resources/event-payloads.ts';
import { OPERATIONS } from '#resources/operations.ts';
import { asyncApiDocument } from '#surfaces/discovery/asyncapi.ts';
import { AsyncApiCheck } from '../../harness/asyncapi-check.ts';

const document = asyncApiDocument('0.1.0', 'https://gateway.example.com');

describe('the AsyncAPI document', () => {
  it('is taken by the parser of AsyncAPI, without a warning', async () => {
    const { document: parsed, diagnostics } = await new Parser().parse(JSON.stringify(document));
    expect(
      diagnostics
        .filter(({ severity }) => severity <= 1)
        .map(({ message, path }) => `${path.join('.')}: ${message}`),
    ).toEqual([]);
    expect(parsed?.version()).toBe('3.0.0');
    const channels = parsed?.channels().all() ?? [];
    const streams = Object.values(OPERATIONS).filter(({ kind }) => kind === 'stream' || kind === 'socket');
    expect(channels.map((channel) => channel.address()).sort()).toEqual(
      streams.map(({ path }) => path).sort(),
    );
  }, 120_000);

  it('has each kind of Event as a message of every stream', async () => {
    const { document: parsed } = await new Parser().parse(JSON.stringify(document));
    const streams =
      parsed
        ?.channels()
        .all()
        .filter((channel) => channel.address()?.endsWith('/stream')) ?? [];
    expect(streams).toHaveLength(3);
    for (const channel of streams)
      expect(
        channel
          .messages()
          .all()
          .map((message) => message.name())
          .sort(),
      ).toEqual([...Object.keys(EVENT_PAYLOADS), 'error'].sort());
  }, 120_000);

  it('tells a wrong payload, and one that it does not name', () => {
    const check = new AsyncApiCheck(document);
    const base = { id: '1', object: 'event', created_at: 't', updated_at: 't', metadata: {}, sequence: 1 };
    const nobody = {
      trace_id: null,
      span_id: null,
      session_id: null,
      task_id: null,
      workspace_id: null,
      actor: null,
    };
    const event = { ...base, ...nobody, previous_event_id: null, resource: { object: 'session', id: 's' } };
    const payload = { through_event_id: '1' };
    const kind = 'vendor.harn_gateway.history_removed';
    const found = check.ofEvent({ ...event, event: kind, payload: { ...payload, more: 1 } });
    expect(found).toContain(`${kind}: the document does not name more`);
    expect(check.ofEvent({ ...event, event: 'task.started', payload: { status: 'ODD' } }).join()).toContain(
      '/payload/status',
    );
    expect(check.ofEvent({ ...event, event: 'task.odd', payload: {} })).toEqual([
      'task.odd is no message of the document',
    ]);
  });
});
