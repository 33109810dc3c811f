import { existsSync, readFileSync } from 'node:fs';
import type { Spool } from '#protocol/bytes.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { Redactor } from '#redaction/redactor.ts';
import { SecretMarkers } from '#redaction/secret-markers.ts';
import { BundleFile } from '#resources/bundle/document/bundle-file.ts';
import { inMemory } from '#resources/bundle/document/byte-window.ts';
import { exportRun } from '#resources/bundle/document/export-run.ts';
import type { RunRecord } from '#resources/bundle/document/run-record.ts';
import { validateBundle } from '#resources/bundle/document/validate-bundle.ts';
import type { BundleMode } from '#resources/bundle/session-bundle-schema.ts';

/** The bundles of the specification; only where the repository lies beside them. */
export const REFERENCE = new URL('../../../../../shared/spec/session-bundles/', import.meta.url);
export const hasReference = existsSync(REFERENCE);
if (!hasReference) console.warn('skipped: the reference bundles are not beside the project');
export const OWN = new URL('../../../../fixtures/bundles/', import.meta.url);

export const markers = new SecretMarkers();

export function readJson(path: string | URL): JsonObject {
  return JSON.parse(readFileSync(path, 'utf8'));
}

export interface Asked {
  attachments?: boolean;
  redactor?: Redactor;
  spool?: Spool;
}

/** The text of the bundle of a run record, piece by piece. */
export function bundlePieces(
  record: JsonObject,
  mode: BundleMode,
  asked: Asked = {},
): AsyncGenerator<string> {
  return exportRun(record as RunRecord, {
    bundleId: 'bundle_test',
    createdAt: '2026-05-01T00:00:30.000Z',
    producer: { name: 'harn-gateway', version: 'test' },
    attachments: asked.attachments ?? true,
    mode,
    redactor: asked.redactor ?? new Redactor(),
    ...(asked.spool === undefined ? {} : { spool: asked.spool }),
  });
}

/** All of it. */
export async function bundleText(record: JsonObject, mode: BundleMode, asked: Asked = {}): Promise<string> {
  let text = '';
  for await (const piece of bundlePieces(record, mode, asked)) text += piece;
  return text;
}

export async function bundleOf(record: JsonObject, mode: BundleMode, asked: Asked = {}): Promise<JsonObject> {
  return JSON.parse(await bundleText(record, mode, asked));
}

/** The message with which a bundle is refused; undefined when it is not. */
export function refusalOf(bundle: JsonValue | string, allowSecretMarkers = false): string | undefined {
  const text = typeof bundle === 'string' ? bundle : JSON.stringify(bundle);
  try {
    validateBundle(new BundleFile(inMemory(Buffer.from(text))), { markers, allowSecretMarkers });
    return undefined;
  } catch (error) {
    if (error instanceof Error && error.name === 'InvalidBundleError') return error.message;
    throw error;
  }
}

/** What no equality between bundles includes: ids, times and the host that made them. */
export function compared(bundle: JsonObject): JsonObject {
  const { bundle_id, created_at, producer, runtime, metadata, ...rest } = bundle;
  return rest;
}
