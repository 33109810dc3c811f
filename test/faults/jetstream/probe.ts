import { setTimeout as pause } from 'node:timers/promises';
import type { TestClient } from '../../harness/client.ts';
import type { Journal } from '../journal.ts';
import type { Report } from '../report.ts';

const SESSION = { workspace_id: 'workspace_default' };
const EACH_MS = 20;
const RETRY_MS = 50;
const REFUSED_FOR_NOW = 503;
/** After a fault a service that does not come back at all is a finding, and not a long figure. */
const GIVES_UP_MS = 180_000;

/** A client that writes one command after the other, each until it is acknowledged, and notes how long it had to wait. */
export class Probe {
  readonly #journal: Journal;
  readonly #report: Report;
  #clients: readonly TestClient[] = [];
  #running: Promise<void> | undefined;
  #isOver = false;
  #lastMs = 0;
  #gapMs = 0;

  constructor(journal: Journal, report: Report) {
    this.#journal = journal;
    this.#report = report;
  }

  /** Whom it asks from now on, in turn. The first call starts it. */
  ask(clients: readonly TestClient[]): void {
    this.#clients = clients;
    if (this.#running === undefined) this.startAnew();
    this.#running ??= this.#run();
    // Whoever stops it is told.
    this.#running.catch(() => undefined);
  }

  /** What was before does not count. */
  startAnew(): void {
    this.#lastMs = performance.now();
    this.#gapMs = 0;
  }

  /** Resolves once one more command was acknowledged, with the longest time in which none was. */
  async stop(): Promise<{ gapMs: number }> {
    this.#isOver = true;
    await this.#running;
    return { gapMs: Math.round(this.#gapMs) };
  }

  async #run(): Promise<void> {
    for (let isLast = false; !isLast; await pause(EACH_MS)) {
      isLast = this.#isOver;
      const entry = this.#journal.note('/v1/sessions', () => SESSION);
      for (let turn = 0; ; turn += 1) {
        const client = this.#clients[turn % this.#clients.length];
        if (client === undefined) throw new Error('Nobody is asked.');
        const answer = await this.#journal.attempt(client, entry);
        if (answer !== undefined && answer.status < 300) break;
        if (answer !== undefined) this.#refused(answer);
        if (performance.now() - this.#lastMs > GIVES_UP_MS)
          throw new Error(`Nothing was acknowledged for ${GIVES_UP_MS} ms.`);
        await pause(RETRY_MS);
      }
      const nowMs = performance.now();
      this.#gapMs = Math.max(this.#gapMs, nowMs - this.#lastMs);
      this.#lastMs = nowMs;
    }
  }

  #refused({ status, headers, text }: { status: number; headers: Headers; text: string }): void {
    this.#report.count('refused for now');
    this.#report.check(
      status === REFUSED_FOR_NOW && Number(headers.get('retry-after')) > 0,
      () => `a command was refused with ${status}, Retry-After ${headers.get('retry-after')}: ${text}`,
    );
  }
}
