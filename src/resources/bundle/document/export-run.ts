import type { Spool } from '#protocol/bytes.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { BundleMode } from '../session-bundle-schema.ts';
import { type BundleFacts, bundleSections, redactionSection } from './build-bundle.ts';
import { type ManifestKey, signManifest } from './manifest.ts';
import type { Turn } from './paced.ts';
import { BundleRedaction, type PieceRedactor } from './redact-bundle.ts';
import { RedactionEntries } from './redaction-entries.ts';
import type { RunRecord } from './run-record.ts';
import { type Streamed, writeBundle } from './write-bundle.ts';

export interface ExportOptions extends BundleFacts {
  mode: BundleMode;
  redactor: PieceRedactor;
  metadata?: JsonObject;
  receipts?: Streamed;
  signingKeys?: JsonObject;
  /** Without it the bundle has no manifest. */
  key?: ManifestKey;
  /** Where the list of replacements lies that is too long to be held. Default: it is held all the same. */
  spool?: Spool;
  turn?: Turn;
}

/** The JSON text of the bundle of a run, piece by piece. */
export function exportRun(record: RunRecord, options: ExportOptions): AsyncGenerator<string, void> {
  const { mode, redactor, metadata = {}, receipts, signingKeys, key, createdAt, spool, turn } = options;
  const tree = { sections: bundleSections(record, options), metadata, receipts, signingKeys };
  const sign =
    key && ((sections: Readonly<Record<string, string>>) => signManifest(sections, key, createdAt));
  const redaction = new BundleRedaction(mode, redactor, new RedactionEntries({ spool, turn }));
  return writeBundle(tree, redaction, redactionSection(mode), sign);
}
