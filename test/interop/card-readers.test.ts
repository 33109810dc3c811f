import { createServer } from 'node:http';
import { AgentCard } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { ClientFactory as ClientFactory03 } from 'a2a03/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { a2aCard } from '#cards/a2a-card.ts';
import { signA2aCard } from '#cards/sign-card.ts';
import { closeServer, listenOnLoopback } from '../harness/peers/peer.ts';
import { AGENT, newKey, OFFER } from '../unit/cards/card-world.ts';

/** One card, two generations of readers. See src/cards/README.md. */
describe('[C3] the superset card, read by real clients', () => {
  const calls: { method: string; version: string | undefined }[] = [];
  const server = createServer();
  let url = '';
  beforeAll(async () => {
    url = await listenOnLoopback(server);
    const baseUrl = `${url}/a2a/sample`;
    const card = signA2aCard(
      a2aCard({ agent: AGENT, baseUrl, publicUrl: url, offer: OFFER }),
      newKey(),
      `${url}/keys.json`,
    );
    server.on('request', async (request, response) => {
      response.setHeader('content-type', 'application/json');
      if (request.url === '/.well-known/agent-card.json') {
        response.end(JSON.stringify(card));
        return;
      }
      let text = '';
      for await (const chunk of request) text += chunk;
      const { id, method } = JSON.parse(text) as { id: unknown; method: string };
      calls.push({ method, version: request.headers['a2a-version'] as string | undefined });
      const old = { kind: 'message', messageId: 'm', role: 'agent', parts: [{ kind: 'text', text: 'hi' }] };
      const answer = { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } };
      const results: Record<string, object> = { 'message/send': old, SendMessage: answer };
      // Both clients ask for the extended card when the public one says that there is one.
      const result = results[method] ?? card;
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  afterAll(() => closeServer(server));

  it('the client of A2A 1.0 finds its interface and calls it', async () => {
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory()],
    });
    const client = await new ClientFactory(options).createFromUrl(url);
    const card = await client.getAgentCard();
    expect(AgentCard.toJSON(card)).toMatchObject({
      name: 'Sample',
      supportedInterfaces: [
        { url: `${url}/a2a/sample`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { protocolBinding: 'HTTP+JSON' },
        { protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
        // The Harn interface, once for each version of the protocol.
        { protocolVersion: 'agents-protocol-2026-04-25' },
        { protocolVersion: 'agents-protocol-2026-10-11' },
      ],
      signatures: [{}, {}, {}],
    });
    const message = { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
    const { SendMessageRequest } = await import('@a2a-js/sdk');
    await client.sendMessage(SendMessageRequest.fromJSON({ message }));
    expect(calls.at(-1)).toEqual({ method: 'SendMessage', version: '1.0' });
  });

  it('the client of A2A 0.3 finds its interface and calls it', async () => {
    const client = await new ClientFactory03().createFromUrl(url);
    const card = await client.getAgentCard();
    expect(card).toMatchObject({
      name: 'Sample',
      url: `${url}/a2a/sample`,
      preferredTransport: 'JSONRPC',
      protocolVersion: '0.3.0',
      security: [{ bearer: ['tasks:read', 'tasks:write'] }],
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    });
    const message = {
      kind: 'message' as const,
      messageId: 'x',
      role: 'user' as const,
      parts: [{ kind: 'text' as const, text: 'hello' }],
    };
    expect(await client.sendMessage({ message })).toMatchObject({ kind: 'message' });
    expect(calls.at(-1)).toEqual({ method: 'message/send', version: undefined });
  });
});
