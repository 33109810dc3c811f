import type { Command, Decided, Handlers } from '#core/command.ts';
import type { Facts } from '#core/facts.ts';
import { load, loadWorkspace, notFound } from '#core/load.ts';
import { newEvent, type Pointer, placeOfSession } from '#core/new-event.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { decodeUtf8, parseStrict } from '#json/strict-parse.ts';
import type { Clean, CleanText, Received } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { appendMessage, buildMessage } from '#resources/message/append-message.ts';
import type { MessageInput } from '#resources/message/schema.ts';
import type { RawBody } from '#resources/operations.ts';
import { newSession } from '#resources/session/new-session.ts';
import { refuseClosed } from '#resources/session/session-lane.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import { makeRoom } from '#resources/session/transcript/make-room.ts';
import { submitTaskTo } from '#resources/task/submit-task.ts';
import { getConnector, listConnectors } from './queries.ts';
import type { ConnectorDelivery, ConnectorRow } from './schema.ts';
import { type CleanConnectorSessionState, type CleanDeliveryState, connectorKeys } from './state.ts';

/** One delivery: received, made a task or a message of the target session, and answered; all in one commit. */
const deliverToConnector: Command<'deliverToConnector'> = {
  decide({ path, body }, tx, facts) {
    const row = rowOf(path.connector_id, facts);
    const dedupe_key = facts.redact(dedupeKeyOf(row, body)).value;
    const signed_sha256 = facts.by.signedSha256;
    const known = knownDelivery(tx, row, dedupe_key, signed_sha256);
    if (known) return deduped(known.delivery, row, tx);
    const signed = signed_sha256 === undefined ? {} : { signed_sha256 };
    return accept(row, body, { delivery_id: facts.newId('delivery'), dedupe_key, ...signed }, tx, facts);
  },

  /** The provider sees the error and sends again; this is for whoever looks after the connector. */
  refused({ connector_id }, tx, facts, { code, message, param = null }) {
    const row = rowOf(connector_id, facts);
    const failure = facts.redact({ code: String(code), message, param }).value;
    tx.append(newEvent('connector.failed', pointerOf(row), placeOf(row), failure));
  },
};

type Delivery = Clean<
  Pick<ConnectorDelivery, 'dedupe_key'> & { delivery_id: string; signed_sha256?: string }
>;
type Row = Clean<ConnectorRow>;

/** The provider's id is not signed: whoever replays a delivery may give it another one. */
function knownDelivery(
  tx: Transaction,
  row: Row,
  dedupeKey: string | null,
  signedSha256: string | undefined,
): CleanDeliveryState | undefined {
  const byId =
    dedupeKey === null ? undefined : tx.get<CleanDeliveryState>(connectorKeys.delivery(row.id, dedupeKey));
  if (byId || signedSha256 === undefined) return byId;
  return tx.get<CleanDeliveryState>(connectorKeys.signedDelivery(row.id, signedSha256));
}

function deduped(delivery: Clean<ConnectorDelivery>, row: Row, tx: Transaction): Decided {
  const payload = { delivery_id: delivery.id, dedupe_key: delivery.dedupe_key };
  tx.append(newEvent('connector.delivery_deduped', pointerOf(row), placeOf(row), payload));
  return { body: delivery };
}

function accept(row: Row, body: RawBody, delivery: Delivery, tx: Transaction, facts: Facts): Decided {
  const mime_type = facts.redact(body.mimeType).value;
  const received = { ...delivery, size: body.bytes.length, mime_type };
  tx.append(newEvent('connector.delivery_received', pointerOf(row), placeOf(row), received));
  const sent = messageOfDelivery(body, { connector_id: row.id, delivery_id: delivery.delivery_id });
  const message = { sent, clean: facts.redact(sent).value };
  const session = sessionOf(row, tx, facts);
  const place = placeOfSession(session);
  const message_id = row.deliver_as === 'message' ? append(message, session, tx, facts) : null;
  const normalized = { ...delivery, as: row.deliver_as, session_id: session.id, message_id };
  tx.append(newEvent('connector.normalized', pointerOf(row), place, normalized));
  const task_id = row.deliver_as === 'task' ? submit(row, delivery, message, session.id, tx, facts) : null;
  const body_: Clean<ConnectorDelivery> = {
    id: delivery.delivery_id,
    object: 'connector_delivery',
    created_at: tx.time,
    connector_id: row.id,
    workspace_id: row.workspace,
    dedupe_key: delivery.dedupe_key,
    session_id: session.id,
    task_id,
    message_id,
  };
  return { body: body_ };
}

function submit(
  row: Row,
  delivery: Delivery,
  input: Received<MessageInput>,
  sessionId: CleanText,
  tx: Transaction,
  facts: Facts,
): CleanText {
  const route = row.route === undefined ? {} : { route: row.route };
  const metadata = { connector_id: row.id, delivery_id: delivery.delivery_id, ...route };
  const terms = { metadata, persona_id: row.target_persona ?? null };
  const request = { sent: { input: input.sent, ...terms }, clean: { input: input.clean, ...terms } };
  const { id } = submitTaskTo(sessionId, request, tx, facts).body;
  const place = { workspace_id: row.workspace, session_id: sessionId, task_id: id };
  tx.append(newEvent('connector.task_submitted', pointerOf(row), place, { ...delivery, task_id: id }));
  return id;
}

function append(
  input: Received<MessageInput>,
  session: CleanSessionFold['resource'],
  tx: Transaction,
  facts: Facts,
): CleanText {
  const place = placeOfSession(session);
  makeRoom(tx, facts, session.id, input.sent);
  const built = buildMessage(tx, facts, input, place);
  appendMessage(tx, built, { place, pending: true });
  return built.message.id;
}

/** The configured session; else the connector's own, made anew when the last one is closed. */
function sessionOf(row: Row, tx: Transaction, facts: Facts): CleanSessionFold['resource'] {
  if (row.target_session !== undefined) {
    const session = load(tx, facts.caller, 'session', row.target_session, 'target_session').resource;
    refuseClosed(session, tx.time);
    return session;
  }
  const last = tx.get<CleanConnectorSessionState>(connectorKeys.connectorSession(row.id))?.session_id;
  const open = last && tx.get<CleanSessionFold>(sessionKeys.session(last))?.resource;
  if (open && open.state !== 'CLOSED' && open.state !== 'FAILED') return open;
  const workspaceId = loadWorkspace(tx, facts.caller, row.workspace).resource.id;
  const { id } = newSession(tx, facts, { workspaceId, personaId: null, metadata: { connector_id: row.id } });
  return load(tx, facts.caller, 'session', id).resource;
}

function rowOf(id: string, { self }: Facts): Row {
  const found = self.connectors.find((row) => row.id === id);
  if (!found) throw notFound('connector');
  return found;
}

function pointerOf({ id }: Row): Pointer {
  return { object: 'connector', id };
}

function placeOf({ workspace }: Row): { workspace_id: CleanText } {
  return { workspace_id: workspace };
}

/** Longest id of a delivery, in characters. */
const MAX_KEY_CHARS = 255;

/** A delivery is JSON, or text of a declared text type; it becomes one part of a message. */
function messageOfDelivery({ bytes, mimeType }: RawBody, metadata: MessageInput['metadata']): MessageInput {
  const part = /^text\//i.test(mimeType)
    ? { type: 'text' as const, text: textOf(bytes), visibility: 'public' as const }
    : { type: 'json' as const, value: parse(bytes), visibility: 'public' as const };
  return { role: 'user', parts: [part], metadata };
}

/** The provider's id of a delivery, from where the connector says it is; null when it says nothing. */
function dedupeKeyOf({ dedupe }: ConnectorRow, { bytes, headers = {} }: RawBody): string | null {
  if (dedupe === undefined) return null;
  const [where, found] =
    'header' in dedupe
      ? [dedupe.header, headers[dedupe.header.toLowerCase()]]
      : [dedupe.path, memberAt(parse(bytes), dedupe.path)];
  const key = typeof found === 'number' ? String(found) : found;
  if (typeof key === 'string' && key !== '' && key.length <= MAX_KEY_CHARS) return key;
  const message = `A delivery to this connector has an id of at most ${MAX_KEY_CHARS} characters here.`;
  throw new ProtocolError('invalid_request', message, { param: where });
}

function memberAt(value: JsonValue, path: string): JsonValue | undefined {
  return path.split('.').reduce<JsonValue | undefined>(member, value);
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** What was signed is what is recorded: a wrong byte is refused, not replaced. */
function textOf(bytes: Buffer): string {
  const text = decodeUtf8(bytes);
  if (text === undefined)
    throw new ProtocolError('invalid_request', 'The text is not UTF-8. Send it as UTF-8, or as JSON.');
  return text;
}

function parse(bytes: Buffer): JsonValue {
  return parseStrict(bytes, { maxBytes: bytes.length });
}

export const handlers = {
  deliverToConnector,
  getConnector,
  listConnectors,
} satisfies Partial<Handlers>;
