import type { EventLog } from '#eventlog/event-log.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { receiptKey } from '#store/keys.ts';
import { Streamed } from './document/write-bundle.ts';
import type { ExportedRun } from './exported-run.ts';

/** The receipts in the order of their issue, each as the text of its canonical bytes. */
export function receiptTexts(run: ExportedRun, log: EventLog): Streamed {
  return new Streamed(async function* () {
    for await (const { event, resource } of run.events(/^receipt\.issued$/)) {
      const bytes = event === 'receipt.issued' ? log.record(receiptKey(resource.id)) : undefined;
      if (bytes !== undefined) yield bytes.toString('utf8');
    }
  });
}

/** The keys of this gateway, and of the one a Session was recorded on, each once. */
export function exportedKeys(own: JsonObject, brought: JsonObject | undefined): JsonObject {
  return {
    keys: each(listOf(own, 'keys'), listOf(brought, 'keys')),
    revoked_keys: each(listOf(own, 'revoked_keys'), listOf(brought, 'revoked_keys')),
  };
}

function each(first: readonly JsonObject[], others: readonly JsonObject[]): JsonObject[] {
  const known = new Set(first.map(({ kid }) => kid));
  return [...first, ...others.filter(({ kid }) => !known.has(kid))];
}

function listOf(document: JsonObject | undefined, name: string): JsonObject[] {
  const found: JsonValue = document?.[name] ?? [];
  return Array.isArray(found) ? (found as JsonObject[]) : [];
}
