import { AgentCard, Role, StreamResponse, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore, ServerCallContext } from '@a2a-js/sdk/server';
import { type AnyMessage, client } from '@agentclientprotocol/sdk';
import type { JsonObject } from '#protocol/json.ts';
import { readRecord } from '../../bridges/a2a/client/record.ts';
import { Peer } from '../../bridges/wire/peer.ts';

/**
 * CPU per message of what the SDKs read and the bridges read themselves: the figures of the decision records in the READMEs of the
 * bridges. Run by itself, after a build: `node dist/test/bench/sdk-costs.js`.
 */
const MESSAGES = 20_000;
const ROUNDS = 3;

/** Microseconds of CPU per message, the best of the rounds. */
async function cpuOf(run: () => Promise<void> | void): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / MESSAGES);
  }
  return best;
}

const artifactUpdate = (n: number): JsonObject => ({
  artifactUpdate: {
    taskId: 'task-1',
    contextId: 'context-1',
    artifact: { artifactId: 'a', parts: [{ text: `piece ${n} of an answer that comes in pieces` }] },
    append: true,
    lastChunk: false,
  },
});

const a2aTexts = Array.from({ length: MESSAGES }, (_, n) =>
  JSON.stringify({ jsonrpc: '2.0', id: 'r', result: artifactUpdate(n) }),
);

function a2aBySdk(): void {
  for (const text of a2aTexts) StreamResponse.fromJSON((JSON.parse(text) as JsonObject)['result']);
}

function a2aByBridge(): void {
  const base = { protocol: 'jsonrpc-1.0', operation: 'SendStreamingMessage', request_id: 'r' } as const;
  for (const text of a2aTexts) readRecord({ ...base, message: JSON.parse(text) as JsonObject });
}

const acpTexts = Array.from({ length: MESSAGES }, (_, n) =>
  JSON.stringify({
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: 's',
      update: {
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: `piece ${n} of an answer` },
      },
    },
  }),
);

async function acpBySdk(): Promise<void> {
  const toClient = new TransformStream<AnyMessage, AnyMessage>();
  const writer = toClient.writable.getWriter();
  const all = new Promise<void>((resolve) => {
    let count = 0;
    client({ name: 'c' })
      .onNotification('session/update', () => {
        count += 1;
        if (count === MESSAGES) resolve();
      })
      .connect({ readable: toClient.readable, writable: new WritableStream<AnyMessage>() });
  });
  for (const text of acpTexts) await writer.write(JSON.parse(text) as AnyMessage);
  await all;
}

function acpByBridge(): void {
  let count = 0;
  const peer = new Peer({
    cancelMethod: '$/cancel_request',
    send: () => undefined,
    handlers: {
      request: () => undefined,
      notification: () => {
        count += 1;
      },
      failed: () => undefined,
    },
  });
  for (const text of acpTexts) peer.receive(JSON.parse(text) as JsonObject);
  if (count !== MESSAGES) throw new Error(`only ${count} of ${MESSAGES} updates arrived`);
}

/** Microseconds of CPU for each chunk of one artifact, on the SDK's own request handler with its store in memory. */
async function cpuOfChunk(chunks: number): Promise<number> {
  const text = (value: string) => ({
    content: { $case: 'text' as const, value },
    metadata: undefined,
    filename: '',
    mediaType: 'text/plain',
  });
  const handler = new DefaultRequestHandler(
    AgentCard.fromJSON({ name: 'a', capabilities: { streaming: true } }),
    new InMemoryTaskStore(),
    {
      execute: async ({ taskId, contextId, userMessage }, bus) => {
        const status = (state: TaskState) => ({ state, message: undefined, timestamp: undefined });
        const task = { artifacts: [], history: [userMessage], metadata: undefined };
        bus.publish(
          AgentEvent.task({ id: taskId, contextId, ...task, status: status(TaskState.TASK_STATE_WORKING) }),
        );
        const described = { name: '', description: '', metadata: undefined, extensions: [] };
        for (let n = 0; n < chunks; n += 1) {
          const artifact = { artifactId: 'a', ...described, parts: [text(`piece ${n} of an answer`)] };
          const how = { append: n > 0, lastChunk: false, metadata: undefined };
          bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, ...how }));
        }
        const completed = status(TaskState.TASK_STATE_COMPLETED);
        bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: completed, metadata: undefined }));
        bus.finished();
      },
      cancelTask: async () => undefined,
    },
  );
  const message = {
    messageId: 'm',
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [text('go')],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  const before = process.cpuUsage();
  const request = { tenant: '', message, configuration: undefined, metadata: undefined };
  let events = 0;
  for await (const _ of handler.sendMessageStream(request, new ServerCallContext())) events += 1;
  const { user, system } = process.cpuUsage(before);
  if (events !== chunks + 2) throw new Error(`${events} events of ${chunks + 2} arrived`);
  return (user + system) / chunks;
}

for (const chunks of [250, 250, 1_000])
  process.stdout.write(
    `A2A chunk of ${chunks}, handler of the SDK: ${(await cpuOfChunk(chunks)).toFixed(0)} us of CPU\n`,
  );

for (const [what, run] of [
  ['A2A stream event, SDK codec', a2aBySdk],
  ['A2A stream event, record of the bridge', a2aByBridge],
  ['ACP update, client of the SDK', acpBySdk],
  ['ACP update, peer of the bridge', acpByBridge],
] as const)
  process.stdout.write(`${what}: ${(await cpuOf(run)).toFixed(1)} us of CPU\n`);
process.exit(0);
