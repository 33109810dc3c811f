import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyCard } from '#cards/verify-card.ts';
import { systemClock, systemRandom } from '#compose/compose.ts';
import { readCheckpoint } from '#eventlog/checkpoint.ts';
import { EMPTY_HEAD } from '#eventlog/commit-walk.ts';
import { type FoldCodec, foldCodec } from '#eventlog/fold-record.ts';
import { verifyTail } from '#eventlog/verify-tail.ts';
import { canonicalJson } from '#json/canonical.ts';
import { parseStrict } from '#json/strict-parse.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { type KeyRegistry, openKeyRegistry } from '#receipts/key-registry.ts';
import { verifyTreeHead } from '#receipts/tree-head.ts';
import { keysOfJwks, type VerificationKeys } from '#receipts/verification-keys.ts';
import { verifyFile } from '#receipts/verify-file.ts';
import { InvalidBundleError } from '#resources/bundle/document/bundle-fault.ts';
import { BundleFile } from '#resources/bundle/document/bundle-file.ts';
import { inMemory } from '#resources/bundle/document/byte-window.ts';
import { verifyManifest } from '#resources/bundle/document/verify-manifest.ts';
import { treeHead } from '#resources/receipt/schema.ts';
import { saidSlots } from '#resources/said-slots.ts';
import { KEY_KINDS } from '#store/keys.ts';
import { openLevelStore } from '#store/level-store.ts';
import { IntegrityError } from '#store/store-errors.ts';
import { PACKAGE_ROOT } from './child-processes.ts';
import { KeptEntries } from './kept-entries.ts';
import { Report } from './report.ts';
import { SeededRandom } from './seeded-random.ts';
import { openStocked, StockedData } from './stocked-data.ts';

/** Bits of one kind of thing, and whoever reads it. */
interface Target {
  name: string;
  /** How often it is drawn, against the others. */
  weight: number;
  size(): number;
  /** Flips one bit, reads, flips it back. Says what is wrong, and nothing where the flip was seen or changed nothing. */
  tryBit(byte: number, bit: number): Promise<string | undefined>;
}

/**
 * So many single bits flipped, one at a time, in what a gateway keeps and hands out: records of the log and states, as the start
 * and every read check them; and the checkpoint, receipts, a tree head, an agent card and a bundle, as verifiers do. Each flip is
 * refused, or leaves the same value.
 */
export async function tamperedBits(seed: number, bits: number): Promise<Report> {
  const report = new Report();
  const random = new SeededRandom(seed);
  const stocked = await new StockedData().make(1);
  try {
    const targets = await targetsOf(stocked.data);
    for (const target of targets)
      report.check((await target.tryBit(-1, 0)) === undefined, () => `${target.name} does not verify`);
    const total = targets.reduce((sum, { weight }) => sum + weight, 0);
    for (let n = 0; n < bits; n += 1) {
      let drawn = random.between(1, total);
      const target = targets.find(({ weight }) => {
        drawn -= weight;
        return drawn <= 0;
      });
      if (target === undefined) throw new Error('nothing is drawn');
      const [byte, bit] = [random.between(0, target.size() - 1), random.between(0, 7)];
      const wrong = await target.tryBit(byte, bit);
      report.count('tampered bits');
      report.count(`bits of ${target.name}`);
      report.check(wrong === undefined, () => `${target.name}, byte ${byte} bit ${bit}: ${wrong}`);
    }
  } finally {
    stocked.remove();
  }
  return report;
}

async function targetsOf(data: string): Promise<Target[]> {
  const gateway = await openStocked(data);
  const { client } = gateway;
  const { id, session_id } = await client.submit('echo');
  await client.until(id, 'COMPLETED');
  const jwks = await client.get<JsonObject>('/.well-known/jwks.json');
  const head = await client.get<JsonObject>('/v1/receipt-log/head');
  const card = await client.get<JsonObject>('/.well-known/agent-card.json');
  const exported = await client.call('POST', '/v1/bundles/export', { body: { session_id, mode: 'local' } });
  await gateway.close();
  if (exported.status !== 200) throw new Error(`no bundle: ${exported.text}`);
  const keys = keysOfJwks(jwks);
  const paths = dataPaths(data);
  return [
    ...(await logTargets(paths.store)),
    checkpointTarget(
      paths.checkpoint,
      openKeyRegistry({ dir: paths.keys, clock: systemClock, random: systemRandom }),
    ),
    await receiptTarget(),
    documentTarget('tree heads', 4, head, (read) => isSignedHead(read, keys)),
    documentTarget('agent cards', 1, card, (read) => isSignedCard(read, jwks), withoutSignatures),
    bundleTarget(exported.text, keys),
  ];
}

/** Records and states of a log, in memory. */
async function logTargets(path: string): Promise<Target[]> {
  const store = await openLevelStore({ path });
  const kept = await KeptEntries.of(store);
  await store.close();
  const of = (kinds: readonly { prefix: string }[]) =>
    kept.all.filter(([key]) => kinds.some(({ prefix }) => key.startsWith(prefix)));
  const records = of([KEY_KINDS.event, KEY_KINDS.commit, KEY_KINDS.frame, KEY_KINDS.receipt]);
  const states = of([KEY_KINDS.resource]);
  const codec = foldCodec(kept.store, saidSlots);
  return [
    entriesTarget('log records', 30, records, async (key) => {
      const { integrity } = await verifyTail(kept.store, EMPTY_HEAD);
      if (integrity.status === 'ok') return 'the start does not see it';
      const where = integrity.status === 'damaged' ? integrity.where : integrity.status;
      // A commit is vouched for by the one after it, too.
      return where === key ? undefined : `the start sees it at ${where}, not at ${key}`;
    }),
    entriesTarget('states', 20, states, async (key, value) =>
      isReadAsState(codec, key, value) ? 'it is served' : undefined,
    ),
  ];
}

function isReadAsState(codec: FoldCodec, key: string, value: Buffer): boolean {
  try {
    codec.decode(key, value);
    return true;
  } catch (error) {
    if (error instanceof IntegrityError) return false;
    throw error;
  }
}

/** `find` says what is wrong while the value of the key is damaged. */
function entriesTarget(
  name: string,
  weight: number,
  entries: readonly (readonly [string, Buffer])[],
  find: (key: string, value: Buffer) => Promise<string | undefined>,
): Target {
  const total = entries.reduce((sum, [, { length }]) => sum + length, 0);
  return {
    name,
    weight,
    size: () => total,
    async tryBit(byte, bit) {
      if (byte < 0) return undefined;
      let at = byte;
      for (const [key, value] of entries) {
        if (at >= value.length) {
          at -= value.length;
          continue;
        }
        flip(value, at, bit);
        try {
          const wrong = await find(key, value);
          return wrong && `${key}: ${wrong}`;
        } finally {
          flip(value, at, bit);
        }
      }
      return 'there is no such byte';
    },
  };
}

/**
 * `accepts` tells whether a reader takes the bytes for the genuine ones; it throws what no reader throws. `covered` leaves out
 * what no signature is over.
 */
function bytesTarget(
  name: string,
  weight: number,
  bytes: Buffer,
  accepts: (bytes: Buffer) => boolean | Promise<boolean>,
  covered: (value: JsonValue) => JsonValue = (value) => value,
): Target {
  const meaning = meaningOf(bytes, covered);
  return {
    name,
    weight,
    size: () => bytes.length,
    async tryBit(byte, bit) {
      if (byte < 0) return (await accepts(bytes)) ? undefined : 'it is refused as it is';
      flip(bytes, byte, bit);
      try {
        if (!(await accepts(bytes)) || meaningOf(bytes, covered) === meaning) return undefined;
        return `accepted: ${bytes.toString('utf8', Math.max(0, byte - 40), byte + 40)}`;
      } finally {
        flip(bytes, byte, bit);
      }
    },
  };
}

/** A JSON document, as it is sent. */
function documentTarget(
  name: string,
  weight: number,
  document: JsonObject,
  accepts: (read: JsonObject) => boolean | Promise<boolean>,
  covered?: (value: JsonValue) => JsonValue,
): Target {
  const readsAsGenuine = (bytes: Buffer) => {
    const read = parsed(bytes);
    return isObject(read) && accepts(read);
  };
  return bytesTarget(name, weight, Buffer.from(JSON.stringify(document)), readsAsGenuine, covered);
}

/** One good signature suffices, so another one may be broken. */
function withoutSignatures(card: JsonValue): JsonValue {
  if (!isObject(card)) return card;
  const { signatures: _, ...signed } = card;
  return signed;
}

/** When a receipt was signed is only a claim of who brings it; the gateway makes none. */
function withoutClaims(receipts: JsonValue): JsonValue {
  return (receipts as JsonObject[]).map(({ signatures, ...signed }) => {
    const rows = (signatures as JsonObject[]).map(({ signed_at: _, ...row }) => row);
    return { ...signed, signatures: rows };
  });
}

function isSignedHead(read: JsonObject, keys: VerificationKeys): boolean {
  const head = treeHead.safeParse(read);
  return head.success && verifyTreeHead(head.data, keys) === 'ok';
}

async function isSignedCard(read: JsonObject, { keys }: JsonObject): Promise<boolean> {
  const trusted = { from: 'pinned', keys: keys as JsonValue[] } as const;
  const { status, covers } = await verifyCard(read, async () => trusted, Date.now());
  return status === 'verified' && covers === 'card';
}

/** The checkpoint is read from its file, as by the start. */
function checkpointTarget(path: string, keys: KeyRegistry): Target {
  const folder = mkdtempSync(join(tmpdir(), 'harn-checkpoint-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, 'checkpoint');
  return bytesTarget('checkpoints', 2, readFileSync(path), (bytes) => {
    writeFileSync(copy, bytes);
    return readCheckpoint(copy, keys).status === 'ok';
  });
}

async function receiptTarget(): Promise<Target> {
  const fixture = (name: string): JsonValue =>
    JSON.parse(readFileSync(`${PACKAGE_ROOT}fixtures/receipts/${name}`, 'utf8'));
  const keys = keysOfJwks(fixture('jwks.json'));
  const file = Buffer.from(JSON.stringify(fixture('valid/chain.json')));
  return bytesTarget('receipts', 8, file, (bytes) => verifyFile(bytes, { keys }).ok, withoutClaims);
}

function bundleTarget(text: string, keys: VerificationKeys): Target {
  return bytesTarget('bundles', 1, Buffer.from(text), (bytes) => {
    try {
      return verifyManifest(new BundleFile(inMemory(bytes)), keys)?.by === 'known_key';
    } catch (error) {
      if (error instanceof InvalidBundleError || error instanceof ProtocolError) return false;
      throw error;
    }
  });
}

function flip(bytes: Buffer, at: number, bit: number): void {
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
}

function parsed(bytes: Buffer): JsonValue | undefined {
  try {
    return parseStrict(bytes, { maxBytes: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (error instanceof ProtocolError) return undefined;
    throw error;
  }
}

/** What is covered of a value, in canonical bytes; undefined for what is no JSON. */
function meaningOf(bytes: Buffer, covered: (value: JsonValue) => JsonValue): string | undefined {
  const value = parsed(bytes);
  return value === undefined ? undefined : canonicalJson(covered(value));
}
