import { createHash } from 'node:crypto';
import { canonicalJson } from '#json/canonical.ts';
import type { Spool } from '#protocol/bytes.ts';
import type { BundleMode } from '../session-bundle-schema.ts';
import type { BundleFile } from './bundle-file.ts';
import { piecesOf } from './bundle-pieces.ts';
import { exportRun } from './export-run.ts';
import { atOnce } from './paced.ts';
import type { PieceRedactor } from './redact-bundle.ts';
import { treeOf } from './restore-run-record.ts';
import { type RunRecord, runRecordSchema } from './run-record.ts';
import { decoded, faultOfBundle } from './validate-bundle.ts';
import { hashValue } from './verify-manifest.ts';

const ID_DIGITS = 26;

export interface FileExport {
  mode: BundleMode;
  attachments: boolean;
  redactor: PieceRedactor;
  version: string;
  /** Where the list of replacements lies that is too long to be held. */
  spool: Spool;
}

/**
 * The bundle of a run record that lies in a file: a function of the record and of what is asked, so that the same export gives
 * the same bytes. The file is read in parts while the bundle is written. Throws InvalidBundleError for a file that is no run
 * record.
 */
export function exportRunRecord(file: BundleFile, { mode, attachments, ...given }: FileExport) {
  const { finished_at, started_at } = headOf(file);
  const createdAt = [finished_at, started_at].find((time) => typeof time === 'string' && time !== '');
  return exportRun(treeOf(file, file.root) as RunRecord, {
    bundleId: bundleId(digestOf(file, mode, attachments)),
    createdAt: typeof createdAt === 'string' ? createdAt : 'unknown',
    producer: { name: 'harn-gateway', version: given.version },
    attachments,
    mode,
    redactor: given.redactor,
    spool: given.spool,
  });
}

/** What makes it a run record; all of it was read strictly then. */
function headOf(file: BundleFile): { [name: string]: unknown } {
  try {
    const head = decoded(runRecordSchema, file.skeleton(), '$');
    for (const _ of piecesOf(file));
    return head;
  } catch (error) {
    throw faultOfBundle(error);
  }
}

/** Of the RFC 8785 form of the record and of what is asked. */
function digestOf(file: BundleFile, mode: BundleMode, attachments: boolean): string {
  const hash = createHash('sha256').update('[');
  atOnce(hashValue(file, file.root, hash));
  return hash.update(`,${canonicalJson(mode)},${attachments}]`).digest('hex');
}

/** The id of a bundle follows from the hash of what it is made of. */
export function bundleId(digest: string): string {
  return `bundle_${digest.slice(0, ID_DIGITS).toUpperCase()}`;
}
