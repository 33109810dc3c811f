import { existsSync, readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type ClientOptions, GatewayClient, withClientOptions } from '#cli/client.ts';
import { CliError, EXIT } from '#cli/exit-codes.ts';
import { withFile } from '#cli/file-bytes.ts';
import { itemsOf } from '#cli/listing.ts';
import { Progress } from '#cli/progress.ts';
import { print, printJson } from '#cli/terminal.ts';
import { writeOut } from '#cli/write-out.ts';
import type { components } from '#client/index.ts';
import { parseStrict, parseStrictText } from '#json/strict-parse.ts';
import type { ByteSource } from '#protocol/bytes.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { KeySetError, keysOfJwks, type VerificationKeys } from '#receipts/verification-keys.ts';
import { bringsGrowth, type FileVerdict, type ProofFiles, verifyFile } from '#receipts/verify-file.ts';
import { InvalidBundleError } from '#resources/bundle/document/bundle-fault.ts';
import { BundleFile } from '#resources/bundle/document/bundle-file.ts';
import { receiptsOfBundle } from '#resources/bundle/document/bundle-receipts.ts';
import { verifyManifest } from '#resources/bundle/document/verify-manifest.ts';
import { type Inclusion, type TreeHead, treeHead } from './schema.ts';

type Receipt = components['schemas']['Receipt'];

/** Far more than a gateway rotates through in its life. */
const MAX_KEYS_BYTES = 16 * 1024 * 1024;

/** Receipts that are no bundle are held as a whole. */
const MAX_RECEIPTS_BYTES = 512 * 1024 * 1024;

type Keys = VerificationKeys | 'brought' | undefined;

interface VerifyOptions extends ClientOptions {
  jwks?: string;
  chain?: string;
  json?: boolean;
  signatures?: boolean;
  head?: string;
  earlier?: string;
  consistency?: string;
  inclusion?: string;
}

const EXAMPLES = `
Examples:
  harn-gateway receipt verify receipt_01...                          asks the gateway
  harn-gateway receipt verify receipt.json --jwks jwks.json          needs no gateway
  harn-gateway receipt verify run.bundle.json                        by its own keys: whole, not by whom
  harn-gateway receipt verify receipt.cbor --jwks jwks.json --chain session.ndjson
  harn-gateway receipt verify receipt.json --jwks jwks.json --head head.json --inclusion proof.json
  harn-gateway receipt collect task_01... --earlier head.json --out task.receipts.json
  harn-gateway receipt verify task.receipts.json --jwks jwks.json --earlier head.json     all of it`;

export function receiptCommand(): Command {
  const verify = new Command('verify')
    .description('Verify a receipt: a file without any gateway, an id by the gateway that issued it.')
    .argument(
      '<id or file>',
      'a receipt, a chain (array, lines), a list answer, a bundle, or what "receipt collect" wrote; JSON or CBOR',
    )
    .option(
      '--jwks <file>',
      'public keys: what the gateway serves at /.well-known/jwks.json; a bundle brings its own',
    )
    .option('--chain <file>', 'all receipts of the session, the first one first: links are verified too')
    .option('--head <file>', 'a signed head of the receipt log that you kept: GET /v1/receipt-log/head')
    .option('--inclusion <file>', 'proofs for the size of that head: GET /v1/receipt-log/inclusion')
    .option('--earlier <file>', 'a head that you kept before that one: the log only grew since then')
    .option(
      '--consistency <file>',
      'proof of that: GET /v1/receipt-log/consistency; a file of "receipt collect --earlier" brings it',
    )
    .option('--no-signatures', 'verify hashes and links only')
    .option('--json', 'print the verdict as JSON')
    .addHelpText('after', EXAMPLES);
  return new Command('receipt')
    .description('Proofs of what happened.')
    .addCommand(withClientOptions(verify).action(verifyReceipt))
    .addCommand(receiptCollectCommand());
}

async function verifyReceipt(target: string, options: VerifyOptions): Promise<void> {
  if (existsSync(target)) await withFile(target, async (bytes) => verifyFileOf(bytes, options));
  else await verifyOnline(target, options);
}

function verifyFileOf(bytes: ByteSource, options: VerifyOptions): void {
  const keys = options.signatures === false ? undefined : keysOf(options.jwks);
  const file = new BundleFile(bytes);
  const receiptBytes = receiptsIn(file, bytes);
  refuseHalfProof(options, keys, receiptBytes);
  const progress = new Progress('receipt verify');
  const onReceipt = (done: number, total: number) => progress.update(done, 'receipts', total);
  const given = { keys, onReceipt, ...proofFiles(options) };
  const receipts = withKeys(() => verifyFile(receiptBytes, given));
  progress.end();
  const verdict = receipts.ok && receipts.bundle ? withManifest(receipts, file, keys) : receipts;
  if (options.json) printJson(verdict);
  else print(describe(verdict));
  if (!verdict.ok) process.exitCode = EXIT.failed;
}

/** Of a bundle only its receipts, because it may be of any size; everything else whole, and what is damaged too. */
function receiptsIn(file: BundleFile, bytes: ByteSource): Buffer {
  try {
    return receiptsOfBundle(file) ?? whole(bytes);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return whole(bytes);
  }
}

function whole(bytes: ByteSource): Buffer {
  if (bytes.size > MAX_RECEIPTS_BYTES)
    throw new CliError(`The file has more than ${MAX_RECEIPTS_BYTES} bytes. Verify less at once.`);
  return bytes.read(0, bytes.size);
}

/** What signs all of a bundle shows that no receipt was left out at its end; a key that is not trusted shows nothing. */
function withManifest(verdict: FileVerdict, file: BundleFile, keys: Keys): FileVerdict {
  if (keys === undefined) return verdict;
  try {
    const found = verifyManifest(file, keys === 'brought' ? new Map() : keys);
    const isTrusted = found?.by === (keys === 'brought' ? 'brought_key' : 'known_key');
    return isTrusted
      ? { ...verdict, skipped: verdict.skipped.filter((step) => step !== 'manifest') }
      : verdict;
  } catch (error) {
    if (!(error instanceof InvalidBundleError)) throw error;
    const expected = 'the bundle as it was signed';
    return { ...verdict, ok: false, step: 'manifest', expected, observed: error.message };
  }
}

/** Only a bundle brings keys; for everything else they have to be named. */
function withKeys(verify: () => FileVerdict): FileVerdict {
  try {
    return verify();
  } catch (error) {
    if (!(error instanceof KeySetError)) throw error;
    const help = 'Name the public keys with --jwks, or leave signatures out with --no-signatures';
    throw new CliError(`${help}: ${error.message}.`, EXIT.usage);
  }
}

/** A proof leads to a head, and a head that nobody signed proves nothing. */
function refuseHalfProof(options: VerifyOptions, keys: Keys, receipts: Buffer): void {
  const { head, inclusion, earlier, consistency, signatures } = options;
  const isBrought = earlier !== undefined && head === undefined && bringsGrowth(receipts);
  if ((earlier === undefined) !== (consistency === undefined) && !isBrought)
    throw new CliError('--earlier and --consistency belong together: name both.', EXIT.usage);
  if (earlier !== undefined && head === undefined && !isBrought)
    throw new CliError(
      '--earlier needs the later head that the log grew to: name it with --head.',
      EXIT.usage,
    );
  if (inclusion !== undefined && head === undefined)
    throw new CliError(
      '--inclusion needs the head that the proofs lead to: name it with --head.',
      EXIT.usage,
    );
  if ((head !== undefined || isBrought) && signatures === false)
    throw new CliError('--head is about a signature: leave out --no-signatures.', EXIT.usage);
  if (head !== undefined && keys === 'brought')
    throw new CliError('--head proves what a gateway said: name its public keys with --jwks.', EXIT.usage);
}

function proofFiles(options: VerifyOptions): Omit<ProofFiles, 'keys' | 'onReceipt'> {
  const files: Omit<ProofFiles, 'keys' | 'onReceipt'> = {};
  for (const name of ['chain', 'head', 'inclusion'] as const) {
    const file = options[name];
    if (file !== undefined) files[name] = read(file, `--${name}`);
  }
  const { earlier, consistency } = options;
  if (earlier === undefined) return files;
  const growth = {
    earlier: read(earlier, '--earlier'),
    ...(consistency === undefined ? {} : { proof: read(consistency, '--consistency') }),
  };
  return { ...files, growth };
}

const keysOf = (file: string | undefined): Keys => (file === undefined ? 'brought' : readJwks(file));

/** The public keys in a file that a gateway served. Throws CliError (usage) for another one. */
export function readJwks(file: string): VerificationKeys {
  const bytes = read(file, '--jwks');
  try {
    // Strictly: of a member that is there twice one reader trusts the first and another one the last.
    return keysOfJwks(parseStrict(bytes, { maxBytes: MAX_KEYS_BYTES }));
  } catch (error) {
    if (!(error instanceof KeySetError || error instanceof ProtocolError)) throw error;
    throw new CliError(`--jwks ${file}: ${error.message}`, EXIT.usage);
  }
}

function read(file: string, what: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    throw new CliError(`${what}: ${file} cannot be read.`, EXIT.usage);
  }
}

/** What keys of the bundle itself prove, by whether they signed all of it. */
const broughtKeys = (isWhole: boolean) =>
  `The keys are those of the bundle itself: ${isWhole ? 'it is whole' : 'no receipt in it was changed'}, but whoever made it chose them. Whose it is shows with --jwks.`;

function describe({ ok, step, index, expected, observed, skipped, receipts, keys }: FileVerdict): string {
  const place = index === null ? '' : ` at receipt ${index}`;
  if (!ok) return `failed: ${step}${place}: expected ${expected}, observed ${observed}`;
  const left = skipped.length > 0 ? `; not checked: ${skipped.join(', ')}` : '';
  const count = `${receipts} ${receipts === 1 ? 'receipt' : 'receipts'}`;
  const whose = keys === 'brought' ? `\n${broughtKeys(!skipped.includes('manifest'))}` : '';
  return `ok: ${count}${left}${whose}`;
}

/** The gateway trusts its own keys; those of an imported bundle are whose they are. */
const ofBundle = (keys: unknown) =>
  keys === 'brought'
    ? '\nThe Session was imported with keys of its own: nothing was changed since, but whoever made the bundle chose them.'
    : '';

/** No id has these characters: a name that has them is a file that is not there. */
const FILE_CHARACTERS = /[./\\]/;

async function verifyOnline(id: string, options: VerifyOptions): Promise<void> {
  if (FILE_CHARACTERS.test(id)) throw new CliError(`There is no file ${id}.`, EXIT.usage);
  const { api } = new GatewayClient(options);
  const params = { path: { receipt_id: id } };
  const { valid, reason, details } = await api.post('/v1/receipts/{receipt_id}/verify', { params });
  if (options.json) printJson(details);
  else if (valid) print(`ok: verified by the gateway, with the chain before it${ofBundle(details['keys'])}`);
  else print(`failed: ${reason} expected ${details['expected']}, observed ${details['observed']}`);
  if (!valid) process.exitCode = EXIT.failed;
}

interface CollectOptions extends ClientOptions {
  earlier?: string;
  out?: string;
}

/** All that a verification can use, in one file: it needs no gateway then, only keys from where they are trusted. */
function receiptCollectCommand(): Command {
  const collect = new Command('collect')
    .description(
      'Write all that proves the receipts of a task to a file: the chain of its session, a head of the log, proofs.',
    )
    .argument('<task>', 'id of the task')
    .option(
      '--earlier <file>',
      'a head that you kept: the proof that the log only grew since then is written too',
    )
    .option('--out <file>', 'file to write (default: standard output)');
  return withClientOptions(collect).action(collectReceipts);
}

async function collectReceipts(taskId: string, { earlier, out, ...options }: CollectOptions): Promise<void> {
  const before = earlier === undefined ? undefined : readHead(earlier);
  const client = new GatewayClient(options);
  const params = { path: { task_id: taskId } };
  const { session_id } = await client.api.get('/v1/tasks/{task_id}', { params });
  const receipts = await receiptsOfSession(client, session_id);
  // After the receipts: all of them are in a log of this size.
  const head = await client.api.get('/v1/receipt-log/head');
  const proofs = await inclusionOf(client, receipts, head.size);
  const collected = {
    object: 'receipt_collection',
    task_id: taskId,
    receipts: proofs.map(({ receipt }) => receipt.wire.payload),
    head,
    inclusion: proofs.map(({ proof }) => proof),
    ...(before === undefined ? {} : { consistency: await growth(client, before, head) }),
  };
  await writeOut([`${JSON.stringify(collected)}\n`], out);
}

async function receiptsOfSession(client: GatewayClient, sessionId: string): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  const ofSession = { path: { session_id: sessionId } };
  const all = Number.POSITIVE_INFINITY;
  for await (const { id } of itemsOf(client, '/v1/sessions/{session_id}/tasks', ofSession, all))
    for await (const receipt of itemsOf(
      client,
      '/v1/tasks/{task_id}/receipts',
      { path: { task_id: id } },
      all,
    ))
      receipts.push(receipt);
  return receipts;
}

/** The receipts with their proofs, in the order of the log, which is that of their chain. */
async function inclusionOf(
  client: GatewayClient,
  receipts: readonly Receipt[],
  size: number,
): Promise<{ receipt: Receipt; proof: Inclusion }[]> {
  const progress = new Progress('receipt collect');
  const found: { receipt: Receipt; proof: Inclusion }[] = [];
  for (const receipt of receipts) {
    const query = { receipt_id: receipt.id, size };
    found.push({ receipt, proof: await client.api.get('/v1/receipt-log/inclusion', { params: { query } }) });
    progress.update(found.length, 'receipts', receipts.length);
  }
  progress.end();
  return found.sort((one, other) => one.proof.index - other.proof.index);
}

function growth(client: GatewayClient, before: TreeHead, head: TreeHead): Promise<object> {
  if (before.size > head.size)
    throw new CliError(
      `--earlier: it is of size ${before.size}, and the log has ${head.size} leaves now: leaves are missing.`,
    );
  const query = { first: before.size, second: head.size };
  return client.api.get('/v1/receipt-log/consistency', { params: { query } });
}

function readHead(file: string): TreeHead {
  let value: JsonValue;
  try {
    value = parseStrictText(readFileSync(file, 'utf8'));
  } catch {
    throw new CliError(`--earlier: ${file} cannot be read, or is no JSON.`, EXIT.usage);
  }
  const parsed = treeHead.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CliError(
    `--earlier: ${file} is no head of a receipt log; keep one of GET /v1/receipt-log/head.`,
    EXIT.usage,
  );
}
