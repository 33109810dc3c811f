import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import {
  AS_STREAM,
  type ClientOptions,
  GatewayClient,
  RefusedError,
  withClientOptions,
} from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { type ConfigOptions, offlineConfigOf, withConfigOptions } from '#cli/gateway-config.ts';
import { readKeyFile } from '#cli/key-file.ts';
import { describeFinding } from '#cli/log.ts';
import { Progress } from '#cli/progress.ts';
import { print, printJson } from '#cli/terminal.ts';
import type { components } from '#client/index.ts';
import {
  BackupError,
  BackupFolder,
  BackupKeyError,
  createLogging,
  freshPassphraseKey,
  identityOfPassphrase,
  type KeptBackup,
  readBackup,
  readIdentity,
  readRecipient,
  recipientOfIdentity,
  restoreData,
  sourcesOf,
  systemClock,
  systemRandom,
  writtenThrough,
} from '#compose/compose.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { BackupHeader, BackupSecrets } from './schema.ts';

const MIN_PASSPHRASE = 12;

interface BackupFlags extends ClientOptions {
  full?: boolean;
  withKeys?: boolean;
  withVaults?: boolean;
  recipient?: string;
  passphraseFile?: string;
  json?: boolean;
}

export function backupCommand(): Command {
  const command = new Command('backup')
    .description(
      'Back up the running gateway, while it works: into a folder, where the next one holds only what was written since; or to standard output.',
    )
    .argument('<to>', 'folder of backups, made when missing; - for standard output')
    .option('--full', 'a full backup, also where the folder has one to go on behind')
    .option('--with-keys', 'take signing, input and development keys along, encrypted')
    .option('--with-vaults', 'take the files of configured vaults along, encrypted')
    .option(
      '--recipient <file>',
      'public key (PEM or JWK; X25519, P-256, RSA) that keys and vaults are encrypted to',
    )
    .option('--passphrase-file <file>', 'file with the passphrase that keys and vaults are encrypted with')
    .option('--json', 'print JSON');
  return withClientOptions(command).action(backup);
}

async function backup(to: string, flags: BackupFlags): Promise<void> {
  const client = new GatewayClient(flags);
  const request = await requestOf(flags);
  const take: Take = (since) =>
    client.bytes((api) =>
      api.post('/v1/admin/backup', { body: { ...request, ...(since && { since }) }, ...AS_STREAM }),
    );
  await inWords(async () => {
    if (to === '-') return toOutput(take());
    const folder = await BackupFolder.open(to);
    try {
      report(await nextIn(folder, take, flags.full === true), flags.json === true);
    } finally {
      await folder.close();
    }
  });
}

type BackupBody = components['schemas']['BackupRequest'];
type Take = (since?: BackupBody['since']) => AsyncIterable<Uint8Array>;

/** An increment where one is possible, else a full one, which it says. */
async function nextIn(folder: BackupFolder, take: Take, isFull: boolean): Promise<KeptBackup> {
  const { newest, broken } = folder;
  if (broken !== undefined) process.stderr.write(`${broken} A full backup is made.\n`);
  if (newest === undefined || isFull) return folder.keep(take(), undefined);
  const { commit, hash } = newest.checkpoint;
  try {
    return await folder.keep(take({ commit, hash }), newest);
  } catch (error) {
    if (!(error instanceof RefusedError) || error.param !== 'since') throw error;
    process.stderr.write(`${error.message} A full backup is made.\n`);
    return folder.keep(take(), undefined);
  }
}

function report({ file, header, end, bytes }: KeptBackup, json: boolean): void {
  const { created_at, since, checkpoint, include } = header;
  const { records, erased, files } = end;
  const { commit, event_id } = checkpoint;
  const kind = since === null ? 'full' : 'increment';
  if (json) {
    printJson({ file, kind, created_at, commit, event_id, records, erased, files, include, bytes });
    return;
  }
  const behind = since === null ? '' : ` behind commit ${since.commit}`;
  print(
    `${file}: ${kind}${behind} up to commit ${commit}, ${records} records, ${files} files, ${bytes} bytes`,
  );
}

/** What is piped on is looked at too, so that the exit code says whether all of it came. */
async function toOutput(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  if (process.stdout.isTTY)
    throw new CliError('A backup is no text: send standard output to a file or another program.', EXIT.usage);
  const written = writtenThrough(chunks, async (chunk) => {
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
  });
  for await (const _ of readBackup({ name: 'What the gateway sent', open: () => written }));
}

async function requestOf(flags: BackupFlags): Promise<BackupBody> {
  const include: BackupSecrets[] = [
    ...(flags.withKeys ? (['keys'] as const) : []),
    ...(flags.withVaults ? (['vaults'] as const) : []),
  ];
  const { recipient: file, passphraseFile } = flags;
  if (file !== undefined && passphraseFile !== undefined)
    throw new CliError('Give --recipient or --passphrase-file, not both.', EXIT.usage);
  const isGiven = file !== undefined || passphraseFile !== undefined;
  if (include.length > 0 && !isGiven)
    throw new CliError(
      'Keys and vaults leave the gateway encrypted only: give --recipient or --passphrase-file.',
      EXIT.usage,
    );
  if (include.length === 0 && isGiven)
    throw new CliError(
      'Only keys and vaults are encrypted: add --with-keys or --with-vaults. Of the rest, pipe "backup -" through a tool of yours.',
      EXIT.usage,
    );
  if (file !== undefined) {
    const { jwk } = await keyIn(file, '--recipient', readRecipient);
    return { include, recipient: { jwk } };
  }
  if (passphraseFile === undefined) return { include };
  const passphrase = freshPassphraseKey(systemRandom);
  const identity = identityOfPassphrase(passphraseIn(passphraseFile), passphrase);
  const { jwk } = await recipientOfIdentity(identity);
  return { include, recipient: { jwk, passphrase } };
}

async function keyIn<Key>(
  file: string,
  flag: string,
  read: (text: string) => Key | Promise<Key>,
): Promise<Key> {
  try {
    return await read(readKeyFile(file, flag));
  } catch (error) {
    if (!(error instanceof BackupKeyError)) throw error;
    throw new CliError(`${flag}: ${file} ${error.message}.`, EXIT.usage);
  }
}

function passphraseIn(file: string): string {
  const passphrase = readKeyFile(file, '--passphrase-file');
  if (passphrase.length >= MIN_PASSPHRASE) return passphrase;
  throw new CliError(
    `--passphrase-file: a passphrase has ${MIN_PASSPHRASE} characters or more; ${file} has ${passphrase.length}.`,
    EXIT.usage,
  );
}

interface RestoreFlags extends ConfigOptions {
  acceptTruncation?: string;
  identity?: string;
  passphraseFile?: string;
  jwks?: string;
  checkpoint?: string;
  json?: boolean;
}

export function restoreCommand(): Command {
  const command = new Command('restore')
    .description(
      'Make a data directory of a backup, checked whole: of a folder, a file with those it goes on behind, or standard input (-).',
    )
    .argument('<from>', 'folder of backups, or a file of it up to which is restored; - for standard input')
    .option(
      '--accept-truncation <reason>',
      'why the log goes on although what came after the backup is lost; it goes into the log',
    )
    .option('--identity <file>', 'private key (PEM or JWK) that opens the keys and vaults of the backup')
    .option('--passphrase-file <file>', 'file with the passphrase that opens them')
    .option('--jwks <file>', 'public keys of the gateway, kept elsewhere: only they count')
    .option(
      '--checkpoint <file>',
      'newest checkpoint.json that is left of the gateway: says how much is lost',
    )
    .option('--json', 'print one JSON object per finding and one at the end');
  return withConfigOptions(command, ['config', 'data']).action(restore);
}

async function restore(from: string, flags: RestoreFlags): Promise<void> {
  const reason = flags.acceptTruncation?.trim() ?? '';
  if (reason === '')
    throw new CliError(
      'What the gateway wrote after the backup is lost, and an old state is what an attacker would bring back too. ' +
        'Say why with --accept-truncation "<reason>": it goes into the log, where auditors and "log check" see it.',
      EXIT.usage,
    );
  const { logger, redactor } = createLogging('warn', process.stderr);
  const progress = new Progress('restore');
  const { checkpoint } = flags;
  await inWords(async () => {
    const steps = restoreData({
      config: offlineConfigOf(flags),
      sources: await sourcesOf(from, process.stdin),
      clock: systemClock,
      random: systemRandom,
      logger,
      redactor,
      reason,
      identityFor: await identityOf(flags),
      ...(flags.jwks === undefined ? {} : { trusted: jsonIn(flags.jwks) }),
      ...(checkpoint === undefined ? {} : { checkpointFile: checkpoint }),
    });
    for await (const step of steps) {
      if (step.kind === 'progress') {
        progress.update(step.events, step.work === 'read' ? 'records read' : 'events checked');
        continue;
      }
      progress.end();
      if (step.kind === 'finding')
        flags.json ? printJson({ finding: step.finding }) : print(describeFinding(step.finding));
      if (step.kind === 'refused') {
        process.exitCode = EXIT.failed;
        flags.json
          ? printJson({ restored: false })
          : print('Nothing was made: the backup is not whole. Take an earlier one.');
      }
      if (step.kind !== 'restored') continue;
      const { data, created_at, commit, lost_commits, has_keys, vault_files } = step.restored;
      if (flags.json) return printJson({ restored: true, ...step.restored });
      print(`${data}: restored from the backup of ${created_at}, up to commit ${commit}.`);
      if (lost_commits !== null) print(`${lost_commits} commits after it are lost.`);
      if (!has_keys)
        print(
          'New signing and input keys were made: the backup had none, or nothing that opens them was given.',
        );
      if (vault_files.length > 0)
        print(`Put the vaults where the configuration has them: ${vault_files.join(', ')}`);
    }
  });
}

/** Asked for with the header of a backup: a passphrase becomes the key that its header describes. */
async function identityOf({
  identity,
  passphraseFile,
}: RestoreFlags): Promise<(header: BackupHeader) => KeyObject | undefined> {
  if (identity !== undefined && passphraseFile !== undefined)
    throw new CliError('Give --identity or --passphrase-file, not both.', EXIT.usage);
  if (identity !== undefined) {
    const key = await keyIn(identity, '--identity', readIdentity);
    return () => key;
  }
  if (passphraseFile === undefined) return () => undefined;
  const passphrase = passphraseIn(passphraseFile);
  return ({ recipient }) => {
    if (recipient?.passphrase == null)
      throw new BackupError('This backup was encrypted to a key, and to no passphrase: give --identity.');
    return identityOfPassphrase(passphrase, recipient.passphrase);
  };
}

function jsonIn(file: string): JsonValue {
  if (!existsSync(file)) throw new CliError(`--jwks: ${file} does not exist.`, EXIT.usage);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as JsonValue;
  } catch {
    throw new CliError(`--jwks: ${file} is no JSON.`, EXIT.usage);
  }
}

async function inWords(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    throw error instanceof BackupError ? new CliError(error.message, EXIT.failed) : error;
  }
}
