import {
  type AgentCard,
  AgentCard as CardCodec,
  canonicalizeAgentCard,
  generateAgentCardSignature,
  SendMessageRequest,
  StreamResponse,
  verifyAgentCardSignature,
} from '@a2a-js/sdk';
import { LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { type AnyMessage, client } from '@agentclientprotocol/sdk';
import {
  Client as StatelessClient,
  type Transport as StatelessTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { STATELESS } from '../../../mappings/mcp/revisions.ts';

/*
 * What the decision records of the bridges say against parts of the SDKs, shown by the SDKs alone. A test that fails with a new
 * version says that its part may be used now: look at the record again.
 */

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('@a2a-js/sdk', () => {
  it('does not tell whether a chunk is appended, over HTTP+JSON of 0.3', async () => {
    const artifact = { artifactId: 'a', parts: [{ text: 'more' }] };
    const event = {
      artifactUpdate: { taskId: 't', contextId: 'c', artifact, append: true, lastChunk: true },
    };
    const headers = { 'content-type': 'text/event-stream' };
    const fetchImpl = async () => new Response(`data: ${JSON.stringify(event)}\n\n`, { headers });
    const transport = new LegacyRestTransport({ endpoint: 'http://127.0.0.1:1', fetchImpl });
    const params = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] } };
    const seen: unknown[] = [];
    for await (const told of transport.sendMessageStream(SendMessageRequest.fromJSON(params)))
      seen.push(told.payload?.value);
    expect(seen).toMatchObject([{ append: false, lastChunk: true }]);
  });

  it('loses members that it does not know in a message of gRPC too', () => {
    const { requestSerialize, requestDeserialize } = A2AService.getTask;
    const known = requestSerialize({ tenant: '', id: 't', historyLength: undefined });
    const unknown = Buffer.concat([known, Buffer.from([0xfa, 0x3f, 0x03, 0x61, 0x62, 0x63])]);
    expect(requestSerialize(requestDeserialize(unknown))).toEqual(known);
  });

  const coded = (value: JsonObject) => StreamResponse.toJSON(StreamResponse.fromJSON(value));

  it('loses words and members that it does not know, and null', () => {
    const parts = [{ data: null }, { text: 'a', later: 1 }];
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts };
    const status = { state: 'TASK_STATE_PAUSED', message };
    expect(coded({ statusUpdate: { taskId: 't', contextId: 'c', status, later: true } })).toEqual({
      statusUpdate: {
        taskId: 't',
        contextId: 'c',
        status: {
          state: 'UNRECOGNIZED',
          message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{}, { text: 'a' }] },
        },
      },
    });
  });

  it('reads nothing of the dialect of harn serve', () => {
    expect(coded({ type: 'status', taskId: 't', status: 'working' })).toEqual({});
  });

  it('leaves the security schemes of a decoded card out of what is signed', () => {
    const card = {
      name: 'a',
      securitySchemes: { key: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
    };
    expect(canonicalizeAgentCard(card as unknown as AgentCard)).toContain('bearer');
    expect(canonicalizeAgentCard(CardCodec.fromJSON(card))).not.toContain('bearer');
  });

  it('takes a signature by a shared secret for one by a public key', async () => {
    const secret = { kty: 'oct', k: Buffer.alloc(32, 1).toString('base64url') };
    const sign = generateAgentCardSignature(secret, { alg: 'HS256', kid: 'k', typ: 'JOSE' });
    const card = await sign(CardCodec.fromJSON({ name: 'a' }));
    await expect(verifyAgentCardSignature(async () => secret)(card)).resolves.toBeUndefined();
  });
});

describe('@agentclientprotocol/sdk', () => {
  /** A client of the SDK, and what an agent on the other side sends it. */
  function connected() {
    const updates: unknown[] = [];
    const toClient = new TransformStream<AnyMessage, AnyMessage>();
    const fromClient = new TransformStream<AnyMessage, AnyMessage>();
    const writer = toClient.writable.getWriter();
    const asked: JsonObject[] = [];
    void (async () => {
      const reader = fromClient.readable.getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read())
        asked.push(next.value as unknown as JsonObject);
    })();
    const connection = client({ name: 'c' })
      .onNotification('session/update', ({ params }) => {
        updates.push(params.update);
      })
      .connect({ readable: toClient.readable, writable: fromClient.writable });
    const send = (message: object) => writer.write({ jsonrpc: '2.0', ...message } as AnyMessage);
    const update = (given: JsonObject) =>
      send({ method: 'session/update', params: { sessionId: 's', update: given } });
    return { connection, updates, asked, send, update };
  }

  it('drops updates of a kind that it does not know, and members of those it knows', async () => {
    const { update, updates } = connected();
    await update({ sessionUpdate: 'weather_update', sky: 'blue' });
    const content = { type: 'text', text: 'a' };
    await update({ sessionUpdate: 'agent_message_chunk', content, later: 1 });
    await settled();
    expect(updates).toEqual([{ sessionUpdate: 'agent_message_chunk', content }]);
  });

  it('waits for ever for an answer whose id comes back as a string', async () => {
    const { connection, asked, send } = connected();
    let hasAnswer = false;
    const answer = connection.agent.request('session/list', {}).finally(() => {
      hasAnswer = true;
    });
    answer.catch(() => undefined);
    await settled();
    await send({ id: String(asked[0]?.['id']), result: { sessions: [] } });
    await settled();
    expect(hasAnswer).toBe(false);
  });
});

/** A server in this process that answers every call with this result, after what `before` sends. */
function serverWith(result: JsonObject, before: (ask: JsonObject) => JsonObject[] = () => []) {
  const transport: Transport = {
    start: async () => undefined,
    close: async () => undefined,
    send: async (message) => {
      const ask = message as unknown as JsonObject;
      if (ask['id'] === undefined) return;
      const greeting = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      };
      const answer = ask['method'] === 'initialize' ? greeting : result;
      const messages: JsonValue[] = ask['method'] === 'initialize' ? [] : before(ask);
      for (const each of [...messages, { jsonrpc: '2.0', id: ask['id'], result: answer }])
        transport.onmessage?.(each as never);
    },
  };
  return transport;
}

describe('@modelcontextprotocol/sdk', () => {
  it('loses progress that comes with the result of its call', async () => {
    const mcp = new Client({ name: 'c', version: '1' });
    const progress = (ask: JsonObject): JsonObject[] => [
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: ask['id'] ?? 0, progress: 1 },
      },
    ];
    await mcp.connect(serverWith({ content: [] }, progress));
    const reported: unknown[] = [];
    const call = { method: 'tools/call', params: { name: 't' } };
    await mcp.request(call, ResultSchema, { onprogress: (each) => void reported.push(each) });
    await settled();
    expect(reported).toEqual([]);
  });
});

describe('@modelcontextprotocol/client', () => {
  async function called(result: JsonObject): Promise<unknown> {
    const mcp = new StatelessClient(
      { name: 'c', version: '1' },
      { versionNegotiation: { mode: { pin: STATELESS } }, inputRequired: { autoFulfill: false } },
    );
    const discover = {
      supportedVersions: [STATELESS],
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
    };
    const transport = serverWith(result) as unknown as StatelessTransport;
    await mcp.connect(transport, { prior: { kind: 'modern', discover } } as never);
    const tool = { name: 't', inputSchema: { type: 'object' } };
    return mcp.callTool({ name: 't' }, { toolDefinition: tool } as never);
  }

  it('refuses a result with content of a kind that it does not know', async () => {
    const content = [{ type: 'hologram', data: 'x' }];
    await expect(called({ resultType: 'complete', content })).rejects.toThrow();
  });

  it('refuses a result that is a task', async () => {
    await expect(called({ resultType: 'task', taskId: 't', status: 'working' })).rejects.toThrow();
  });

  it('loses members of content that it does not know', async () => {
    const content = [{ type: 'text', text: 'a', later: 1 }];
    expect(await called({ resultType: 'complete', content })).not.toHaveProperty('content.0.later');
  });
});
