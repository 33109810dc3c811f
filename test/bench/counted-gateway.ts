import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPackageRoot } from '#config/package-root.ts';
import { eventCount, parseCommit } from '#eventlog/commit-record.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { openLevelStore } from '#store/level-store.ts';
import { unseal } from '#store/sealed-record.ts';
import type { CountedWork } from './count-work.ts';
import { BENCH_KEY } from './data-directory.ts';
import { GatewayClient } from './gateway-client.ts';

/** Silence after which a request has no work left in the gateway; a count in which its task had not ended is repeated. */
const QUIET_MS = 250;

/** What is left in the store. */
export interface StoreSize {
  rows: number;
  /** Keys and values, as they were before compression. */
  bytes: number;
  /** Those with events; the gateway makes others beside its tasks, every few seconds (the signed head of the receipt log). */
  commits: number;
}

/** The gateway as `serve` starts it from the plain build, with the counters of count-work.ts in its process. */
export class CountedGateway {
  readonly client: GatewayClient;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#process = child;
    this.client = new GatewayClient({ url, key: BENCH_KEY }, 1);
  }

  static async start(config: string): Promise<CountedGateway> {
    const built = join(findPackageRoot(import.meta.url), 'dist');
    const child = fork(join(built, 'src', 'main.js'), ['serve', '--config', config], {
      execArgv: ['--import', new URL(`file://${join(built, 'test', 'bench', 'count-work.js')}`).href],
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    if (child.stdout === null) throw new Error('The gateway was started without standard output.');
    const lines = createInterface({ input: child.stdout });
    const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit')]);
    if (typeof line !== 'string') throw new Error(`The counted gateway ended with ${line}.`);
    return new CountedGateway(child, (JSON.parse(line) as { url: string }).url);
  }

  /** What the gateway does for one request, until it is quiet again; undefined when `isOver` says that it was not. */
  async workOf(
    request: () => Promise<void>,
    isOver: () => Promise<boolean>,
  ): Promise<CountedWork | undefined> {
    await this.#ask('begin');
    await request();
    await sleep(QUIET_MS);
    const work = (await this.#ask('take')) as CountedWork;
    return (await isOver()) ? work : undefined;
  }

  async stop(): Promise<void> {
    await this.client.close();
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await exited;
  }

  async #ask(message: 'begin' | 'take'): Promise<unknown> {
    const answer = once(this.#process, 'message');
    this.#process.send(message);
    return (await answer)[0];
  }
}

/** Of a store that no gateway owns. */
export async function sizeOfStore(data: string): Promise<StoreSize> {
  const store = await openLevelStore({ path: dataPaths(data).store });
  const size: StoreSize = { rows: 0, bytes: 0, commits: 0 };
  try {
    for await (const page of store.entries({}))
      for (const [key, value] of page) {
        size.rows += 1;
        size.bytes += key.length + value.length;
        if (key.startsWith('c/') && eventCount(parseCommit(unseal(value, key))) > 0) size.commits += 1;
      }
  } finally {
    await store.close();
  }
  return size;
}
