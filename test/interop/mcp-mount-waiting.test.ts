import type { Client as ModernClient } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { EraServer } from '../harness/era-servers.ts';
import { ASKED, mountStage, textOf } from '../harness/mcp-mount-stage.ts';

describe('/mcp/{server} where the era of the client is not that of the server', () => {
  const { servers, connect, post } = mountStage();

  describe.each(['sessions-stdio', 'sessions-http'])(
    'what waits on %s for a client without a session',
    (id) => {
      const inputResponses = { question_1: { action: 'accept', content: { name: 'Eve' } } };
      const ask = async () => (await post(id, 'tools/call', { name: 'ask', arguments: {} })).result ?? {};

      it('[MCP-MOUNT-7] is that of its caller and its request, by a state that counts once', async () => {
        const { resultType, inputRequests, requestState } = await ask();
        expect(resultType).toBe('input_required');
        expect(inputRequests).toMatchObject({ question_1: { method: 'elicitation/create' } });
        const again = { arguments: {}, inputResponses, requestState };
        const refused = [
          await post(id, 'tools/call', { ...again, name: 'ask' }, ASKED, 'other'),
          await post(id, 'tools/call', { ...again, name: 'sample' }),
          await post(id, 'tools/call', { ...again, name: 'ask', requestState: `${requestState}0` }),
        ];
        for (const { error } of refused) expect(error).toMatchObject({ code: -32_602 });
        const { result } = await post(id, 'tools/call', { ...again, name: 'ask' });
        expect(textOf(result)).toBe('accept: Eve');
        const { error } = await post(id, 'tools/call', { ...again, name: 'ask' });
        expect(error).toMatchObject({ code: -32_602 });
      });

      it('waits on when the answer is missing or another one, and two calls do not mix', async () => {
        const [first, second] = await Promise.all([ask(), ask()]);
        const answered = { name: 'ask', arguments: {}, inputResponses: { stray: { action: 'accept' } } };
        const { result } = await post(id, 'tools/call', {
          ...answered,
          requestState: first?.['requestState'],
        });
        expect(result).toMatchObject({
          resultType: 'input_required',
          inputRequests: first?.['inputRequests'],
        });
        const end = async (requestState: unknown, name: string) => {
          const given = { question_1: { action: 'accept', content: { name } } };
          const ended = await post(id, 'tools/call', { ...answered, inputResponses: given, requestState });
          return textOf(ended.result);
        };
        expect(await end(second?.['requestState'], 'second')).toBe('accept: second');
        expect(await end(result?.['requestState'], 'first')).toBe('accept: first');
      });

      it('a page that has to be opened first is asked for in a result, of a client that can open pages', async () => {
        const { result } = await post(id, 'tools/call', { name: 'page', arguments: {} });
        expect(result).toMatchObject({
          resultType: 'input_required',
          inputRequests: {
            page_1: {
              method: 'elicitation/create',
              params: { mode: 'url', url: 'https://example.com/in', message: 'Log in.' },
            },
          },
        });
        const { error } = await post(
          id,
          'tools/call',
          { name: 'page', arguments: {} },
          { elicitation: { form: {} } },
        );
        expect(error).toMatchObject({
          code: -32_021,
          data: { requiredCapabilities: { elicitation: { url: {} } } },
        });
      });

      it('[MCP-MOUNT-8] a tool that its server runs only as a task is called as one, and its result given', async () => {
        const { result } = await post(id, 'tools/call', { name: 'tasked', arguments: { id: 'task_1' } });
        expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'task_1 is done' }] });
      });

      it('[MCP-MOUNT-8] who gives such a call up has its task canceled', async () => {
        const server = servers.get(id) as EraServer;
        const canceled = new Promise<void>((resolve) => {
          server.left = resolve;
        });
        const client = (await connect('stateless', id)) as unknown as ModernClient;
        const calls = new AbortController();
        const polled = new Promise<void>((resolve) => {
          server.polled = resolve;
        });
        const call = client.callTool(
          { name: 'tasked', arguments: { id: 'endless' } },
          { signal: calls.signal },
        );
        await polled;
        calls.abort();
        await expect(call).rejects.toThrow();
        await canceled;
      });

      it('methods of the other era, and unknown ones, are not found', async () => {
        for (const method of ['ping', 'logging/setLevel', 'resources/subscribe', 'tasks/get', 'no/such'])
          expect((await post(id, method, {})).error).toMatchObject({ code: -32_601 });
      });

      it('no more resources are watched than the bound says', async () => {
        const resourceSubscriptions = Array.from({ length: 101 }, (_, at) => `era://${at}`);
        const { error } = await post(id, 'subscriptions/listen', {
          notifications: { resourceSubscriptions },
        });
        expect(error).toMatchObject({ code: -32_602 });
      });
    },
  );

  it.each(['stateless-stdio', 'stateless-http'])(
    '%s: an output that is no object is a member of one for a client with a session',
    async (id) => {
      const client = await connect('sessions', id);
      const { tools } = await client.listTools();
      expect(tools.find(({ name }) => name === 'number')?.outputSchema).toMatchObject({
        properties: { result: { type: 'integer' } },
      });
      const { structuredContent } = await client.callTool({ name: 'number', arguments: {} });
      expect(structuredContent).toEqual({ result: 7 });
    },
  );

  it.each(['sessions-stdio', 'sessions-http'])(
    '%s: a resource is watched for as long as a client without a session listens',
    async (id) => {
      const server = servers.get(id) as EraServer;
      const client = (await connect('stateless', id)) as unknown as ModernClient;
      const uri = 'era://watched';
      const listening = await client.listen({ resourceSubscriptions: [uri] });
      expect(server.watched).toContain(uri);
      const ended = new Promise<void>((resolve) => {
        server.ended = (ended) => ended === uri && resolve();
      });
      await listening.close();
      await ended;
    },
  );

  it('[MCP-MOUNT-9] a caller who leaves questions unanswered holds half of the connections, and others are asked', async () => {
    const id = 'sessions-http';
    const ask = (name?: string) => post(id, 'tools/call', { name: 'ask', arguments: {} }, ASKED, name);
    const asked = await Promise.all(Array.from({ length: 8 }, () => ask()));
    for (const { result } of asked) expect(result).toMatchObject({ resultType: 'input_required' });
    expect((await ask()).error).toMatchObject({
      code: -32_603,
      data: { harn: { details: { reason: 'max_connections' } } },
    });
    expect((await ask('other')).result).toMatchObject({ resultType: 'input_required' });
    const inputResponses = { question_1: { action: 'accept', content: { name: 'Eve' } } };
    for (const { result } of asked) {
      const requestState = result?.['requestState'];
      const again = { name: 'ask', arguments: {}, inputResponses, requestState };
      expect(textOf((await post(id, 'tools/call', again)).result)).toBe('accept: Eve');
    }
    expect((await ask()).result).toMatchObject({ resultType: 'input_required' });
  });
});
