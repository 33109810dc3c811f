import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Move, PermissionAnswer, PermissionDraft } from '#protocol-client.ts';
import { storeUnavailable } from '#store/level-errors.ts';
import { openLevelStore } from '#store/level-store.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { PuppetClient, say, textOf } from './puppet-client.ts';

/** Long enough for a prompt that nothing keeps back. */
const A_WHILE_MS = 300;

/** Whether this process may act: as a node whose lease is to be renewed, until `given` or `lost`. */
class Permit {
  #waiting: { resolve: () => void; reject: (cause: unknown) => void }[] = [];
  #state: 'given' | 'awaited' = 'given';

  asked(signal: AbortSignal): Promise<void> {
    if (this.#state === 'given') return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  get isAskedFor(): boolean {
    return this.#waiting.length > 0;
  }

  keepBack(): void {
    this.#state = 'awaited';
  }

  give(): void {
    this.#state = 'given';
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  lose(): void {
    for (const { reject } of this.#waiting.splice(0)) reject(storeUnavailable('Another node decides.'));
  }
}

/** Waits in its turn for an answer, and counts what reaches it. */
class CountingClient extends PuppetClient {
  readonly prompts: string[] = [];
  readonly answers: PermissionAnswer[] = [];
  cancels = 0;
  #answered: () => void = () => undefined;

  constructor() {
    super(
      (turn) => this.#turn(textOf(turn)),
      () => this.#canceled(),
    );
  }

  async *#turn(text: string): AsyncGenerator<Move[]> {
    this.prompts.push(text);
    yield [{ type: 'bind', binding: { remote_id: text } }];
    if (text === 'ask') {
      const answered = new Promise<void>((resolve) => {
        this.#answered = resolve;
      });
      const permission: PermissionDraft = {
        upstreamId: 'q1',
        source: 'hitl',
        kind: 'authorization',
        message: 'May I?',
      };
      yield [{ type: 'permission', permission }];
      await answered;
    }
    yield text === 'stay'
      ? [{ type: 'status', to: 'INPUT_REQUIRED' }]
      : [say('done'), { type: 'status', to: 'COMPLETED' }];
  }

  async *#canceled(): AsyncGenerator<Move[]> {
    this.cancels += 1;
    yield [{ type: 'status', to: 'CANCELED' }];
  }

  answer(_: string, answer: PermissionAnswer): boolean {
    this.answers.push(answer);
    this.#answered();
    return true;
  }
}

describe('a process that has to be sure that it may act', () => {
  let gateway: TestGateway;
  let agent: CountingClient;
  let receiver: Receiver;
  let permit: Permit;
  beforeEach(async () => {
    permit = new Permit();
    agent = new CountingClient();
    receiver = await startReceiver();
    gateway = await startTestGateway({
      extraClients: [agent],
      config: {
        outbound: { allow: ['127.0.0.1'] },
        limits: { cancel_wait_ms: 5_000 },
      },
      openStore: async (options) =>
        Object.assign(await openLevelStore(options), {
          mayAct: (signal: AbortSignal) => permit.asked(signal),
        }),
    });
  });
  afterEach(async () => {
    permit.give();
    await gateway.close();
    await receiver.close();
  });

  const submit = (text: string) => gateway.client.submit(text);
  const aWhile = () => new Promise((resolve) => setTimeout(resolve, A_WHILE_MS));

  it('sends no prompt before it is, and then one', async () => {
    permit.keepBack();
    const task = await submit('go');
    await expect.poll(() => permit.isAskedFor).toBe(true);
    await aWhile();
    expect(agent.prompts).toEqual([]);
    permit.give();
    await gateway.client.until(task.id, 'COMPLETED');
    expect(agent.prompts).toEqual(['go']);
  });

  it('sends none when it learns that another one decides', async () => {
    permit.keepBack();
    await submit('go');
    await expect.poll(() => permit.isAskedFor).toBe(true);
    permit.lose();
    await aWhile();
    expect(agent.prompts).toEqual([]);
  });

  it('sends none for a task that was canceled meanwhile', async () => {
    permit.keepBack();
    const task = await submit('go');
    await expect.poll(() => permit.isAskedFor).toBe(true);
    await gateway.client.post(`/v1/tasks/${task.id}/cancel`, {});
    permit.give();
    await gateway.client.until(task.id, 'CANCELED');
    await aWhile();
    expect(agent.prompts).toEqual([]);
  });

  it('passes on no cancel before it is', async () => {
    const task = await submit('stay');
    await gateway.client.until(task.id, 'INPUT_REQUIRED');
    permit.keepBack();
    const canceled = gateway.client.post(`/v1/tasks/${task.id}/cancel`, {});
    await expect.poll(() => permit.isAskedFor).toBe(true);
    await aWhile();
    expect(agent.cancels).toBe(0);
    permit.give();
    await canceled;
    expect(agent.cancels).toBe(1);
  });

  it('hands no answer to a running turn before it is', async () => {
    const task = await submit('ask');
    await gateway.client.until(task.id, 'AUTH_REQUIRED');
    const { data } = await gateway.client.get<{ data: { id: string }[] }>(
      `/v1/permission-requests?task_id=${task.id}`,
    );
    permit.keepBack();
    await gateway.client.post(`/v1/permission-requests/${data[0]?.id}/respond`, { approved: true });
    await expect.poll(() => permit.isAskedFor).toBe(true);
    await aWhile();
    expect(agent.answers).toEqual([]);
    permit.give();
    await gateway.client.until(task.id, 'COMPLETED');
    expect(agent.answers).toHaveLength(1);
  });

  it('posts nothing to a receiver before it is, and then everything once', async () => {
    const task = await submit('go');
    await gateway.client.until(task.id, 'COMPLETED');
    permit.keepBack();
    await gateway.client.post(`/v1/tasks/${task.id}/push-configs`, { url: receiver.url, from: 'beginning' });
    await expect.poll(() => permit.isAskedFor).toBe(true);
    await aWhile();
    expect(receiver.posts).toEqual([]);
    permit.give();
    const events = await gateway.client.events(`/v1/tasks/${task.id}/events`);
    const through = events.findIndex(({ event }) => event === 'task.completed') + 1;
    await expect.poll(() => receiver.posts.length).toBe(through);
  });
});
