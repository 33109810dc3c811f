import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { Move, Turn } from '#protocol-client.ts';
import type { Session } from '#resources/session/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { keysUnder } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { bind, chunk, PuppetClient, say, textOf } from '../../faults/puppet-client.ts';
import { AskingClient } from '../../harness/asking-client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';

const DAY_MS = 86_400_000;

/** Words of a task: `fail`, `ask` and `tool` do what they say; everything else is answered and becomes an artifact, and `name it` names the Session too. */
async function* play(turn: Turn): AsyncGenerator<Move[]> {
  const text = textOf(turn);
  yield [bind(turn)];
  if (text === 'ask') return yield [{ type: 'status', to: 'INPUT_REQUIRED' }];
  const failure = { code: 'upstream_failed', type: 'upstream_error', message: 'as asked' } as const;
  if (text === 'fail') return yield [{ type: 'status', to: 'FAILED', failure }];
  if (text.startsWith('name it ')) {
    const said = { protocol: 'acp', body: { title: text }, visibility: 'public' } as const;
    yield [
      { type: 'update', update: { ...said, kind: 'session_info_update', about: 'session' } },
      { type: 'update', update: { ...said, kind: 'agent_thought_chunk', about: 'turn' } },
    ];
  }
  yield [say(`You said: ${text}`)];
  yield [chunk(`artifact of ${text}`, false, true)];
  yield [{ type: 'status', to: 'COMPLETED' }];
}

/** A gateway that keeps events for 30 days, runs of interest for 180, and one workspace for ever; its clock can be moved. */
export class RetentionStage {
  readonly data = mkdtempSync(join(tmpdir(), 'harn-retention-'));
  #gateway: TestGateway | undefined;
  readonly #begunMs: number;
  #passed = 0;

  readonly #windows: Record<string, number | null>;
  readonly #config: Record<string, unknown>;
  readonly #keys: readonly { actor: string; name?: string; tenant?: string; workspaces?: string[] }[];

  /** Its clock begins so many days ago; `config` has sections besides those of its own, `keys` are of more callers. */
  constructor(
    daysAgo = 0,
    windows: Record<string, number | null> = { events_days: 30, interesting_days: 180 },
    config: Record<string, unknown> = {},
    keys: readonly { actor: string; name?: string; tenant?: string; workspaces?: string[] }[] = [],
  ) {
    this.#keys = keys;
    this.#begunMs = daysAgo * DAY_MS;
    this.#windows = windows;
    this.#config = config;
  }

  get gateway(): TestGateway {
    if (this.#gateway === undefined) throw new Error('the stage is not up');
    return this.#gateway;
  }

  get client() {
    return this.gateway.client;
  }

  async open(): Promise<this> {
    const clock = {
      now: () => Date.now() - this.#begunMs + this.#passed,
      monotonic: () => performance.now() + this.#passed,
    };
    this.#gateway = await startTestGateway({
      data: this.data,
      clock,
      extraClients: [new PuppetClient(play), new AskingClient()],
      keys: [{ actor: 'keeper', workspaces: ['workspace_kept', 'workspace_default'] }, ...this.#keys],
      config: {
        ...this.#config,
        workspaces: [{ id: 'workspace_kept' }, ...((this.#config['workspaces'] as object[]) ?? [])],
        retention: {
          ...this.#windows,
          workspaces: [{ id: 'workspace_kept', events_days: null, sessions_days: null }],
        },
      },
    });
    return this;
  }

  pass(days: number): void {
    this.#passed += days * DAY_MS;
  }

  /** Lets so many days pass and sweeps. */
  async sweepAfter(days: number): Promise<void> {
    this.pass(days);
    await this.gateway.tidy();
  }

  /** Waits until the checkpoint is behind all that is done; it is signed once a second. */
  async checkpoint(): Promise<void> {
    const { log } = this.gateway;
    const { commit } = log.head;
    await expect.poll(() => log.checkpointed).toBeGreaterThanOrEqual(commit);
  }

  async restart(): Promise<void> {
    await this.gateway.close();
    await this.open();
  }

  /** A task that came to its end. */
  async run(text: string, sessionId?: string, status: Task['status'] = 'COMPLETED'): Promise<Task> {
    const { id } = await this.client.submit(text, sessionId, { route: 'test:puppet' });
    return this.client.until(id, status);
  }

  close(session: Pick<Session, 'id'>): Promise<unknown> {
    return this.client.post(`/v1/sessions/${session.id}/close`);
  }

  async kinds(path: string): Promise<string[]> {
    return (await this.client.events(path)).map(({ event }) => event);
  }

  /** Findings of the log check; the gateway is down meanwhile. */
  async checked(): Promise<unknown[]> {
    await this.gateway.close();
    const found: unknown[] = [];
    for await (const step of checkData(this.data, systemClock, systemRandom))
      if (step.kind !== 'progress') found.push(step);
    await this.open();
    return found;
  }

  /** Bytes of the rows of these kinds, keys and values; the gateway is down meanwhile. */
  async bytesUnder(...prefixes: string[]): Promise<number> {
    await this.gateway.close();
    const store = await openLevelStore({ path: join(this.data, 'store') });
    let bytes = 0;
    for (const prefix of prefixes)
      for await (const page of store.entries(keysUnder(prefix)))
        for (const [key, value] of page) bytes += key.length + value.length;
    await store.close();
    await this.open();
    return bytes;
  }

  async end(): Promise<void> {
    await this.gateway.close();
    rmSync(this.data, { recursive: true, force: true });
  }
}
