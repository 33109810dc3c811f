import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { FORMS } from '#eventlog/migrate/forms.ts';
import type { JsonValue } from '#protocol/json.ts';
import { keysOfJwks, verifySignature } from '#receipts/verification-keys.ts';
import {
  type BackedUpFile,
  type BackupEnd,
  type BackupHeader,
  backedUpFile,
  backupEnd,
  backupHeader,
} from '#resources/backup/schema.ts';
import { BlockStreamError, decodeOps, LAST_BLOCK, readBlocks } from '#store/block-stream.ts';
import type { WriteOp } from '#store/store.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Types of the blocks of a backup, in the order in which they stand; `bytes` follow their `file`. */
export const BLOCKS = {
  header: 'H',
  records: 'R',
  file: 'F',
  bytes: 'D',
  secrets: 'S',
  end: LAST_BLOCK,
} as const;

/** Nearly as small as the slowest, at a third of the time. */
const LEVEL = 3;
/** What a block may become when it is unpacked. */
const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024;

export const pack = (bytes: Uint8Array): Promise<Buffer> => deflate(bytes, { level: LEVEL });
const unpack = (bytes: Buffer): Promise<Buffer> => inflate(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });

/** What the gateway signs at the end of a backup. */
export const signedText = (digest: string): Buffer => Buffer.from(`harn-gateway backup\n${digest}`);

/** A backup cannot be used; the message says why and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Where bytes come from, and what they are called. */
export interface BackupSource {
  name: string;
  open(): AsyncIterable<Uint8Array>;
}

export type BackupItem =
  | { kind: 'header'; header: BackupHeader }
  /** Unpacked when it is asked for. */
  | { kind: 'records'; ops(): Promise<WriteOp[]> }
  | { kind: 'file'; file: BackedUpFile }
  | { kind: 'bytes'; bytes(): Promise<Buffer> }
  | { kind: 'secrets'; sealed: string }
  | { kind: 'end'; end: BackupEnd };

/**
 * What is in the backups of a source, which follow each other: hashes and signature of each are checked, and that it goes on where the
 * one before it ended; `before` is that one for the first. `trusted`: a JWKS with the keys that count; default: the keys that the
 * backup names itself. Throws BackupError.
 */
export async function* readBackup(
  { name, open }: BackupSource,
  before?: BackupHeader,
  trusted?: JsonValue,
): AsyncGenerator<BackupItem, void> {
  let header: BackupHeader | undefined;
  let previous = before;
  try {
    for await (const { type, bytes, digestBefore } of readBlocks(open())) {
      if ((header === undefined) !== (type === BLOCKS.header)) throw new BlockStreamError('damaged', 0);
      if (type === BLOCKS.header) {
        header = jsonOf(backupHeader, bytes);
        refuseForm(name, header);
        refuseGap(name, header, previous);
        yield { kind: 'header', header };
      } else if (type === BLOCKS.records)
        yield { kind: 'records', ops: async () => decodeOps(await unpack(bytes)) };
      else if (type === BLOCKS.file) yield { kind: 'file', file: jsonOf(backedUpFile, bytes) };
      else if (type === BLOCKS.bytes) yield { kind: 'bytes', bytes: () => unpack(bytes) };
      else if (type === BLOCKS.secrets) yield { kind: 'secrets', sealed: bytes.toString('latin1') };
      else if (type === BLOCKS.end && header !== undefined) {
        const end = jsonOf(backupEnd, bytes);
        refuseForged(name, { end, digest: digestBefore }, trusted ?? header.signing_keys);
        yield { kind: 'end', end };
        previous = header;
        header = undefined;
      } else throw new BlockStreamError('damaged', 0);
    }
  } catch (error) {
    throw inWords(name, error);
  }
}

/** What stands first in a backup; the rest is not looked at. Throws BackupError. */
export async function readHeader({ name, open }: BackupSource): Promise<BackupHeader> {
  try {
    for await (const { type, bytes } of readBlocks(open()))
      if (type === BLOCKS.header) return jsonOf(backupHeader, bytes);
      else break;
    throw new BlockStreamError('damaged', 0);
  } catch (error) {
    throw inWords(name, error);
  }
}

function inWords(name: string, error: unknown): unknown {
  return error instanceof BlockStreamError ? new BackupError(WORDS[error.fault](name, error.at)) : error;
}

const WORDS = {
  foreign: (name) => `${name} is no backup of this program. Name the folder, or a file, that "backup" wrote.`,
  cut: (name, at) =>
    `${name} is cut off: it ends at byte ${at}, before its end. Copy it again from where it is whole, or take an earlier backup.`,
  damaged: (name, at) =>
    `${name} is damaged at byte ${at}: it is not what was written. Copy it again from where it is whole, or take an earlier backup.`,
} as const satisfies Record<BlockStreamError['fault'], (name: string, at: number) => string>;

interface Shape<Value> {
  safeParse(value: JsonValue): { success: true; data: Value } | { success: false };
}

/** A block under a right hash that is not of the shape was made by somebody else. */
function jsonOf<Value>(shape: Shape<Value>, bytes: Buffer): Value {
  let value: JsonValue;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new BlockStreamError('damaged', 0);
  }
  const read = shape.safeParse(value);
  if (!read.success) throw new BlockStreamError('damaged', 0);
  return read.data;
}

function refuseForm(name: string, { schema, gateway }: BackupHeader): void {
  if (schema === FORMS.current) return;
  throw new BackupError(
    `${name} was made by ${gateway}, whose log has the form ${schema}; this version has ${FORMS.current}. ` +
      'Restore it with that version, and run "harn-gateway log migrate" of this one then.',
  );
}

/** Throws where a backup does not go on behind the one before it. */
export function refuseGap(name: string, header: BackupHeader, before: BackupHeader | undefined): void {
  const { since } = header;
  if (before === undefined) {
    if (since === null) return;
    throw new BackupError(
      `${name} is an increment: it goes on behind commit ${since.commit}, and the backup before it is not here. ` +
        'Put it and the full one into one folder, and name that.',
    );
  }
  if (header.log_id !== before.log_id)
    throw new BackupError(
      `${name} is of another gateway (log ${header.log_id}, not ${before.log_id}). Take it out of here.`,
    );
  const { commit, hash } = before.checkpoint;
  if (since?.commit === commit && since.hash === hash) return;
  throw new BackupError(
    since === null
      ? `${name} is a full backup, which goes on behind no other. Give it alone.`
      : `${name} goes on behind commit ${since.commit}, and the backup before it ends with commit ${commit}` +
          `${since.commit === commit ? ' of another history' : ''}: one is missing. ` +
          'Bring it back, or name the last file before the gap.',
  );
}

function refuseForged(
  name: string,
  { end, digest }: { end: BackupEnd; digest: string },
  trusted: JsonValue,
): void {
  const { key_id: keyId, signature } = end;
  const claim = { keyId, bytes: signedText(digest), signature, timesMs: [] };
  const verdict = verifySignature(keysOfJwks(trusted), claim);
  if (end.digest === digest && verdict === 'ok') return;
  throw new BackupError(
    `${name} does not carry a signature of its gateway (${verdict}): it is not to be believed. Take another backup.`,
  );
}
