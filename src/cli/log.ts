import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Command, Option } from 'commander';
import {
  BackupError,
  becauseOf,
  checkBackup,
  checkData,
  createLogging,
  isBackupPath,
  type MigrationStep,
  type MoveStep,
  migrateData,
  moveTools,
  openLog,
  partitionTools,
  refuseHalfMigrated,
  sourcesOf,
  systemClock,
  systemRandom,
} from '#compose/compose.ts';
import type { Config } from '#config/load.ts';
import type { Finding } from '#eventlog/finding.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { CliError, EXIT } from './exit-codes.ts';
import { type ConfigOptions, offlineConfigOf, withConfigOptions } from './gateway-config.ts';
import { logsTo } from './log-lines.ts';
import { Progress } from './progress.ts';
import { printJson, print as printText } from './terminal.ts';

const PARTITION = [
  '--partition <id>',
  'the partition of the log that it is about, four digits; wanted where store.partitions is above 1',
] as const;

export function logCommand(): Command {
  const check = new Command('check')
    .description(
      'Verify the whole event log and rebuild its folds, of a running gateway or a backup too; changes nothing.',
    )
    .option('--json', 'print one JSON object per finding and a summary');
  const accept = new Command('accept-truncation')
    .description('Go on with a log that holds less than its checkpoint says; the acceptance is recorded.')
    .option('--reason <text>', 'why; it goes into the log')
    .option(...PARTITION)
    .option('--json', 'print JSON');
  const restore = new Command('accept-restore')
    .description(
      'Go on with a data directory restored from a backup: ids given since it was made are not given again.',
    )
    .option('--reason <text>', 'why; it goes into the log')
    .option(...PARTITION)
    .option('--json', 'print JSON');
  const migrate = new Command('migrate')
    .description(
      'Bring the log of a stopped gateway to the stored form of this version, once; the old store stays beside it.',
    )
    .option(
      '--keep-damaged',
      'go on with a damaged log: what is damaged stays refused, the rest is brought over',
    )
    .option('--json', 'print one JSON object per finding and one at the end');
  const move = new Command('move')
    .description(
      'Bring the log of a stopped gateway into the stream that the configuration names, or back into the data directory.',
    )
    .addOption(
      new Option('--to <place>', 'where it goes').choices(['jetstream', 'leveldb']).makeOptionMandatory(),
    )
    .option('--json', 'print one JSON object per finding and one at the end');
  return new Command('log')
    .description('Work on the event log of a data directory.')
    .addCommand(withConfigOptions(check, ['config', 'data']).action(checkLogOf))
    .addCommand(withConfigOptions(accept, ['config', 'data']).action(acceptTruncation))
    .addCommand(withConfigOptions(restore, ['config', 'data']).action(acceptRestore))
    .addCommand(withConfigOptions(migrate, ['config', 'data']).action(migrateLogOf))
    .addCommand(withConfigOptions(move, ['config', 'data']).action(moveLogOf));
}

async function checkLogOf(flags: ConfigOptions & { json?: boolean }): Promise<void> {
  const config = offlineConfigOf(flags);
  let findings = 0;
  let counted = { commits: 0, events: 0 };
  const progress = new Progress('log check');
  for await (const step of stepsOf(config.store.data)) {
    if (step.kind === 'progress') {
      counted = step;
      progress.update(step.events, 'events');
    } else progress.end();
    if (step.kind === 'snapshot') reportSnapshot(step.pid);
    if (step.kind === 'folds_not_compared')
      print(flags.json ? { folds_not_compared: true } : 'The folds could not be compared.');
    if (step.kind === 'accepted') {
      const { kind: _, ...accepted } = step;
      print(flags.json ? { accepted } : acceptedLine(accepted));
    }
    if (step.kind !== 'finding') continue;
    findings += 1;
    print(flags.json ? { finding: step.finding } : describeFinding(step.finding));
  }
  progress.end();
  const { commits, events } = counted;
  print(
    flags.json ? { commits, events, findings } : `${commits} commits, ${events} events, ${findings} findings`,
  );
  if (findings > 0) process.exitCode = EXIT.failed;
}

/** A backup is read into a folder of its own first. */
async function* stepsOf(data: string): ReturnType<typeof checkData> {
  if (!isBackupPath(data)) {
    refuseMissing(data);
    yield* checkData(data, systemClock, systemRandom);
    return;
  }
  const reading = { clock: systemClock, random: systemRandom, scratchDir: tmpdir() };
  try {
    yield* checkBackup({ ...reading, sources: await sourcesOf(data, process.stdin) });
  } catch (error) {
    throw error instanceof BackupError ? new CliError(error.message, EXIT.failed) : error;
  }
}

/** No finding: somebody answers for it. */
function acceptedLine({ eventId, time, reason, isRestore }: Omit<AcceptedStep, 'kind'>): string {
  const what = isRestore ? 'restored from a backup' : 'taken although its end is lost';
  return `note: at ${time} the log was ${what} (event ${eventId}), ${reason === null ? 'without a reason' : `because: ${reason}`}`;
}

function reportSnapshot(pid: number | undefined): void {
  const owner = pid === undefined ? 'a running process' : `process ${pid}`;
  process.stderr.write(`The data is in use by ${owner}; a snapshot of its log is checked.\n`);
}

type MigrateFlags = ConfigOptions & { json?: boolean; keepDamaged?: boolean };

async function migrateLogOf({ json, keepDamaged = false, ...flags }: MigrateFlags): Promise<void> {
  const { data } = offlineConfigOf(flags).store;
  const parts = { data, clock: systemClock, random: systemRandom, keepsDamaged: keepDamaged };
  const progress = new Progress('log migrate');
  for await (const step of migrateData(parts)) {
    if (step.kind === 'progress') progress.update(step.commits, `commits ${step.work}`);
    else progress.end();
    if (step.kind === 'refused') process.exitCode = EXIT.failed;
    if (step.kind !== 'progress') print(json ? migrationJson(step) : migrationLine(step));
  }
  progress.end();
}

type MigrationResult = Exclude<MigrationStep, { kind: 'progress' }>;

function migrationJson(step: MigrationResult): object {
  if (step.kind === 'finding') return { finding: step.finding };
  const { kind, ...facts } = step;
  return { migrated: kind === 'migrated', ...(kind === 'refused' ? { refused: true } : {}), ...facts };
}

function migrationLine(step: MigrationResult): string {
  switch (step.kind) {
    case 'finding':
      return describeFinding(step.finding);
    case 'current':
      return `The log has the stored form of this version (schema ${step.schema}). There is nothing to do.`;
    case 'refused':
      return `Nothing was changed. ${step.cause ?? 'Restore a backup; or run it with --keep-damaged, and what is damaged stays refused.'}`;
    case 'migrated':
      return `The log was brought from schema ${step.from} to ${step.to}. The old store is in ${step.former}: delete it when you need it no more.`;
  }
}

type MoveFlags = ConfigOptions & { json?: boolean; to: 'jetstream' | 'leveldb' };

async function moveLogOf({ json, to, ...flags }: MoveFlags): Promise<void> {
  const config = offlineConfigOf(flags);
  if (to === 'jetstream') refuseMissing(config.store.data);
  const { moveToJetStream, moveToLevelDb } = await moveTools();
  const { logger } = createLogging('error', logsTo(process.stderr));
  const parts = { config, clock: systemClock, random: systemRandom, logger };
  const progress = new Progress('log move');
  for await (const step of to === 'jetstream' ? moveToJetStream(parts) : moveToLevelDb(parts)) {
    if (step.kind === 'progress') {
      if (step.work === 'checked') progress.update(step.commits, 'commits checked');
      else progress.update(step.rows, `rows ${step.work}`);
      continue;
    }
    progress.end();
    if (step.kind === 'refused') process.exitCode = EXIT.failed;
    print(json ? moveJson(step, to) : moveLine(step, to));
  }
  progress.end();
}

type MoveResult = Exclude<MoveStep, { kind: 'progress' }>;

function moveJson(step: MoveResult, to: MoveFlags['to']): object {
  if (step.kind === 'finding') return { finding: step.finding };
  const { kind, ...facts } = step;
  return { moved: kind === 'moved', to, ...(kind === 'refused' ? { refused: true } : {}), ...facts };
}

function moveLine(step: MoveResult, to: MoveFlags['to']): string {
  switch (step.kind) {
    case 'finding':
      return describeFinding(step.finding);
    case 'refused':
      return 'Nothing was moved: the log has these findings. Restore a backup, and run this again.';
    case 'current':
      return `The log is in the stream ${step.stream} already. There is nothing to do.`;
    case 'moved':
      return to === 'jetstream'
        ? `The log is in the stream ${step.stream} now, with ${step.commits} commits. Set store.kind to jetstream before the next start.`
        : `The log is in the data directory now, with ${step.commits} commits. Set store.kind to leveldb before the next start; the stream ${step.stream} can be deleted.`;
  }
}

type AcceptedStep = Extract<
  ReturnType<typeof checkData> extends AsyncGenerator<infer Step> ? Step : never,
  { kind: 'accepted' }
>;
type OpenLog = Awaited<ReturnType<typeof openLog>>;
type AcceptFlags = ConfigOptions & { json?: boolean; reason?: string; partition?: string };

const acceptTruncation = (flags: AcceptFlags): Promise<void> =>
  goOn(flags, (log, why) => log.acceptTruncation({ actor: 'operator' }, why));

const acceptRestore = (flags: AcceptFlags): Promise<void> =>
  goOn(flags, (log, why) => log.acceptRestore({ actor: 'operator' }, why));

/** Beyond the lease of a gateway that was killed. */
const WAITS_MS = 5_000;

type Because = ReturnType<typeof becauseOf>;

async function goOn(
  flags: AcceptFlags,
  accept: (log: OpenLog, why: Because | undefined) => Promise<void>,
): Promise<void> {
  if (flags.reason?.trim() === '') throw new CliError('Say why with --reason, or leave it out.', EXIT.usage);
  const { config, partition } = await placeOf(offlineConfigOf(flags), flags.partition);
  refuseMissing(config.store.data);
  const { logger, redactor } = createLogging('warn', logsTo(process.stderr));
  const why = flags.reason === undefined ? undefined : becauseOf(redactor, flags.reason);
  const parts = { config, logger, clock: systemClock, random: systemRandom };
  const log = await openLog({ ...parts, partition, nodes: { waitsMs: WAITS_MS } });
  try {
    await accept(log, why);
    print(flags.json ? { accepted: true } : 'Accepted. The log goes on from what it holds.');
  } finally {
    await log.close();
  }
}

/** Where the log is that a command is about: one partition of it, where it has several. */
async function placeOf(
  config: Config,
  named: string | undefined,
): Promise<{ config: Config; partition?: string }> {
  const { partitions } = config.store;
  if (partitions === 1 && named === undefined) return { config };
  const { configOfPartition, partitionIds } = await partitionTools();
  const ids = partitionIds(partitions);
  if (named !== undefined && ids.includes(named))
    return partitions === 1 ? { config } : { config: configOfPartition(config, named), partition: named };
  const wrong = named === undefined ? '' : `, and ${named} is none of them`;
  throw new CliError(
    `Name the partition that this is about with --partition: ${ids[0]} to ${ids.at(-1)} by store.partitions${wrong}.`,
    EXIT.usage,
  );
}

function refuseMissing(data: string): void {
  refuseHalfMigrated(data);
  if (existsSync(dataPaths(data).store)) return;
  throw new CliError(`${data} holds no event log. Name the data directory with --data.`, EXIT.cannotOpenData);
}

export function describeFinding({ problem, where, expected, observed }: Finding): string {
  return `${problem} at ${where}: expected ${expected}, observed ${observed}`;
}

function print(line: string | object): void {
  if (typeof line === 'string') printText(line);
  else printJson(line);
}
