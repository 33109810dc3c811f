import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { AS_STREAM, type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { withFile } from '#cli/file-bytes.ts';
import { packageVersion } from '#cli/package-facts.ts';
import { Progress } from '#cli/progress.ts';
import { print, printJson } from '#cli/terminal.ts';
import { writeOut } from '#cli/write-out.ts';
import type { ByteSource, SpoolFile } from '#protocol/bytes.ts';
import { Redactor } from '#redaction/redactor.ts';
import { SecretMarkers } from '#redaction/secret-markers.ts';
import { openBodySpool } from '#store/body-spool.ts';
import { InvalidBundleError } from './document/bundle-fault.ts';
import { BundleFile } from './document/bundle-file.ts';
import { exportRunRecord, type FileExport } from './document/file-export.ts';
import { restoreRunRecord } from './document/restore-run-record.ts';
import { faultOfBundle, validateBundle } from './document/validate-bundle.ts';
import { verifyManifest } from './document/verify-manifest.ts';
import { writeRunRecord } from './document/write-run-record.ts';
import type { BundleImport } from './schema.ts';
import { BUNDLE_MODES, type BundleMode, type SessionBundle } from './session-bundle-schema.ts';

interface ExportOptions extends ClientOptions {
  out?: string;
  local?: boolean;
  replayOnly?: boolean;
  includeAttachments?: boolean;
}

interface ImportOptions extends ClientOptions {
  out?: string;
  allowUnsafeSecretMarkers?: boolean;
  json?: boolean;
}

const EXPORT_EXAMPLES = `
Examples:
  harn-gateway session export session_01... --out run.bundle.json        sanitized: for tickets and colleagues
  harn-gateway session export task_01... --local --out run.bundle.json   everything, inside one trust boundary
  harn-gateway session export run.json --replay-only --out run.bundle.json   a run record in a file: needs no gateway`;

const IMPORT_EXAMPLES = `
Examples:
  harn-gateway session import run.bundle.json                        restores the session in the gateway
  harn-gateway session import run.bundle.json --out imported.json    writes its run record: needs no gateway`;

/** The commands that hand a run to somebody else. */
export function bundleCommands(): Command[] {
  return [exportCommand(), importCommand(), validateCommand()];
}

function exportCommand(): Command {
  const command = new Command('export')
    .description('Write a session, a task or a run record as a session bundle.')
    .argument('<id or file>', 'a session or task of the gateway, or a file with a run record')
    .option('--out <file>', 'where to write (default: standard output)')
    .option('--local', 'keep everything: for the same trust boundary only')
    .option('--replay-only', 'withhold prompts and tool payloads too')
    .option('--include-attachments', 'bring the payloads of artifacts')
    .addHelpText('after', EXPORT_EXAMPLES);
  return withClientOptions(command).action(runExport);
}

function importCommand(): Command {
  const command = new Command('import')
    .description('Restore the session of a bundle in the gateway, or write its run record.')
    .argument('<file>', 'a session bundle')
    .option('--out <file>', 'write the run record there instead; needs no gateway')
    .option('--allow-unsafe-secret-markers', 'take it although something in it looks like a secret')
    .option('--json', 'print what was restored as JSON')
    .addHelpText('after', IMPORT_EXAMPLES);
  return withClientOptions(command).action(runImport);
}

function validateCommand(): Command {
  return new Command('validate')
    .description('Check a session bundle without writing anything; needs no gateway.')
    .argument('<file>', 'a session bundle')
    .option('--allow-unsafe-secret-markers', 'take it although something in it looks like a secret')
    .option('--json', 'print the finding as JSON')
    .addHelpText('after', '\nExamples:\n  harn-gateway session validate run.bundle.json --json')
    .action(runValidate);
}

async function runExport(target: string, options: ExportOptions): Promise<void> {
  const mode = modeOf(options);
  const attachments = options.includeAttachments ?? false;
  if (!existsSync(target)) await writeOut(exportOnline(target, mode, attachments, options), options.out);
  else
    await withFile(target, (bytes) =>
      writeOut(exportFile(target, bytes, { mode, attachments }), options.out),
    );
}

function modeOf({ local, replayOnly }: ExportOptions): BundleMode {
  const [sanitized, localMode, replayOnlyMode] = BUNDLE_MODES;
  if (local && replayOnly)
    throw new CliError('--local keeps everything and --replay-only does not: choose one.', EXIT.usage);
  if (local) return localMode;
  return replayOnly ? replayOnlyMode : sanitized;
}

function exportFile(
  target: string,
  bytes: ByteSource,
  asked: Pick<FileExport, 'mode' | 'attachments'>,
): AsyncIterable<string> {
  const made = { redactor: new Redactor(), version: packageVersion(), spool: { open: openTemporary } };
  try {
    return exportRunRecord(new BundleFile(bytes), { ...asked, ...made });
  } catch (error) {
    if (!(error instanceof InvalidBundleError)) throw error;
    throw new CliError(`${target} is no run record: ${error.message}`);
  }
}

/** A file without a name: nothing is left behind, however the command ends. */
async function openTemporary(): Promise<SpoolFile> {
  const folder = mkdtempSync(join(tmpdir(), 'harn-gateway-'));
  try {
    return await (await openBodySpool(join(folder, 'spool'))).open();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function* exportOnline(
  id: string,
  mode: BundleMode,
  include_attachments: boolean,
  options: ExportOptions,
): AsyncGenerator<Uint8Array> {
  const what = id.startsWith('task_') ? { task_id: id } : { session_id: id };
  const body = { ...what, mode, include_attachments };
  yield* new GatewayClient(options).bytes((api) => api.post('/v1/bundles/export', { body, ...AS_STREAM }));
}

async function runImport(target: string, options: ImportOptions): Promise<void> {
  await withFile(target, (bytes) =>
    options.out === undefined ? send(bytes, options) : writeRecord(bytes, options.out, options),
  );
}

async function writeRecord(bytes: ByteSource, out: string, options: ImportOptions): Promise<void> {
  const { file } = validated(bytes, options);
  await writeOut(writeRunRecord(reading(() => restoreRunRecord(file))), out);
}

async function send(bytes: ByteSource, options: ImportOptions): Promise<void> {
  const query = options.allowUnsafeSecretMarkers ? ({ allow_unsafe_secret_markers: 'true' } as const) : {};
  const client = new GatewayClient(options);
  const progress = new Progress('session import');
  const onSent = (sent: number) => progress.update(sent, 'bytes', bytes.size);
  const made = await client.importBundle(bytes, query, onSent).finally(() => progress.end());
  if (options.json) printJson(made);
  else print(describe(made));
}

function describe({ session_id, workspace_id, tasks, created }: BundleImport): string {
  const verb = created ? 'restored' : 'was restored before';
  return [
    `${session_id} ${verb} in ${workspace_id}`,
    ...tasks.map(({ id, status }) => `${id} ${status}`),
  ].join('\n');
}

async function runValidate(target: string, options: ImportOptions): Promise<void> {
  try {
    const { bundle_id, redaction } = await withFile(
      target,
      async (bytes) => validated(bytes, options).bundle,
    );
    if (options.json) printJson({ valid: true, bundle_id, mode: redaction.mode });
    else print(`ok: ${bundle_id}, ${redaction.mode}`);
  } catch (error) {
    if (options.json && error instanceof CliError) printJson({ valid: false, reason: error.message });
    throw error;
  }
}

function validated(
  bytes: ByteSource,
  { allowUnsafeSecretMarkers = false }: ImportOptions,
): { file: BundleFile; bundle: SessionBundle } {
  const file = new BundleFile(bytes);
  const given = { markers: new SecretMarkers(), allowSecretMarkers: allowUnsafeSecretMarkers };
  return reading(() => {
    const bundle = validateBundle(file, given);
    // Without a gateway no key is known: the keys in the bundle prove that it is whole.
    verifyManifest(file, new Map());
    return { file, bundle };
  });
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const fault = faultOfBundle(error);
    if (!(fault instanceof InvalidBundleError)) throw fault;
    throw new CliError(`invalid session bundle: ${fault.message}`);
  }
}
