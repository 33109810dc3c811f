import { load } from '#core/load.ts';
import { nextTurn, turnsOf } from '#core/next-turn.ts';
import type { Query, QueryTools } from '#core/query.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import type { Answer } from '#gateway.ts';
import { sha256Hex } from '#json/canonical.ts';
import { holdsScope } from '#policy/access.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { type CleanErasedState, erasureKeys } from '#resources/erasure/state.ts';
import type { SessionFold } from '#resources/session/state.ts';
import { receiptKey } from '#store/keys.ts';
import { InvalidBundleError } from './document/bundle-fault.ts';
import { BundleFile } from './document/bundle-file.ts';
import { exportRun } from './document/export-run.ts';
import { bundleId } from './document/file-export.ts';
import { faultOfBundle, validateInTurns } from './document/validate-bundle.ts';
import { verifyManifestInTurns } from './document/verify-manifest.ts';
import { Streamed } from './document/write-bundle.ts';
import { ExportedRun, type ExportScope, refuseOpen } from './exported-run.ts';
import type { ImportState } from './fold-imported.ts';
import { MaterialReader } from './material-reader.ts';
import { runRecordOf } from './run-record.ts';
import type { BundleValidation } from './schema.ts';
import type { SessionBundle } from './session-bundle-schema.ts';
import { bundleKeys } from './state.ts';

/** Text is handed on in chunks of about this size. */
const CHUNK_CHARS = 64 * 1024;

/** Streams the bundle: what it costs in memory does not grow with the Session. */
export const exportBundle: Query<'exportBundle'> = async ({ body }, tools) => {
  const { log, caller, bundles, time } = tools;
  const scope = scopeOf(body, tools);
  const { session } = scope;
  const run = new ExportedRun(log, scope);
  const imported = log.state<ImportState>(bundleKeys.sessionImport(run.sessionId));
  const reader = new MaterialReader(log, holdsScope(caller, 'internal:read'));
  const { mode, include_attachments: attachments } = body;
  const throughOriginal = imported?.newest_original ?? scope.throughId;
  const issuer = imported?.done?.issuer ?? bundles.issuer;
  const record = await runRecordOf(run, { reader, issuer, attachments, throughOriginal });
  const named = [session.resource.id, scope.task?.resource.id ?? null, mode, attachments, scope.throughId];
  const id = bundleId(sha256Hex(JSON.stringify(named)));
  const text = exportRun(record, {
    bundleId: id,
    createdAt: time,
    producer: { name: 'harn-gateway', version: bundles.version },
    attachments,
    mode,
    redactor: bundles.redactor,
    receipts: receiptTexts(run, log),
    signingKeys: exportedKeys(bundles.publicKeys(), imported?.signing_keys),
    key: bundles.key(),
    spool: bundles.spool,
    turn: nextTurn,
  });
  const chunks = inChunks(text);
  const fileName = `${session.resource.id}.bundle.json`;
  return {
    status: 200,
    body: { kind: 'bytes', mimeType: 'application/json', size: undefined, fileName, chunks },
  };
};

function scopeOf(
  { session_id, task_id }: { session_id?: string | undefined; task_id?: string | undefined },
  { reader, caller, log }: QueryTools,
): ExportScope {
  const task = task_id === undefined ? undefined : load(reader, caller, 'task', task_id, 'task_id');
  const sessionId = task?.resource.session_id ?? session_id ?? '';
  const session: SessionFold = load(reader, caller, 'session', sessionId, 'session_id');
  refuseOpen({ session, task });
  const erased = reader.get<CleanErasedState>(erasureKeys.erasedIn(sessionId));
  if (erased !== undefined) {
    const { erasure_id } = erased;
    const message = `Parts of this Session were erased, so that it cannot be handed on whole. ${erasure_id} says by whom and under which rule.`;
    throw new ProtocolError('conflict', message, {
      details: { session_id: sessionId, erased: true, erasure_id },
    });
  }
  if (log.isCut(sessionId)) {
    const message =
      'Retention has removed the beginning of this Session, so that it cannot be handed on whole.';
    throw new ProtocolError('cursor_expired', message, { details: { session_id: sessionId } });
  }
  return { session, task, throughId: session.resource.last_event_id ?? log.head.eventId };
}

async function* inChunks(text: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let held: string[] = [];
  let chars = 0;
  for await (const piece of text) {
    held.push(piece);
    chars += piece.length;
    if (chars < CHUNK_CHARS) continue;
    yield Buffer.from(held.join(''));
    held = [];
    chars = 0;
  }
  yield Buffer.from(held.join(''));
}

/** A finding, not an error: whoever asks wants to know. Given up with `client_closed_request` when nobody does any more. */
export const validateBundle: Query<'validateBundle'> = async ({ body, query }, { bundles, signal }) => {
  const turn = turnsOf(signal);
  const file = new BundleFile(body.spooled);
  const allowSecretMarkers = query.allow_unsafe_secret_markers === 'true';
  try {
    const bundle = await validateInTurns(file, { markers: bundles.markers, allowSecretMarkers }, turn);
    const manifest = await verifyManifestInTurns(file, bundles.verificationKeys(), turn);
    return found(bundle, { signed_by: manifest?.by ?? null });
  } catch (error) {
    const fault = faultOfBundle(error);
    if (!(fault instanceof InvalidBundleError)) throw fault;
    return found(null, {
      step: fault.step,
      path: fault.path,
      reason: `invalid session bundle: ${fault.message}`,
    });
  }
};

function found(bundle: SessionBundle | null, finding: Partial<BundleValidation>): Answer {
  const value: BundleValidation = {
    object: 'bundle_validation',
    valid: bundle !== null,
    bundle_id: bundle?.bundle_id ?? null,
    mode: bundle?.redaction.mode ?? null,
    step: null,
    path: null,
    reason: null,
    signed_by: null,
    ...finding,
  };
  return { status: 200, body: { kind: 'json', value } };
}

/** The receipts in the order of their issue, each as the text of its canonical bytes. */
function receiptTexts(run: ExportedRun, log: EventLog): Streamed {
  return new Streamed(async function* () {
    for await (const { event, resource } of run.events(/^receipt\.issued$/)) {
      const bytes = event === 'receipt.issued' ? log.record(receiptKey(resource.id)) : undefined;
      if (bytes !== undefined) yield bytes.toString('utf8');
    }
  });
}

/** The keys of this gateway, and of the one a Session was recorded on, each once. */
function exportedKeys(own: JsonObject, brought: JsonObject | undefined): JsonObject {
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
