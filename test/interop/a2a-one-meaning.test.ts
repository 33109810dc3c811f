import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { stageOf } from '../conformance/stage.ts';
import { A2aTestClient, authorizedFetch } from '../harness/a2a-client.ts';
import { GrpcTestClient, grpcAddress } from '../harness/grpc-client.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { all, type Driver, driver03, driver10, type Seen } from './a2a-drivers.ts';
import { comparable } from './same-story.ts';

/** Every binding of either version, by its real client. */
const BINDINGS = [
  'jsonrpc-1.0',
  'http+json-1.0',
  'grpc-1.0',
  'jsonrpc-0.3',
  'http+json-0.3',
  'grpc-0.3',
] as const;
type Binding = (typeof BINDINGS)[number];

const stage = stageOf({ config: { server: { grpc: { port: 0 } }, outbound: { allow: ['127.0.0.0/8'] } } });
const drivers = new Map<Binding, Driver>();
const opened: GrpcTestClient[] = [];
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  const { gateway } = stage;
  const { url, client } = gateway;
  const ways = { jsonrpc: 'JSONRPC', 'http+json': 'HTTP+JSON', grpc: 'GRPC' } as const;
  for (const binding of BINDINGS) {
    const [way, version] = binding.split('-') as [keyof typeof ways, string];
    // HTTP gets the key by its fetch.
    const key = way === 'grpc' ? client.key : undefined;
    const driver =
      version === '1.0'
        ? await driver10(url, ways[way], authorizedFetch(gateway), key)
        : await driver03(url, authorizedFetch(gateway), ways[way], key);
    drivers.set(binding, driver);
  }
  for (const version of ['1.0', '0.3'] as const)
    opened.push(new GrpcTestClient(await grpcAddress(url, version), client.key, version));
});
afterAll(async () => {
  for (const client of opened) client.close();
  await receiver.close();
});

const STORIES: Readonly<Record<string, (client: Driver) => Promise<Seen[]>>> = {
  'a blocking task': async (client) => [await client.send('The quick brown fox')],
  'a stream': (client) => all(client.stream('stream 3')),
  'a message alone': (client) => all(client.stream('hello')),
  'a file and data': async (client) => [await client.send('file')],
  'a refusal': (client) => all(client.stream('refuse')),
  'a failure': async (client) => [await client.send('fail')],
  'a question': async (client) => {
    const asked = await client.send('ask');
    return [asked, ...(await all(client.stream('blue', asked.taskId)))];
  },
  'a cancel': async (client) => {
    const asked = await client.send('ask');
    return [asked, await client.cancel(asked.taskId), await client.get(asked.taskId)];
  },
};

/** Ids differ by nature; some clients of 0.3 do not tell whether a chunk is appended. */
const told = (seen: Seen[]) => seen.map(({ taskId: _, contextId: __, append: ___, ...rest }) => rest);

describe.each(Object.entries(STORIES))('%s', (_title, play) => {
  it('is told and logged the same over every binding of either version', async () => {
    const runs = new Map<Binding, { told: unknown; log: unknown }>();
    for (const [binding, driver] of drivers) {
      const before = await stage.client.get<{ data: { id: string }[] }>('/v1/tasks?limit=1&sort=status_time');
      const seen = await play(driver);
      const page = await stage.client.get<{ data: { id: string }[] }>('/v1/tasks?limit=1&sort=status_time');
      const id = page.data[0]?.id ?? '';
      expect(id, binding).not.toBe(before.data[0]?.id);
      const logged = await stage.client.events(`/v1/tasks/${id}/events`);
      // What the agent says to a cancel may come after the Task is over, and is noted then.
      const events = logged.filter(({ event }) => event !== 'vendor.harn_gateway.upstream_note');
      runs.set(binding, { told: told(seen), log: comparable(events, 'a2a:sample') });
    }
    const expected = runs.get('jsonrpc-1.0');
    expect(runs.size).toBe(BINDINGS.length);
    for (const [binding, run] of runs) expect(run, binding).toEqual(expected);
  });
});

describe('what is wrong', () => {
  type Ask = (
    operation: 'get' | 'cancel' | 'send',
    id: string,
  ) => Promise<{ reason: string | undefined; message: string }>;

  const rest = async (path: string, version: string, body?: JsonObject): Promise<JsonObject> => {
    const answer = await fetch(`${stage.gateway.url}/a2a${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${stage.client.key}`,
        'content-type': 'application/json',
        'a2a-version': version,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as JsonObject;
  };
  const parts = { parts: [{ text: 'x' }] };
  const content = { content: [{ text: 'x' }] };
  const message = (taskId: string, more: object): JsonObject =>
    ({ message: { messageId: 'm', role: 'ROLE_USER', taskId, ...more } }) as JsonObject;
  const found = (details: unknown, said: unknown) => {
    const infos = details as { reason?: string }[];
    return { reason: infos.find(({ reason }) => reason !== undefined)?.reason, message: String(said) };
  };
  const viaRpc =
    (version: '1.0' | '0.3'): Ask =>
    async (operation, id) => {
      const names = {
        '1.0': { get: 'GetTask', cancel: 'CancelTask', send: 'SendMessage' },
        '0.3': { get: 'tasks/get', cancel: 'tasks/cancel', send: 'message/send' },
      };
      const old = {
        message: {
          kind: 'message',
          messageId: 'm',
          role: 'user',
          taskId: id,
          parts: [{ kind: 'text', text: 'x' }],
        },
      };
      const sent = version === '1.0' ? message(id, parts) : old;
      const client = new A2aTestClient(stage.gateway, undefined);
      const { body } = await client.rpc(names[version][operation], operation === 'send' ? sent : { id }, {
        'a2a-version': version,
      });
      return found(body.error?.data ?? [], body.error?.message);
    };
  const viaRest =
    (version: '1.0' | '0.3'): Ask =>
    async (operation, id) => {
      const base = version === '1.0' ? '' : '/v1';
      const paths = { get: `/tasks/${id}`, cancel: `/tasks/${id}:cancel`, send: '/message:send' };
      const sent = message(id, version === '1.0' ? parts : content);
      const bodies = { get: undefined, cancel: {}, send: sent };
      const answer = await rest(base + paths[operation], version, bodies[operation]);
      const error = (version === '1.0' ? answer['error'] : answer) as {
        message: string;
        details?: unknown;
        data?: unknown;
      };
      return found(error.details ?? error.data, error.message);
    };
  const viaGrpc =
    (at: number): Ask =>
    async (operation, id) => {
      const methods = { get: 'GetTask', cancel: 'CancelTask', send: 'SendMessage' };
      const sent = message(id, at === 0 ? parts : content);
      const asked = operation === 'send' ? sent : at === 0 ? { id } : { name: `tasks/${id}` };
      return (
        opened[at]?.call(methods[operation], asked).then(
          () => ({ reason: undefined, message: 'answered' }),
          ({ reason, message: said }: { reason: string; message: string }) => ({ reason, message: said }),
        ) ?? { reason: undefined, message: 'no client' }
      );
    };
  const ASKS: Readonly<Record<Binding, Ask>> = {
    'jsonrpc-1.0': viaRpc('1.0'),
    'http+json-1.0': viaRest('1.0'),
    'grpc-1.0': viaGrpc(0),
    'jsonrpc-0.3': viaRpc('0.3'),
    'http+json-0.3': viaRest('0.3'),
    'grpc-0.3': viaGrpc(1),
  };

  it.each([
    ['a task that is not there', 'get', false, 'TASK_NOT_FOUND'],
    ['a cancel of what is over', 'cancel', true, 'TASK_NOT_CANCELABLE'],
    ['a message to what is over', 'send', true, 'UNSUPPORTED_OPERATION'],
  ] as const)(
    '%s is refused with the same reason and words over every binding',
    async (_, operation, isOver, reason) => {
      const { id } = await stage.client.submit('one');
      await stage.client.until(id, 'COMPLETED');
      const refusals = await Promise.all(
        Object.values(ASKS).map((ask) => ask(operation, isOver ? id : 'task_01M80CFB3E2J2BW07HRJJ5T9CY')),
      );
      expect(refusals[0]?.reason).toBe(reason);
      for (const [at, refusal] of refusals.entries()) expect(refusal, BINDINGS[at]).toEqual(refusals[0]);
    },
  );

  it('push notifications of a version are the same, whichever binding asked for them', async () => {
    const push = { id: 'one', url: receiver.url, token: 'token-0123456789' };
    const ways: Record<Binding, () => Promise<unknown>> = {
      'jsonrpc-1.0': () =>
        new A2aTestClient(stage.gateway, undefined).rpc('SendMessage', {
          ...message('', parts),
          configuration: { taskPushNotificationConfig: push },
        }),
      'http+json-1.0': () =>
        rest('/message:send', '1.0', {
          ...message('', parts),
          configuration: { taskPushNotificationConfig: push },
        }),
      'grpc-1.0': async () =>
        opened[0]?.call('SendMessage', {
          ...message('', parts),
          configuration: { taskPushNotificationConfig: push },
        }),
      'jsonrpc-0.3': () =>
        new A2aTestClient(stage.gateway, undefined).rpc(
          'message/send',
          {
            message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'x' }] },
            configuration: { pushNotificationConfig: push },
          },
          { 'a2a-version': '0.3' },
        ),
      'http+json-0.3': () =>
        rest('/v1/message:send', '0.3', {
          ...message('', content),
          configuration: { blocking: true, pushNotification: push },
        }),
      'grpc-0.3': async () =>
        opened[1]?.call('SendMessage', {
          ...message('', content),
          configuration: { blocking: true, pushNotification: push },
        }),
    };
    const posted = new Map<string, string[]>();
    for (const [binding, send] of Object.entries(ways)) {
      receiver.posts.length = 0;
      await send();
      await expect
        .poll(() => JSON.stringify(receiver.posts.at(-1)?.body ?? {}), { timeout: 10_000 })
        .toMatch(/completed/i);
      const states = receiver.posts.map(({ headers, text }) => {
        const state = /"state":"(?:TASK_STATE_)?([\w-]+)"/.exec(text)?.[1] ?? 'artifact';
        return `${headers['x-a2a-notification-token']} ${Object.keys(JSON.parse(text)).includes('kind') ? 'Task' : 'event'} ${state.toLowerCase()}`;
      });
      posted.set(binding, states);
    }
    expect(posted.get('jsonrpc-1.0')?.length).toBeGreaterThan(1);
    for (const binding of ['http+json-1.0', 'grpc-1.0'])
      expect(posted.get(binding), binding).toEqual(posted.get('jsonrpc-1.0'));
    for (const binding of ['http+json-0.3', 'grpc-0.3'])
      expect(posted.get(binding), binding).toEqual(posted.get('jsonrpc-0.3'));
  });
});
