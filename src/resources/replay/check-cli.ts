import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayClient } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { Progress } from '#cli/progress.ts';
import { print, printJson } from '#cli/terminal.ts';
import type { components } from '#client/index.ts';
import { CHECK_OUTCOMES, type ReplayCheck } from './schema.ts';

export interface CheckOptions {
  sample?: string;
  since?: string;
  seed?: string;
  json?: boolean;
}

const POLL_MS = 250;
const CHECK_PATH = '/v1/admin/replay-check';

/** Lets the gateway replay a sample of its ended tasks, waits for the end, and prints the counts and the first differences. */
export async function checkReplays(client: GatewayClient, options: CheckOptions): Promise<void> {
  const begun = await client.api.post(CHECK_PATH, { body: requestOf(options, Date.now()) });
  const progress = new Progress('replay');
  let check = begun;
  while (check.status === 'RUNNING') {
    progress.update(check.tasks.sampled, 'tasks');
    await pause(POLL_MS);
    check = await client.api.get(CHECK_PATH);
    if (check.id !== begun.id)
      throw new CliError(`Another check took the place of ${begun.id} before its end was read.`);
  }
  progress.end();
  if (options.json) printJson(check);
  else for (const line of describe(check)) print(line);
  const { diverged, tampered, failed } = check.tasks;
  if (check.status === 'FAILED' || diverged + tampered + failed > 0) process.exitCode = EXIT.failed;
}

function requestOf(
  { sample, since, seed }: CheckOptions,
  nowMs: number,
): components['schemas']['ReplayCheckRequest'] {
  return {
    ...(sample === undefined ? {} : { sample: shareOf(sample) }),
    ...(since === undefined ? {} : { since: timeOf(since, nowMs) }),
    ...(seed === undefined ? {} : { seed }),
  };
}

/** `1%` or `0.01`. */
function shareOf(text: string): number {
  const [, digits = '', percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const share = Number(digits) / (percent === '%' ? 100 : 1);
  if (digits !== '' && share > 0 && share <= 1) return share;
  throw new CliError('--sample: a share above 0 and up to 1, for example 1% or 0.01.', EXIT.usage);
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** So long ago, or an RFC 3339 time. */
function timeOf(text: string, nowMs: number): string {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = count === undefined ? Date.parse(text) : nowMs - Number(count) * (UNIT_MS[unit] ?? 0);
  const isTime = count !== undefined || /^\d{4}-\d\d-\d\dT/.test(text);
  if (isTime && Number.isFinite(ms)) return new Date(ms).toISOString();
  throw new CliError(
    '--since: minutes, hours or days ago (90m, 24h, 7d), or a time such as 2026-11-23T00:00:00Z.',
    EXIT.usage,
  );
}

function describe({ id, status, tasks, findings, since, seed, sample }: ReplayCheck): string[] {
  const counts = CHECK_OUTCOMES.map((outcome) => `${tasks[outcome]} ${outcome}`).join(', ');
  const told = findings.map(({ task_id, outcome, verdict }) => {
    if (verdict === null) return `${task_id} ${outcome}: replay it alone, or read the log of the gateway`;
    if (verdict.status === 'byte_equal') return `${task_id} ${outcome}`;
    const where = verdict.status === 'diverged' ? verdict.path : `${verdict.index} (${verdict.where})`;
    const { expected, observed } = verdict;
    return `${task_id} ${outcome} at ${where}: expected ${expected ?? 'nothing'}, observed ${observed ?? 'nothing'}`;
  });
  const named = tasks.diverged + tasks.tampered + tasks.failed;
  return [
    ...told,
    ...(named > findings.length ? [`and ${named - findings.length} more`] : []),
    ...(status === 'FAILED' ? [`${id} ended before its last task; the log of the gateway says why`] : []),
    ...(tasks.sampled === 0 && status === 'COMPLETED'
      ? ['No ended task was in the sample. Where there are few, take all of them: --sample 100%']
      : []),
    `${tasks.sampled} tasks replayed (${sample * 100} % since ${since}, seed ${seed}): ${counts}`,
  ];
}
