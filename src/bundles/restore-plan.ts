import { createHash, type Hash } from 'node:crypto';
import type { Event } from '../eventlog/event-log.ts';
import { canonicalJson } from '../json/canonical.ts';
import { sha256Hex } from '../json/sha256.ts';
import { EVENT_PAYLOADS } from '../protocol/event-payloads.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { BundleMode } from '../protocol/resources/session-bundle.ts';
import { InvalidBundleError } from './bundle-fault.ts';
import type { BundleFile } from './bundle-file.ts';
import {
  decodeEvent,
  eventRow,
  type FrameRow,
  frameRow,
  gatewayHead,
  type PieceRow,
  pieceRow,
} from './gateway-rows.ts';
import { paced, type Turn } from './paced.ts';
import { WITHHELD } from './redact-bundle.ts';
import { RedactedRows, type RowList } from './redacted-rows.ts';
import { decoded } from './validate-bundle.ts';

const PATH = ['replay', 'run_record', 'harn_gateway'];
const WHERE = `$.${PATH.join('.')}`;

/** Kinds that happen in a Session; no other comes in from outside. */
const OF_SESSIONS =
  /^(?:user|agent|task|session|artifact|branch|span|tool|replay|connector)\.|^receipt\.|^vendor\.harn_gateway\.(?:permission_|upstream_|transcript_|push_|memory_|agent_update$|session_updated$|file_written$|trust_recorded$|delivery_given_up$|dead_letter_changed$)/;
/** What these tell of is no part of the Session, and did not come along. */
const TOLD_ONLY =
  /^connector\.|^receipt\.verif|^vendor\.harn_gateway\.(?:push_|memory_|trust_recorded$|delivery_given_up$|dead_letter_changed$)/;
/** Without these there is nothing that could be restored. */
const ESSENTIAL = /^(?:session\.created|task\.|receipt\.issued$|artifact\.|session\.message_appended$)/;
/** Members of payloads that are objects. */
const OBJECTS = new Set(['input', 'binding', 'session_binding', 'details', 'update']);
/** Members that only an import writes. */
const OURS = ['imported', 'original_event_id'];

/** An event of the bundle, and whether all of it came. */
export interface RestoredEvent {
  event: Event;
  sha256: string;
  withheld: boolean;
  /** What was taken out leaves no payload of its kind. */
  opaque: boolean;
}

export interface RestoredFrame {
  row: FrameRow;
  withheld: boolean;
}

/** What the rows of a bundle are, read again and again from its bytes. */
export class RestorePlan {
  readonly sessionId: string;
  readonly workspaceId: string;
  readonly issuer: string;
  readonly tenantId: string | null;
  readonly mode: BundleMode;
  readonly #file: BundleFile;
  readonly #redacted: RedactedRows;

  /** Throws InvalidBundleError for a bundle whose record is not one of a gateway. */
  constructor(file: BundleFile, mode: BundleMode) {
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
    this.#redacted = new RedactedRows(file);
  }

  /** From one of them on, each checked against the hash of what was recorded. */
  *events(from = 0): Generator<RestoredEvent> {
    let index = 0;
    for (const { value, where } of this.#rows('events', from)) {
      const { sha256, event: encoded, concealed } = decoded(eventRow, value, where);
      const event = decodeEvent(encoded as JsonObject);
      const isWhole = sha256 === hashOf(event);
      const mayDiffer = concealed === true || this.#redacted.has('events', from + index);
      if (!isWhole && !mayDiffer) throw changed(where);
      yield { ...withPayload(event, where, isWhole), sha256, withheld: !isWhole };
      index += 1;
    }
  }

  *frames(): Generator<RestoredFrame> {
    let index = 0;
    for (const { value, where } of this.#rows('frames')) {
      const row = decoded(frameRow, value, where);
      const isWhole = row.sha256 === hashOf(row.content);
      const mayDiffer = row.concealed === true || this.#redacted.has('frames', index);
      if (!isWhole && !mayDiffer) throw changed(where);
      yield { row, withheld: !isWhole };
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
    let index = 0;
    for (const span of this.#file.items(this.#file.find('metadata', 'receipts'))) {
      const text = this.#file.parse(span);
      const where = `$.metadata.receipts[${index}]`;
      if (typeof text !== 'string')
        throw new InvalidBundleError('typed_decode', where, `${where}: must be text`);
      yield text;
      index += 1;
    }
  }

  /** The same for every bundle that restores the same. */
  async digest(turn: Turn): Promise<string> {
    const hash = createHash('sha256');
    hash.update(canonicalJson([this.mode, this.sessionId, this.workspaceId]));
    for await (const { sha256, event } of paced(this.events(), turn))
      add(hash, [sha256, hashOf(event as unknown as JsonValue)]);
    for await (const { row } of paced(this.frames(), turn))
      add(hash, [row.task_id, row.n, row.sha256, hashOf(row.content)]);
    for (const { row } of this.pieces()) add(hash, [row.artifact_id, row.n, row.sha256]);
    for (const text of this.receipts()) add(hash, [text]);
    return hash.digest('hex');
  }

  *#rows(list: RowList, from = 0): Generator<{ value: JsonValue; where: string }> {
    let index = 0;
    for (const span of this.#file.items(this.#file.find(...PATH, list))) {
      if (index >= from) yield { value: this.#file.parse(span), where: `${WHERE}.${list}[${index}]` };
      index += 1;
    }
  }
}

function headOf(file: BundleFile): JsonValue {
  const head = file.find(...PATH);
  if (head !== undefined && file.isObject(head)) return file.skeleton(head);
  const why = `${WHERE}: the bundle brings no record of a gateway, so no Session can be restored. Write its run record with "session import FILE --out run.json".`;
  throw new InvalidBundleError('typed_decode', WHERE, why);
}

function withPayload(
  event: JsonObject,
  where: string,
  isWhole: boolean,
): Pick<RestoredEvent, 'event' | 'opaque'> {
  const filled = isWhole ? event : (filledIn(event) as JsonObject);
  const { event: kind, payload, metadata } = filled;
  const schema = EVENT_PAYLOADS[kind as keyof typeof EVENT_PAYLOADS];
  if (typeof kind !== 'string' || !OF_SESSIONS.test(kind) || schema === undefined)
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
  const parsed = schema.safeParse(payload);
  if (!parsed.success && (isWhole || ESSENTIAL.test(kind)))
    decoded(schema, payload ?? null, `${where}.event.payload`);
  return { event: filled as unknown as Event, opaque: !parsed.success || TOLD_ONLY.test(kind) };
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

function add(hash: Hash, row: JsonValue[]): void {
  hash.update(`${canonicalJson(row)}\n`);
}

function changed(where: string): InvalidBundleError {
  const why = `${where} is not what was recorded, and no entry of the redaction says why`;
  return new InvalidBundleError('manifest', where, why);
}
