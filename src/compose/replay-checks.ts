import { ProtocolError } from '#protocol/errors.ts';
import type { IdSource } from '#protocol/ports.ts';
import type { ReplayCheck, ReplayCheckRequest } from '#resources/replay/schema.ts';
import type { ReplayCheckDeps, ReplayCheckRun } from '#runner/replay/replay-check.ts';

const DAY_MS = 86_400_000;

/** Begins replay checks, one at a time, and keeps the newest. Their code is loaded with the first. */
export class ReplayChecks {
  readonly #deps: ReplayCheckDeps & { newId: IdSource };
  #newest: ReplayCheckRun | undefined;
  #before: ReplayCheck | undefined;

  constructor(deps: ReplayCheckDeps & { newId: IdSource }) {
    this.#deps = deps;
  }

  /** The one that runs, else the last. */
  get newest(): ReplayCheck | undefined {
    return this.#newest?.report;
  }

  /** The newest that has ended. */
  get ended(): ReplayCheck | undefined {
    return this.newest?.status === 'RUNNING' ? this.#before : this.newest;
  }

  /** Returns the check as it begins; throws `conflict` while one runs. Calls must not overlap. */
  async start({ sample, since, seed }: ReplayCheckRequest): Promise<ReplayCheck> {
    if (this.newest?.status === 'RUNNING') {
      const message =
        'A replay check runs already. Read it with GET /v1/admin/replay-check, and start another when it has ended.';
      throw new ProtocolError('conflict', message, { details: { id: this.newest.id } });
    }
    const { ReplayCheckRun } = await import('#runner/replay/replay-check.ts');
    const started_at = this.#deps.time();
    const begun: ReplayCheck = {
      object: 'replay_check',
      id: this.#deps.newId('replay_check'),
      status: 'RUNNING',
      started_at,
      ended_at: null,
      sample,
      since: since ?? new Date(Date.parse(started_at) - DAY_MS).toISOString(),
      seed,
      tasks: { sampled: 0, byte_equal: 0, diverged: 0, tampered: 0, incomplete: 0, failed: 0 },
      findings: [],
    };
    this.#before = this.newest;
    this.#newest = new ReplayCheckRun(this.#deps, begun);
    return begun;
  }

  async close(): Promise<void> {
    await this.#newest?.stop();
  }
}
