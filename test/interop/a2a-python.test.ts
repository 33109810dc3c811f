import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stageOf } from '../conformance/stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { grpcAddress } from '../harness/grpc-client.ts';
import {
  askByPython,
  type Binding,
  HAS_PYTHON,
  needsPython,
  type PythonAgent,
  printedByPython,
  startPythonAgent,
} from '../harness/peers/python-peers.ts';
import { eventsOf, replayOf } from '../harness/runs.ts';

/** Each interface that a card of A2A can offer. */
const INTERFACES: readonly (readonly [Binding, '1.0' | '0.3'])[] = [
  ['JSONRPC', '1.0'],
  ['HTTP+JSON', '1.0'],
  ['GRPC', '1.0'],
  ['JSONRPC', '0.3'],
  ['HTTP+JSON', '0.3'],
  ['GRPC', '0.3'],
];

describe.skipIf(!HAS_PYTHON)(needsPython('the clients of the Python SDK'), () => {
  const stage = stageOf({ config: { server: { grpc: { port: 0 } } } });

  it.each(['jsonrpc-1.0', 'http+json-1.0', 'grpc-1.0', 'http+json-0.3', 'grpc-0.3'])(
    '%s: stream, ask, read, cancel and are refused',
    async (binding) => {
      const { gateway, client } = stage;
      const [way, version] = binding.split('-');
      const url = way === 'grpc' ? await grpcAddress(gateway.url, version) : `${gateway.url}/a2a`;
      expect(JSON.parse(await printedByPython('transports.py', [binding, url, client.key]))).toEqual({
        streamed: [
          'task',
          'chunk chunk 1 of 3',
          'chunk chunk 2 of 3',
          'chunk chunk 3 of 3',
          'TASK_STATE_COMPLETED',
        ],
        asked: 'TASK_STATE_INPUT_REQUIRED',
        canceled: 'TASK_STATE_CANCELED',
        refused: expect.stringMatching(/Error$/),
      });
    },
    60_000,
  );

  it.each(['JSONRPC', 'HTTP+JSON', 'GRPC'] as const)(
    'find %s in the card, and say, answer, list and follow by it',
    async (binding) => {
      const card = { url: `${stage.gateway.url}/a2a`, key: stage.client.key };
      const [plain, asked, unknown] = await askByPython(card, binding, ['stream 3', 'ask', 'unknown']);
      expect(plain).toMatchObject({ state: 'TASK_STATE_COMPLETED', listed: true });
      expect(asked).toMatchObject({
        state: 'TASK_STATE_COMPLETED',
        answered: { states: expect.arrayContaining(['TASK_STATE_COMPLETED']) },
      });
      expect(unknown).toEqual({ error: 'TaskNotFoundError' });
    },
    60_000,
  );
});

describe.skipIf(!HAS_PYTHON)(needsPython('agents written with the Python SDK'), () => {
  let agents: PythonAgent[] = [];
  let gateway: TestGateway;
  const idOf = ([binding, version]: (typeof INTERFACES)[number]) =>
    `${binding}-${version}`.toLowerCase().replace(/[^a-z0-9]/g, '-');
  beforeAll(async () => {
    agents = await Promise.all(INTERFACES.map((row) => startPythonAgent(...row)));
    const a2a = agents.map(({ cardUrl }, at) => ({
      id: idOf(INTERFACES[at] ?? ['JSONRPC', '1.0']),
      card: cardUrl,
    }));
    gateway = await startTestGateway({ config: { upstreams: { a2a } } });
  }, 120_000);
  afterAll(async () => {
    await gateway.close();
    await Promise.all(agents.map((agent) => agent.close()));
  });

  it.each(INTERFACES)(
    'over %s %s: answer in pieces, ask, fail, are canceled, and replay byte_equal',
    async (...row) => {
      const { client } = gateway;
      const submit = (text: string, session?: string) =>
        client.submit(text, session, { route: `a2a:${idOf(row)}` });
      const said = await submit('a tree');
      const ended = await client.until(said.id, 'COMPLETED');
      const { data } = await client.get<{ data: { id: string }[] }>(`/v1/artifacts?task_id=${said.id}`);
      expect((await client.call('GET', `/v1/artifacts/${data[0]?.id}/content`)).text).toBe(
        'You said: a tree',
      );
      const replay = await replayOf(client, ended.id, { mode: 'exact' });
      const verdict = (await eventsOf(client, replay.id)).find(({ event }) => event === 'replay.completed');
      expect(verdict?.payload['verdict']).toMatchObject({ status: 'byte_equal' });

      const asked = await submit('ask');
      await client.until(asked.id, 'INPUT_REQUIRED');
      await client.answer(asked.id, 'blue');
      await client.until(asked.id, 'COMPLETED');

      const failed = await client.until((await submit('fail')).id, 'FAILED');
      expect(JSON.stringify(failed)).toContain('The brush broke.');

      const waiting = await submit('wait');
      await client.until(waiting.id, 'WORKING');
      await client.post(`/v1/tasks/${waiting.id}/cancel`, { reason: 'Enough.' });
      await client.until(waiting.id, 'CANCELED');
    },
    60_000,
  );
});
