import type { JsonObject } from '#protocol/json.ts';
import { type GrpcRefusal, GrpcTestClient } from '../harness/grpc-client.ts';
import type { IdOf } from './face-messages.ts';
import type { Report } from './report.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Calls at a time on one connection. */
const AT_ONCE = 16;
/** Longer than any honest answer takes on a busy machine. */
const HANG_MS = 20_000;
/** How often a message goes as it is, with nothing wrong but where it points to. */
const WHOLE = 0.4;

const message = (id: IdOf): JsonObject => ({
  messageId: `m-${id('message')}`,
  contextId: id('session'),
  role: 'ROLE_USER',
  parts: [{ text: 'hi' }],
});
const message03 = (id: IdOf): JsonObject => ({
  messageId: `m-${id('message')}`,
  taskId: id('task'),
  role: 'ROLE_USER',
  content: [{ text: 'hi' }],
});
const named = (id: IdOf): JsonObject => ({ name: `tasks/${id('task')}` });

/** A message of each method of the services, by their versions. */
const MESSAGES = {
  '1.0': {
    SendMessage: (id) => ({ message: message(id), configuration: { returnImmediately: true } }),
    SendStreamingMessage: (id) => ({ message: message(id) }),
    GetTask: (id) => ({ id: id('task'), historyLength: 3 }),
    ListTasks: (id) => ({ contextId: id('session'), pageSize: 5 }),
    CancelTask: (id) => ({ id: id('task') }),
    SubscribeToTask: (id) => ({ id: id('task') }),
    CreateTaskPushNotificationConfig: (id) => ({ taskId: id('task'), url: 'http://127.0.0.1:1/' }),
    ListTaskPushNotificationConfigs: (id) => ({ taskId: id('task') }),
    DeleteTaskPushNotificationConfig: (id) => ({ taskId: id('task'), id: 'x' }),
    GetExtendedAgentCard: () => ({}),
  },
  '0.3': {
    SendMessage: (id) => ({ request: message03(id) }),
    SendStreamingMessage: (id) => ({ request: message03(id) }),
    GetTask: named,
    CancelTask: named,
    TaskSubscription: named,
    ListTaskPushNotificationConfig: (id) => ({ parent: `tasks/${id('task')}` }),
    GetAgentCard: () => ({}),
  },
} as const satisfies Record<string, Record<string, (id: IdOf) => JsonObject>>;
const STREAMS = /^(?:SendStreamingMessage|SubscribeToTask|TaskSubscription)$/;

const METADATA: readonly Record<string, string | string[]>[] = [
  { 'a2a-version': '9.9' },
  { 'a2a-version': ['1.0', '0.3'] },
  { 'last-event-id': 'x' },
  { 'last-event-id': '9'.repeat(20) },
  { 'idempotency-key': 'k'.repeat(300) },
  { 'idempotency-key': ['one', 'two'] },
  { 'harn-agent': '__proto__' },
  { 'harn-agent': '../../x' },
  { authorization: 'Bearer nobody' },
  { traceparent: '00-zz' },
  { 'a2a-extensions': 'x'.repeat(4_000) },
];

/** Statuses that say that something broke inside of the gateway. */
const BROKEN = new Set(['INTERNAL', 'UNKNOWN', 'DATA_LOSS', 'UNAVAILABLE', 'DEADLINE_EXCEEDED']);

/** So many calls of gRPC, most of them with bytes that were changed: each is answered or refused, in both versions. */
export async function badGrpc(
  address: string,
  key: string,
  idOf: IdOf,
  random: SeededRandom,
  calls: number,
  report: Report,
): Promise<void> {
  const clients = (['1.0', '0.3'] as const).map((version) => new GrpcTestClient(address, key, version));
  let left = calls;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await one(random.pick(clients), idOf, random, report);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, caller));
  for (const client of clients) client.close();
}

async function one(client: GrpcTestClient, idOf: IdOf, random: SeededRandom, report: Report): Promise<void> {
  const [method, make] = random.pick<[string, (id: IdOf) => JsonObject]>(
    Object.entries(MESSAGES[client.version]),
  );
  const right = client.bytes(method, make(idOf));
  const bytes = random.chance(WHOLE) ? right : mutatedBytes(right, random);
  const metadata = random.chance(0.5) ? {} : random.pick(METADATA);
  const status = await statusOf(client, method, bytes, metadata);
  report.count('requests');
  report.count(`requests of grpc ${client.version}`);
  report.count(`grpc ${status}`);
  report.check(
    !BROKEN.has(status),
    () =>
      `gRPC ${client.version} ${method}: ${status} for ${bytes.toString('hex').slice(0, 1_500)} ${JSON.stringify(metadata)}`,
  );
}

async function statusOf(
  client: GrpcTestClient,
  method: string,
  bytes: Buffer,
  metadata: Record<string, string | string[]>,
): Promise<string> {
  const options = { deadline: Date.now() + HANG_MS };
  const refused = ({ status }: GrpcRefusal) => status;
  if (!STREAMS.test(method)) return client.call(method, bytes, metadata, options).then(() => 'OK', refused);
  const { call, end } = client.stream(method, bytes, metadata, options);
  // What waits for somebody says nothing more: it was answered with its first message.
  call.once('data', () => setImmediate(() => call.cancel()));
  return end.then(
    () => 'OK',
    (refusal: GrpcRefusal) => (refusal.status === 'CANCELLED' ? 'OK' : refusal.status),
  );
}

/** Bytes of which some were changed, taken out, doubled or added. */
function mutatedBytes(bytes: Buffer, random: SeededRandom): Buffer {
  let mutated = bytes;
  for (let times = random.between(1, 4); times > 0; times -= 1) {
    const at = random.between(0, Math.max(0, mutated.length - 1));
    const [before, behind] = [mutated.subarray(0, at), mutated.subarray(at)];
    const noise = Buffer.from(Array.from({ length: random.between(1, 8) }, () => random.between(0, 255)));
    mutated = random.pick([
      () => Buffer.concat([before, noise, behind.subarray(noise.length)]),
      () => Buffer.concat([before, noise, behind]),
      () => before,
      () => Buffer.concat([before, behind.subarray(random.between(1, 8))]),
      () => Buffer.concat([mutated, mutated]),
    ])();
  }
  return mutated;
}
