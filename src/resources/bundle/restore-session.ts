import type { DecisionTools } from '#core/facts.ts';
import { refuseLeft, turnsOf } from '#core/next-turn.ts';
import type { Event, EventLog, NewEvent, Origin, Projection, Transaction } from '#eventlog/event-log.ts';
import { buildEvent } from '#eventlog/fold-record.ts';
import type { ByteSource } from '#protocol/bytes.ts';
import { asCleanObject, type Clean, type CleanObject } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { VerificationKeys } from '#receipts/verification-keys.ts';
import { appendToReceiptLog } from '#resources/receipt/issue-receipt.ts';
import { hashOf } from '#resources/replay/record/compare.ts';
import { tombstoneOf } from '#resources/session/session-removal.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import { frameKey, partKey, receiptKey } from '#store/keys.ts';
import type { BundleTools } from './bundle-tools.ts';
import { InvalidBundleError } from './document/bundle-fault.ts';
import { BundleFile } from './document/bundle-file.ts';
import { type CheckedPlan, checkPlan } from './document/check-plan.ts';
import { ForeignPlan } from './document/foreign-plan.ts';
import { inTurns, type Turn } from './document/paced.ts';
import { RedactedRows } from './document/redacted-rows.ts';
import {
  isOfGateway,
  type Plan,
  type RestoredEvent,
  type RestoredFrame,
  RestorePlan,
} from './document/restore-plan.ts';
import { faultOfBundle, validateInTurns } from './document/validate-bundle.ts';
import { broughtKeys, verifyManifestInTurns } from './document/verify-manifest.ts';
import type { SessionImported } from './events.ts';
import { type ImportedMark, type ImportState, originalEvent } from './fold-imported.ts';
import { refuseForeign } from './own-writer.ts';
import { contentBytes, restoreAsset, restoreContent } from './restore-contents.ts';
import type { SessionBundle } from './session-bundle-schema.ts';
import { bundleKeys } from './state.ts';

const ID_DIGITS = 26;

export interface RestoreRequest {
  source: ByteSource;
  allowSecretMarkers: boolean;
  origin: Origin;
}

/** What was restored; its last event and its Workspace are for the command that asked, which makes it visible. */
export interface Restored {
  sessionId: string;
  workspaceId: string;
  tasks: string[];
  /** False where the same bundle was imported before. */
  isNew: boolean;
  summary: SessionImported;
}

export interface RestoreParts {
  log: EventLog;
  bundles: BundleTools;
  redact: DecisionTools['redact'];
  project: Projection;
}

/**
 * Writes the history of a bundle into the log, in many commits that nobody sees: they are of a Workspace that does not exist
 * yet. A crash leaves some of them; the same bundle goes on after them. Throws `invalid_request` for a bundle that is refused,
 * `conflict` for a Session that is here already and is another one, and `client_closed_request` where `signal` says that
 * whoever asked went away before anything was written; what was begun is finished.
 */
export async function restoreSession(
  parts: RestoreParts,
  request: RestoreRequest,
  signal: AbortSignal,
): Promise<Restored> {
  const prepared = await inWords(() => prepare(parts, request, turnsOf(signal)));
  refuseLeft(signal);
  const { plan, restored } = prepared;
  const known = stateOf(parts.log, plan.sessionId, restored);
  if (known?.done) return { ...restored, isNew: false };
  await new Restoring(parts, request.origin, prepared).run(known?.events ?? 0);
  return restored;
}

interface Prepared {
  plan: Plan;
  checked: CheckedPlan;
  restored: Restored;
  /** A JWKS document. */
  signingKeys: JsonObject;
}

async function prepare(
  { bundles }: RestoreParts,
  { source, allowSecretMarkers }: RestoreRequest,
  turn: Turn,
): Promise<Prepared> {
  await turn();
  const file = new BundleFile(source);
  const bundle = await validateInTurns(file, { markers: bundles.markers, allowSecretMarkers }, turn);
  const manifest = await verifyManifestInTurns(file, bundles.verificationKeys(), turn);
  const plan = await planOf(file, bundle, turn);
  const keys: VerificationKeys = new Map([...broughtKeys(file), ...bundles.verificationKeys()]);
  const checked = await checkPlan(plan, keys, turn);
  const { digest } = checked;
  const brought = file.find('metadata', 'signing_keys');
  const summary: SessionImported = {
    bundle_id: bundle.bundle_id,
    mode: plan.mode,
    digest,
    events: checked.events,
    issuer: plan.issuer,
    manifest_key_id: manifest?.keyId ?? null,
  };
  const workspaceId = `workspace_${digest.slice(0, ID_DIGITS).toUpperCase()}`;
  const restored = { sessionId: plan.sessionId, workspaceId, tasks: checked.tasks, isNew: true, summary };
  const signingKeys = brought === undefined ? { keys: [] } : (file.parse(brought) as JsonObject);
  return { plan, checked, restored, signingKeys };
}

async function planOf(file: BundleFile, bundle: SessionBundle, turn: Turn): Promise<Plan> {
  if (!isOfGateway(file)) return new ForeignPlan(file, bundle);
  const redacted = await inTurns(RedactedRows.of(file), turn);
  return new RestorePlan(file, bundle.redaction.mode, redacted);
}

/** How far an earlier import of the same bundle came; undefined for a Session that is not here. */
function stateOf(
  log: EventLog,
  sessionId: string,
  { summary, workspaceId }: Restored,
): ImportState | undefined {
  const tombstone = tombstoneOf(log, sessionId);
  if (tombstone?.erasure_id !== undefined) throw erasedHere(sessionId, tombstone.erasure_id);
  if (tombstone !== undefined)
    throw new ProtocolError(
      'conflict',
      'This Session was here, and retention removed it: its ids are not used again. Import the bundle into another gateway.',
      { details: { session_id: sessionId } },
    );
  const state = log.state<ImportState>(bundleKeys.sessionImport(sessionId));
  const isSame = state?.done ? state.done.digest === summary.digest : state?.workspace_id === workspaceId;
  if (isSame) return state;
  if (state === undefined && log.state<CleanSessionFold>(sessionKeys.session(sessionId)) === undefined)
    return undefined;
  const message = 'This Session is here already, with other content. Import the bundle into another gateway.';
  throw new ProtocolError('conflict', message, { details: { session_id: sessionId } });
}

/** What was erased must not come back. */
function erasedHere(session_id: string, erasure_id: string): ProtocolError {
  const message = 'This Session was here and was erased: a bundle of it must not bring it back.';
  return new ProtocolError('conflict', message, { details: { session_id, erased: true, erasure_id } });
}

/** One import at work; rows of every kind are written side by side, so that every transaction is small. */
class Restoring {
  readonly #parts: RestoreParts;
  readonly #origin: Origin;
  readonly #prepared: Prepared;

  constructor(parts: RestoreParts, origin: Origin, prepared: Prepared) {
    this.#parts = parts;
    this.#origin = origin;
    this.#prepared = prepared;
  }

  /** `done`: events that an earlier import wrote already. */
  async run(done: number): Promise<void> {
    const { plan } = this.#prepared;
    if (done === 0) await this.#layReady();
    const events = batched(plan.events(done), ({ event }) => contentBytes(event));
    const frames = batched(plan.frames());
    const receipts = this.#receiptsAfter(done);
    for (;;) {
      const rows = [events.next(), frames.next()] as const;
      const [eventRows, frameRows] = rows;
      if (rows.every(({ done: isOver }) => isOver)) break;
      await this.#transact((tx) => {
        const after = tx.position;
        for (const row of frameRows.value ?? []) this.#recordFrame(tx, row, after);
        for (const row of eventRows.value ?? []) {
          if (row.event.event === 'receipt.issued')
            recordOnce(tx, receiptKey(row.event.resource.id), String(receipts.next().value));
          this.#append(tx, row);
        }
      });
    }
    const { checked, restored } = this.#prepared;
    for (const read of checked.assets)
      await this.#transact((tx) => restoreAsset(tx, this.#parts.redact, read(), restored.workspaceId));
  }

  /** The pieces of content come before all events: the one that says what they are takes them up. */
  async #layReady(): Promise<void> {
    const { plan, checked } = this.#prepared;
    for (const rows of batched(plan.pieces(), ({ bytes }) => bytes.length))
      await this.#transact((tx) => {
        for (const { row, bytes } of rows) {
          const { artifact_id: id, n } = row;
          const range = checked.pieces.get(id);
          if (range && n >= range.first && n < range.end) recordOnce(tx, partKey(id, n), bytes);
        }
      });
  }

  /** A receipt is written with the event that names it. */
  #receiptsAfter(done: number): Generator<string> {
    const { plan } = this.#prepared;
    const receipts = plan.receipts();
    let left = done;
    for (const { event } of plan.events()) {
      if (left === 0) break;
      left -= 1;
      if (event.event === 'receipt.issued') receipts.next();
    }
    return receipts;
  }

  #transact(write: (tx: Transaction) => void): Promise<void> {
    return this.#parts.log.transact(this.#origin, write);
  }

  #recordFrame(tx: Transaction, { row, withheld }: RestoredFrame, after: string): void {
    const { task_id, n, content, concealed, ...head } = row;
    const { value: frame, hit } = this.#parts.redact(content);
    const imported = { after, ...(withheld || hit ? { withheld: true } : {}) };
    recordOnce(tx, frameKey(task_id, n), JSON.stringify({ ...head, imported, frame }));
  }

  #append(tx: Transaction, restored: RestoredEvent): void {
    const { event } = restored;
    if (event.resource.object !== 'artifact') this.#appendEvent(tx, restored, true);
    else
      restoreContent(tx, event, this.#prepared.restored.workspaceId, (isWhole) =>
        this.#appendEvent(tx, restored, isWhole),
      );
  }

  /** `hasContent`: false for one that fixes content which is not there as it says. */
  #appendEvent(
    tx: Transaction,
    { event, sha256, withheld, opaque }: RestoredEvent,
    hasContent: boolean,
  ): void {
    const { restored, plan, signingKeys } = this.#prepared;
    const { redact, project } = this.#parts;
    const { value: payload, hit } = redact(event.payload);
    const mark = redact<ImportedMark>({
      original_event_id: event.id,
      previous_event_id: event.previous_event_id,
      sequence: event.sequence,
      workspace_id: event.workspace_id,
      sha256,
      ...(withheld || hit ? { withheld: true as const } : {}),
      ...(opaque ? { opaque: true as const } : {}),
      ...(event.event === 'session.created' ? { tenant_id: plan.tenantId, signing_keys: signingKeys } : {}),
      ...(hasContent && this.#hasContent(event) ? {} : { content_omitted: true as const }),
      ...leafOf(tx, event),
    }).value;
    const clean = { ...event, payload, metadata: redact(event.metadata).value };
    refuseForeign(preview(clean, mark, restored.workspaceId), tx, restored, project);
    const appended = tx.append(importedEvent(clean, mark, restored.workspaceId));
    if (!mark.withheld && hashOf(originalEvent(appended) as unknown as JsonValue) !== sha256)
      throw new ProtocolError(
        'invalid_request',
        `invalid session bundle: event ${event.id} has members of its own`,
      );
  }

  /** Whether all of what an Artifact holds came along, as far as an event describes it. */
  #hasContent({ payload, resource }: Event): boolean {
    const { store, pieces } = payload as { store?: string; pieces?: number };
    if (resource.object !== 'artifact' || store === undefined || store === 'none' || pieces === 0)
      return true;
    return this.#prepared.checked.pieces.has(resource.id);
  }
}

/** The receipt becomes a leaf of this gateway's own log: what it holds, it answers for. */
function leafOf(tx: Transaction, { event, payload, resource }: Event): Pick<ImportedMark, 'log_index'> {
  if (event !== 'receipt.issued') return {};
  const leaf = { receiptHash: String(payload['receipt_hash']), receiptId: resource.id };
  return { log_index: appendToReceiptLog(tx, leaf) };
}

/** Written before by an import that was cut. */
function recordOnce(tx: Transaction, key: string, value: Buffer | string): void {
  const there = tx.recorded(key);
  if (there === undefined) tx.record(key, value);
  else if (!there.equals(Buffer.from(value)) && !key.startsWith('f/'))
    throw new ProtocolError('conflict', `${key} is here already, and is another one.`);
}

async function inWords<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const fault = faultOfBundle(error);
    if (!(fault instanceof InvalidBundleError)) throw fault;
    throw new ProtocolError('invalid_request', `invalid session bundle: ${fault.message}`, {
      param: fault.path,
      details: { step: fault.step },
    });
  }
}

/** Rows of each kind written in one transaction: little enough that no request waits behind it. */
const BATCH = 200;
/** The same for bytes of content. */
const BATCH_BYTES = 16 * 1024 * 1024;

/** Rows by as many as one transaction writes; `bytesOf`: what a row brings along besides, by default nothing. */
function* batched<Row>(
  rows: Iterable<Row>,
  bytesOf: (row: Row) => number = () => 0,
): Generator<Row[], undefined> {
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    batch.push(row);
    bytes += bytesOf(row);
    if (batch.length < BATCH && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
  return undefined;
}

/** An event of a bundle whose content was read by the redactor. */
interface ImportedContent extends Event {
  payload: CleanObject;
  metadata: CleanObject;
}

/** An event of a bundle as the log takes it: in its own time, in the Workspace of the import. */
function importedEvent(event: ImportedContent, mark: Clean<ImportedMark>, workspaceId: string): NewEvent {
  const { actor, trace_id, span_id, created_at, session_id, task_id, receipt_id, replay } = event;
  return {
    event: event.event,
    resource: event.resource,
    workspace_id: workspaceId,
    ...(session_id === null ? {} : { session_id }),
    ...(task_id === null ? {} : { task_id }),
    ...(receipt_id === undefined ? {} : { receipt_id }),
    ...(replay === undefined ? {} : { replay }),
    payload: event.payload,
    metadata: {
      ...event.metadata,
      original_event_id: mark.original_event_id,
      imported: asCleanObject<ImportedMark>(mark),
    },
    recorded: { actor, trace_id, span_id, created_at },
  };
}

/** The event as it would be appended, to be folded without effect. */
function preview(event: ImportedContent, mark: Clean<ImportedMark>, workspaceId: string): Event {
  const input = importedEvent(event, mark, workspaceId);
  const content = { payload: input.payload, metadata: input.metadata ?? {} };
  const place = { id: event.id, sequence: 1, previousEventId: null, time: event.created_at };
  return buildEvent(input, content, { actor: event.actor }, place);
}
