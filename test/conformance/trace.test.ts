import { describe, expect, it } from 'vitest';
import { userText } from '../harness/client.ts';
import { stageOf } from './stage.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('trace context', () => {
  const stage = stageOf();
  const run = async (traceparent: string | undefined, text: string) => {
    const { id } = await stage.client.session();
    const { body } = await stage.client.call<{ id: string }>('POST', `/v1/sessions/${id}/tasks`, {
      body: { input: userText(text) },
      headers: { traceparent },
    });
    await stage.client.until(body.id, 'COMPLETED');
    const events = await stage.client.events(`/v1/tasks/${body.id}/events`);
    const sent = stage.peer('sample').requests.find((request) => request.body.includes(text));
    return { events, sent: sent?.headers['traceparent'] };
  };

  it('[S7-03] the trace of the caller is in every event of the task and goes on to the agent', async () => {
    const { events, sent } = await run(`00-${TRACE}-${SPAN}-01`, 'traced work');
    expect(new Set(events.map((event) => event['trace_id']))).toEqual(new Set([TRACE]));
    expect(events[0]?.['span_id']).toBe(SPAN);
    expect(sent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(sent).not.toContain(SPAN);
  });

  it('log lines of a request name the trace of its caller', async () => {
    const { trace_id } = await lineOf(`00-${TRACE}-${SPAN}-01`, 'logged work');
    expect(trace_id).toBe(TRACE);
    expect((await lineOf('nonsense', 'more logged work')).trace_id).toBeUndefined();
  });

  const lineOf = async (traceparent: string, text: string) => {
    const before = stage.gateway.logText().length;
    await run(traceparent, text);
    const lines = stage.gateway.logText().slice(before).split('\n');
    const line = lines.find((each) => each.includes('/v1/sessions/{session_id}/tasks'));
    return JSON.parse(line ?? '{}') as { trace_id?: string };
  };

  it.each([
    undefined,
    'nonsense',
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  ])('[S7-03] with the header %j the task begins a trace of its own', async (traceparent) => {
    const { events, sent } = await run(traceparent, `untraced ${traceparent}`);
    const traces = [...new Set(events.map((event) => event['trace_id']))];
    expect(traces.length).toBe(1);
    expect(traces[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(traces[0]).not.toBe(TRACE);
    expect(sent).toContain(`00-${traces[0]}-`);
  });
});
