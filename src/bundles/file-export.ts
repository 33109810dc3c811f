import { canonicalJson } from '../json/canonical.ts';
import { sha256Hex } from '../json/sha256.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { BundleMode } from '../protocol/resources/session-bundle.ts';
import { exportRun } from './export-run.ts';
import type { PieceRedactor } from './redact-bundle.ts';
import type { RunRecord } from './run-record.ts';
import { runRecordSchema } from './run-record.ts';
import { decoded } from './validate-bundle.ts';

const ID_DIGITS = 26;

export interface FileExport {
  mode: BundleMode;
  attachments: boolean;
  redactor: PieceRedactor;
  version: string;
}

/**
 * The bundle of a run record that lies in a file: a function of the record and of what is asked, so that the same export gives
 * the same bytes. Throws InvalidBundleError for a file that is no run record.
 */
export function exportRunRecord(record: JsonObject, { mode, attachments, redactor, version }: FileExport) {
  const { finished_at, started_at } = decoded(runRecordSchema, record, '$');
  const digest = sha256Hex(canonicalJson([record, mode, attachments]));
  const createdAt = [finished_at, started_at].find((time) => typeof time === 'string' && time !== '');
  return exportRun(record as RunRecord, {
    bundleId: bundleId(digest),
    createdAt: typeof createdAt === 'string' ? createdAt : 'unknown',
    producer: { name: 'harn-gateway', version },
    attachments,
    mode,
    redactor,
  });
}

/** The id of a bundle follows from the hash of what it is made of. */
export function bundleId(digest: string): string {
  return `bundle_${digest.slice(0, ID_DIGITS).toUpperCase()}`;
}
