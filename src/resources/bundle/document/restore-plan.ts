import type { Event } from '#eventlog/event-log.ts';
import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { type EmittedKind, EVENT_PAYLOADS } from '#resources/event-payloads.ts';
import type { BundleMode } from '../session-bundle-schema.ts';
import { InvalidBundleError } from './bundle-fault.ts';
import type { BundleFile } from './bundle-file.ts';
import { carriedAs } from './carried-events.ts';
import {
  decodeEvent,
  type EventRow,
  eventRow,
  type FrameRow,
  frameRow,
  gatewayHead,
  MAX_EVENT_BYTES,
  type PieceRow,
  pieceRow,
} from './gateway-rows.ts';
import { atIndex } from './json-path.ts';
import { type OuterAsset, outerAssets } from './outer-assets.ts';
import type { Steps } from './paced.ts';
import { WITHHELD } from './redact-bundle.ts';
import type { RedactedRows, RowList } from './redacted-rows.ts';
import { decoded } from './validate-bundle.ts';

const PATH = ['replay', 'run_record', 'harn_gateway'];
const WHERE = `$.${PATH.join('.')}`;

/** Without these there is nothing that could be restored. */
const ESSENTIAL = /^(?:session\.created|task\.|receipt\.issued$|artifact\.|session\.message_appended$)/;
/** Members of payloads that are objects. */
const OBJECTS = new Set(['input', 'binding', 'session_binding', 'details', 'update']);
/** Members that only an import writes. */
const OURS = ['imported', 'original_event_id'];

/** An event of the bundle, and whether all of it came. */
export interface RestoredEvent {
  event: Event;
  /** Of the event as it was recorded. */
  sha256: string;
  withheld: boolean;
  /** What was taken out leaves no payload of its kind. */
  opaque: boolean;
}

export interface RestoredFrame {
  row: FrameRow;
  withheld: boolean;
}

/** The same, with the hash of what is in the bundle. */
export type Hashed<Row> = Row & { ownHash: string };

/** What an import reads: first the `checked...` rows, all of them, then the rows again while they are written. */
export interface Plan {
  readonly sessionId: string;
  /** Workspace and tenant there. */
  readonly workspaceId: string;
  readonly tenantId: string | null;
  readonly issuer: string;
  readonly mode: BundleMode;
  checkedEvents(): Iterable<Hashed<RestoredEvent>>;
  checkedFrames(): Iterable<Hashed<RestoredFrame>>;
  events(from?: number): Generator<RestoredEvent>;
  frames(): Iterable<RestoredFrame>;
  pieces(): Iterable<{ row: PieceRow; bytes: Buffer }>;
  receipts(): Generator<string>;
  /** Assets that turns refer to and none of these events made. */
  outerAssets(made: ReadonlySet<string>): Steps<(() => OuterAsset)[]>;
}

/**
 * What the rows of a bundle are, read again and again from its bytes: `checked...` look at each and remember what came
 * incomplete, so that the later readings need not hash them again.
 */
export class RestorePlan implements Plan {
  readonly sessionId: string;
  readonly workspaceId: string;
  readonly issuer: string;
  readonly tenantId: string | null;
  readonly mode: BundleMode;
  readonly #file: BundleFile;
  readonly #redacted: RedactedRows;
  readonly #incomplete = { events: new Set<number>(), frames: new Set<number>() };

  /** Throws InvalidBundleError for a bundle whose record is not one of a gateway. */
  constructor(file: BundleFile, mode: BundleMode, redacted: RedactedRows) {
    const {
      format,
      session_id,
      workspace_id,
      issuer,
      tenant_id = null,
    } = decoded(gatewayHead, headOf(file), WHERE);
    if (format !== 1) throw new Error('the schema knows one format');
    this.sessionId = session_id;
    this.workspaceId = workspace_id;
    this.issuer = issuer;
    this.tenantId = typeof tenant_id === 'string' ? tenant_id : null;
    this.mode = mode;
    this.#file = file;
    this.#redacted = redacted;
  }

  /** Each checked against the hash of what was recorded. */
  *checkedEvents(): Generator<Hashed<RestoredEvent>> {
    let index = 0;
    for (const { value, where } of this.#rows('events')) {
      const { sha256, event: encoded, concealed } = decoded(eventRow, value, where);
      const event = decodeEvent(encoded as JsonObject);
      const isWhole = sha256 === hashOf(event);
      const mayDiffer = concealed === true || this.#redacted.has('events', index);
      if (!isWhole && !mayDiffer) throw changed(where);
      if (!isWhole) this.#incomplete.events.add(index);
      const found = withPayload(event, where, isWhole);
      const ownHash = isWhole ? sha256 : hashOf(found.event as unknown as JsonValue);
      yield { ...found, sha256, withheld: !isWhole, ownHash };
      index += 1;
    }
  }

  /** From one of them on, once all are checked. */
  *events(from = 0): Generator<RestoredEvent> {
    let index = from;
    for (const { value, where } of this.#rows('events', from)) {
      const { sha256, event: encoded } = value as unknown as EventRow;
      const event = decodeEvent(encoded as JsonObject);
      const withheld = this.#incomplete.events.has(index);
      yield withheld
        ? { ...withPayload(event, where, false), sha256, withheld }
        : { event: event as unknown as Event, opaque: isToldOnly(event), sha256, withheld };
      index += 1;
    }
  }

  /** Each checked against the hash of what was recorded. */
  *checkedFrames(): Generator<Hashed<RestoredFrame>> {
    let index = 0;
    for (const { value, where } of this.#rows('frames')) {
      const row = decoded(frameRow, value, where);
      const ownHash = hashOf(row.content);
      const isWhole = row.sha256 === ownHash;
      const mayDiffer = row.concealed === true || this.#redacted.has('frames', index);
      if (!isWhole && !mayDiffer) throw changed(where);
      if (!isWhole) this.#incomplete.frames.add(index);
      yield { row, withheld: !isWhole, ownHash };
      index += 1;
    }
  }

  /** Once all are checked. */
  *frames(): Generator<RestoredFrame> {
    let index = 0;
    for (const { value } of this.#rows('frames')) {
      yield { row: value as unknown as FrameRow, withheld: this.#incomplete.frames.has(index) };
      index += 1;
    }
  }

  /** Content of Artifacts; a piece that something was taken out of is none. */
  *pieces(): Generator<{ row: PieceRow; bytes: Buffer }> {
    let index = 0;
    for (const { value, where } of this.#rows('pieces')) {
      const row = decoded(pieceRow, value, where);
      const bytes = Buffer.from(row.content, row.encoding);
      const isWhole = row.sha256 === `sha256:${sha256Hex(bytes)}`;
      if (!isWhole && !this.#redacted.has('pieces', index)) throw changed(where);
      if (isWhole) yield { row, bytes };
      index += 1;
    }
  }

  /** The receipts as the text of their canonical bytes. */
  *receipts(): Generator<string> {
    for (const { index, value: text } of this.#file.values(this.#file.find('metadata', 'receipts'))) {
      const where = `$.metadata.receipts[${index}]`;
      if (typeof text !== 'string')
        throw new InvalidBundleError('typed_decode', where, `${where}: must be text`);
      yield text;
    }
  }

  outerAssets(made: ReadonlySet<string>): Steps<(() => OuterAsset)[]> {
    return outerAssets(this.#file, made);
  }

  *#rows(list: RowList, from = 0): Generator<{ value: JsonValue; where: string }> {
    const listing = list === 'events' ? { from, maxBytes: MAX_EVENT_BYTES } : { from };
    for (const { index, value } of this.#file.values(this.#file.find(...PATH, list), listing))
      yield { value, where: atIndex(`${WHERE}.${list}`, index) };
  }
}

/** Whether a gateway wrote it, and so put its own record of the Session into it. */
export function isOfGateway(file: BundleFile): boolean {
  return file.find(...PATH) !== undefined;
}

function headOf(file: BundleFile): JsonValue {
  const head = file.find(...PATH);
  return head === undefined ? null : file.skeleton(head);
}

function withPayload(
  event: JsonObject,
  where: string,
  isWhole: boolean,
): Pick<RestoredEvent, 'event' | 'opaque'> {
  const filled = isWhole ? event : (filledIn(event) as JsonObject);
  const { event: kind, payload, metadata } = filled;
  if (!isKnown(kind) || carriedAs(kind) === 'elsewhere')
    throw new InvalidBundleError(
      'typed_decode',
      where,
      `${where}.event: ${String(kind)} does not happen in a session`,
    );
  if (OURS.some((name) => (metadata as JsonObject)[name] !== undefined))
    throw new InvalidBundleError(
      'typed_decode',
      where,
      `${where}.metadata: holds what only an import writes`,
    );
  const schema = EVENT_PAYLOADS[kind];
  const parsed = schema.safeParse(payload);
  if (!parsed.success && (isWhole || ESSENTIAL.test(kind)))
    decoded(schema, payload ?? null, `${where}.event.payload`);
  return { event: filled as unknown as Event, opaque: !parsed.success || isToldOnly(filled) };
}

function isKnown(kind: JsonValue | undefined): kind is EmittedKind {
  return typeof kind === 'string' && Object.hasOwn(EVENT_PAYLOADS, kind);
}

function isToldOnly({ event }: JsonObject): boolean {
  return isKnown(event) && carriedAs(event) === 'told';
}

/** An object that was withheld leaves a text in its place; where only an object fits, one that says so. */
function filledIn(value: JsonValue, name = ''): JsonValue {
  if (OBJECTS.has(name) && value === WITHHELD) return { withheld: true };
  if (Array.isArray(value)) return value.map((item) => filledIn(item));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledIn(item, key)]));
}

function hashOf(value: JsonValue): string {
  return `sha256:${sha256Hex(canonicalJson(value))}`;
}

function changed(where: string): InvalidBundleError {
  const why = `${where} is not what was recorded, and no entry of the redaction says why`;
  return new InvalidBundleError('manifest', where, why);
}
