import { existsSync, readFileSync } from 'node:fs';
import { ProtocolError } from '#protocol/errors.ts';
import type { IdSource } from '#protocol/ports.ts';
import { type ReplayCheck, type ReplayCheckRequest, replayCheck } from '#resources/replay/schema.ts';
import type { ReplayCheckDeps, ReplayCheckRun } from '#runner/replay/replay-check.ts';
import { writeFileAtomic } from '#store/atomic-file.ts';
import { checkedText, hasMembers, readCheckedText } from '#store/checked-file.ts';

const DAY_MS = 86_400_000;
const OWNER_ONLY = 0o600;

type Deps = ReplayCheckDeps & {
  newId: IdSource;
  /** Keeps the last result over a restart. */
  file: string;
};

/** Begins replay checks, one at a time, and keeps the newest, the last one that ended over a restart too. Their code is loaded with the first. */
export class ReplayChecks {
  readonly #deps: Deps;
  #newest: ReplayCheckRun | undefined;
  #before: ReplayCheck | undefined;
  #saved: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#before = this.#kept();
  }

  /** The one that runs, else the last, also of an earlier start. */
  get newest(): ReplayCheck | undefined {
    return this.#newest?.report ?? this.#before;
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
    const run = new ReplayCheckRun(this.#deps, begun);
    this.#newest = run;
    this.#saved = run.ended.then(() => this.#keep(run.report));
    return begun;
  }

  async close(): Promise<void> {
    await this.#newest?.stop();
    await this.#saved;
  }

  /** What a restart finds of the last one. Without it only the figures of the past are lost. */
  async #keep(report: ReplayCheck): Promise<void> {
    try {
      await writeFileAtomic(
        this.#deps.file,
        checkedText({ report: JSON.parse(JSON.stringify(report)) }),
        OWNER_ONLY,
      );
    } catch (error) {
      this.#deps.logger.warn(
        { err: error },
        'the result of a replay check could not be kept for the next start',
      );
    }
  }

  #kept(): ReplayCheck | undefined {
    const { file, logger } = this.#deps;
    if (!existsSync(file)) return undefined;
    try {
      const { value, isChecked } = readCheckedText(readFileSync(file, 'utf8'));
      if (isChecked && hasMembers(value, ['report'])) return replayCheck.parse(value['report']);
    } catch (error) {
      logger.warn(
        { err: error, file },
        'the kept result of a replay check cannot be read; the next check replaces it',
      );
      return undefined;
    }
    logger.warn({ file }, 'the kept result of a replay check is none; the next check replaces it');
    return undefined;
  }
}
