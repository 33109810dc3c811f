import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import Router from 'koa-router';
import { systemClock as clock, systemRandom as random } from '#compose/compose.ts';
import { type CommitEntry, NO_COMMIT_HASH } from '#eventlog/commit-record.ts';
import { GroupWriter } from '#eventlog/group-commit.ts';
import { timestamp } from '#protocol/ports.ts';
import { openKeyRegistry } from '#receipts/key-registry.ts';
import { commitKey } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { seal, sealedHash } from '#store/sealed-record.ts';
import type { WriteOp } from '#store/store.ts';
import { serveCommands, startArguments } from './commands.ts';
import { type LeastStep, type LeastTask, LeastTasks } from './least-task.ts';

/** The floor of P1 behind Koa: an echo task is accepted durably, answered, and ended durably. */
const { data } = startArguments<{ data: string }>();
const store = await openLevelStore({ path: `${data}/store` });
const tasks = new LeastTasks(
  clock,
  random,
  openKeyRegistry({ dir: `${data}/keys`, clock, random }).current(),
);

let steps: LeastStep[] = [];
let head = { n: 0, hash: NO_COMMIT_HASH };
const writer = new GroupWriter(store, {
  seal: () => {
    const group = steps;
    steps = [];
    return group.length === 0 ? [] : sealed(group);
  },
  now: () => 0,
  onDurable: () => undefined,
  onFailure: (error) => {
    throw error;
  },
});

function sealed(group: readonly LeastStep[]): WriteOp[] {
  const segments = group.map((step) => step.segments.seal());
  const puts = [
    ...segments.flat().map(({ key, sealed }): [string, Buffer] => [key, sealed]),
    ...group.flatMap((step) => step.records),
  ];
  const entries = segments.map((own): CommitEntry => {
    const { actor, trace_id } = own[0]?.events[0] ?? { actor: null, trace_id: null };
    return { actor, trace_id, events: own.reduce((sum, { events }) => sum + events.length, 0) };
  });
  const commit = {
    n: head.n + 1,
    prev_hash: head.hash,
    time: timestamp(clock.now()),
    event_id: tasks.eventId,
    entries,
    records: puts.map(([key, record]) => [key, sealedHash(record)]),
    erased: [],
  };
  const key = commitKey(commit.n);
  const value = seal(JSON.stringify(commit), key);
  head = { n: commit.n, hash: sealedHash(value) };
  return [...puts, [key, value] as const].map(([at, record]) => ({ type: 'put', key: at, value: record }));
}

function durable(step: LeastStep): Promise<void> {
  steps.push(step);
  return writer.flush();
}

let ended = 0;
let enough: { count: number; resolve: () => void } | undefined;
async function run(task: LeastTask, text: string): Promise<void> {
  await durable(tasks.complete(task, text));
  ended += 1;
  if (enough !== undefined && ended >= enough.count) enough.resolve();
}

const router = new Router();
router.post('/v1/sessions/:session/tasks', async (context) => {
  const chunks: Buffer[] = [];
  for await (const chunk of context.req) chunks.push(chunk as Buffer);
  const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: { parts: [{ text: string }] } };
  const { text } = input.parts[0];
  const { task, resource, step } = tasks.accept(String(context.params['session']), text);
  await durable(step);
  void run(task, text);
  context.status = 202;
  context.type = 'application/json';
  context.body = JSON.stringify(resource);
});
const app = new Koa();
app.use(router.routes());
const server = createServer(app.callback());
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const commands = {
    /** Waits until so many tasks have ended durably since the last call. */
    ended: async (count: number) => {
      if (ended < count) await new Promise<void>((resolve) => (enough = { count, resolve }));
      ended = 0;
      enough = undefined;
    },
  };
  serveCommands({ url }, commands, async () => {
    server.closeAllConnections();
    await store.close();
  });
});
