import { describe, expect, it, vi } from 'vitest';
import { Relay } from '#cli/acp/relay.ts';

interface Told {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: { stopReason?: string };
  error?: { code: number };
}

/** A relay between an editor and a gateway that are this test. */
function stage() {
  const editor: Told[] = [];
  const gateway: Told[] = [];
  let isUp = true;
  const relay = new Relay({
    toEditor: (text) => void editor.push(JSON.parse(text)),
    toGateway: (text) => {
      if (isUp) gateway.push(JSON.parse(text));
      return isUp;
    },
    announced: (message) => message,
    takes: () => false,
  });
  const say = (message: object) => relay.fromEditor(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const answer = (id: unknown, result: object) =>
    relay.fromGateway(JSON.stringify({ jsonrpc: '2.0', id, result }));
  const cut = () => {
    isUp = false;
    relay.disconnected();
  };
  const up = () => {
    isUp = true;
  };
  const back = async () => {
    up();
    const connected = relay.connected();
    answer(gateway.at(-1)?.id, {});
    await connected;
  };
  return { relay, editor, gateway, say, answer, cut, up, back };
}

describe('the relay of the launcher', () => {
  it('keeps a prompt that a gateway has taken while that is away, however long; other requests are told', async () => {
    const { relay, editor, gateway, say, answer, cut, back } = stage();
    say({ id: 0, method: 'initialize', params: {} });
    await relay.connected();
    answer(0, {});
    say({ id: 1, method: 'session/prompt', params: { sessionId: 's' } });
    const key = gateway.at(-1)?.params;
    cut();
    say({ id: 2, method: 'session/list', params: {} });
    say({ id: 3, method: 'session/prompt', params: { sessionId: 's' } });
    relay.refuse('unreachable', 'No gateway answers.');
    expect(editor.slice(1)).toMatchObject([
      { id: 2, error: { code: -32603 } },
      { id: 3, error: { code: -32603 } },
    ]);
    await back();
    expect(gateway.at(-1)).toMatchObject({ id: 1, method: 'session/prompt', params: key });
    answer(1, { stopReason: 'end_turn' });
    expect(editor.at(-1)).toMatchObject({ id: 1, result: { stopReason: 'end_turn' } });
  });

  it('tells everybody who waits that a key is refused', async () => {
    const { relay, editor, say, answer, cut } = stage();
    say({ id: 0, method: 'initialize', params: {} });
    await relay.connected();
    answer(0, {});
    say({ id: 1, method: 'session/prompt', params: { sessionId: 's' } });
    cut();
    relay.refuse('unauthenticated', 'The gateway does not accept this key.');
    expect(editor.at(-1)).toMatchObject({ id: 1, error: { code: -32000 } });
  });

  it('a message that is too large for the gateway is refused here, and is not sent with every connection', async () => {
    const { relay, editor, gateway, say, answer, cut, back } = stage();
    const _meta = { harn: { maxMessageBytes: 1_000 } };
    say({ id: 0, method: 'initialize', params: {} });
    await relay.connected();
    answer(0, { agentCapabilities: { _meta } });
    const fill = 'x'.repeat(1_000);
    say({ id: 1, method: 'session/prompt', params: { sessionId: 's', fill } });
    expect(editor.at(-1)).toMatchObject({ id: 1, error: { code: -32602 } });
    say({ method: 'session/cancel', params: { sessionId: 's', fill } });
    relay.fromGateway(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'fs/read_text_file', params: {} }));
    say({ id: editor.at(-1)?.id, result: { content: fill } });
    const got = () => gateway.filter(({ method }) => method !== 'initialize');
    expect(got()).toMatchObject([{ id: 7, error: { code: -32603 } }]);
    cut();
    say({ method: 'session/cancel', params: { sessionId: 's', fill } });
    await back();
    expect(got()).toHaveLength(1);
    say({ id: 2, method: 'session/prompt', params: { sessionId: 's' } });
    expect(got().slice(1)).toMatchObject([{ id: 2 }]);
  });

  it('a session whose cursor is gone goes on from now, and its editor is told that something is missing', async () => {
    const { relay, editor, gateway, say, answer, cut, up } = stage();
    say({ id: 0, method: 'initialize', params: {} });
    await relay.connected();
    answer(0, {});
    say({ id: 1, method: 'session/new', params: {} });
    answer(1, { sessionId: 's', _meta: { harn: { eventId: '5' } } });
    cut();
    up();
    const connected = relay.connected();
    answer(gateway.at(-1)?.id, {});
    const resumes = () => gateway.filter(({ method }) => method === 'session/resume');
    await vi.waitFor(() => expect(resumes()).toHaveLength(1));
    const data = { harn: { code: 'cursor_expired' } };
    const refusal = { jsonrpc: '2.0', id: resumes()[0]?.id, error: { code: -32002, message: 'gone', data } };
    relay.fromGateway(JSON.stringify(refusal));
    await vi.waitFor(() => expect(resumes()).toHaveLength(2));
    answer(resumes()[1]?.id, {});
    await connected;
    expect(resumes().map(({ params }) => params?.['_meta'])).toEqual([
      { harn: { afterEventId: '5' } },
      { harn: {} },
    ]);
    expect(editor.at(-1)).toMatchObject({ method: 'session/update', params: { sessionId: 's' } });
  });
});
