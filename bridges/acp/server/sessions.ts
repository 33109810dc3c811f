import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf, textOf } from '#protocol/json-shape.ts';
import { isTerminal } from '#protocol/task-states.ts';
import type { Session } from '#resources/session/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import {
  CLIENT_METADATA,
  modesOf,
  NO_LIMIT,
  refusalOf,
  valuesOf,
} from '../../../mappings/acp/config-options.ts';
import { ACP_ERRORS } from '../../../mappings/acp/errors.ts';
import { invalidParams, RpcError } from '../../wire/json-rpc.ts';
import type { RequestContext } from '../../wire/peer.ts';
import type { Conversation } from './conversation.ts';
import { AttachedSession, type Attachment } from './follow.ts';
import { clientWords } from './live-roles.ts';
import type { ParamsOf } from './params.ts';
import { announcedServers } from './tunnels.ts';

interface Place {
  cwd?: string | undefined;
  additionalDirectories?: string[] | undefined;
}

export async function newSession(
  talk: Conversation,
  params: ParamsOf<'session/new'>,
  context: RequestContext,
): Promise<JsonValue> {
  const harn = objectOf(params._meta?.['harn']);
  const route = textOf(harn['route']);
  const metadata = { [CLIENT_METADATA]: placeOf(params), ...(route === undefined ? {} : { route }) };
  const body = {
    workspace_id: textOf(harn['workspaceId']) ?? talk.calls.defaultWorkspace,
    ...(textOf(harn['personaId']) === undefined ? {} : { persona_id: textOf(harn['personaId']) ?? null }),
    metadata,
  };
  const idempotencyKey = textOf(harn['idempotencyKey']) ?? talk.prompts.keyOf(context.id);
  const session = await talk.calls.json<Session>('createSession', { body, idempotencyKey });
  const setup = await talk.view.begin(session);
  announce(talk, session.id, params);
  // The answer goes first: some clients do not know the id before.
  setImmediate(() => {
    if (!talk.sessions.has(session.id)) void followNew(talk, session);
  });
  return { sessionId: session.id, ...setup, ...answerMeta(params.mcpServers, session.last_event_id) };
}

/** The whole history is sent before the answer, in the order of the log. Spec: ACP v1, "Loading Sessions". */
export async function loadSession(talk: Conversation, params: ParamsOf<'session/load'>): Promise<JsonValue> {
  const session = await placed(talk, await openSession(talk, params.sessionId), params);
  const setup = await talk.view.begin(session);
  announce(talk, session.id, params);
  const attached = await attach(talk, session.id, 'load', undefined);
  await attached.caughtUpOnce;
  sendState(talk, attached, session);
  return { ...setup, ...answerMeta(params.mcpServers, attached.cursor) };
}

/** Without a cursor nothing is sent again; `_meta.harn.afterEventId` asks for what came after it. */
export async function resumeSession(
  talk: Conversation,
  params: ParamsOf<'session/resume'>,
): Promise<JsonValue> {
  const session = await placed(talk, await openSession(talk, params.sessionId), params);
  const after = textOf(objectOf(params._meta?.['harn'])['afterEventId']);
  const setup = await talk.view.begin(session);
  announce(talk, session.id, params);
  const attached = await resumeAfter(talk, session, after);
  await attached.caughtUpOnce;
  sendState(talk, attached, session);
  return { ...setup, ...answerMeta(params.mcpServers, attached.cursor) };
}

/** Where retention removed what came after the cursor, its mark says so and what is kept is the rest. */
async function resumeAfter(
  talk: Conversation,
  { id, last_event_id }: Session,
  after: string | undefined,
): Promise<AttachedSession> {
  const turns = talk.sessions.get(id)?.turns;
  try {
    return await attach(talk, id, 'resume', after ?? last_event_id ?? undefined);
  } catch (error) {
    if (after === undefined || !isExpired(error) || !(await isRemoved(talk, id, after))) throw error;
    return attach(talk, id, 'resume', undefined, turns);
  }
}

function isExpired(error: unknown): boolean {
  if (!(error instanceof RpcError)) return false;
  return objectOf(objectOf(error.fault.data)['harn'])['code'] === 'cursor_expired';
}

async function isRemoved({ calls }: Conversation, sessionId: string, cursor: string): Promise<boolean> {
  const { data } = await calls.json<{ data: { id: string; event: string }[] }>('listSessionEvents', {
    path: { session_id: sessionId },
    query: { limit: '1' },
  });
  return data.some(({ id, event }) => event === 'vendor.harn_gateway.history_removed' && cursor < id);
}

/** A Session that was made elsewhere gets the directories of the first client that opens it, if that may change it. */
async function placed({ calls }: Conversation, session: Session, place: Place): Promise<Session> {
  const client = objectOf(session.metadata[CLIENT_METADATA]);
  if (place.cwd === undefined || textOf(client['cwd']) !== undefined) return session;
  const body = { metadata: { [CLIENT_METADATA]: { ...client, ...placeOf(place) } } };
  try {
    return await calls.json<Session>('updateSession', { path: { session_id: session.id }, body });
  } catch (error) {
    if (error instanceof RpcError) return session;
    throw error;
  }
}

function sendState({ draft }: Conversation, attached: AttachedSession, { id, state }: Session): void {
  if (draft !== undefined) attached.notify(draft.stateNow(id, state));
}

/** Servers that a launcher runs on the machine of its editor. */
function announce(
  { hosting, tunnels, peer, calls }: Conversation,
  sessionId: string,
  { _meta }: ParamsOf<'session/new'> | ParamsOf<'session/resume'>,
): void {
  const servers = announcedServers(objectOf(_meta?.['harn']));
  const addresses = servers.length === 0 ? [] : tunnels.offer(peer, calls.actor, sessionId, servers);
  hosting.announce(sessionId, addresses);
}

/** A Session that cannot be followed is opened by its first prompt, which gets the reason. */
async function followNew(talk: Conversation, { id, last_event_id }: Session): Promise<void> {
  try {
    await attach(talk, id, 'resume', last_event_id ?? undefined);
  } catch (error) {
    talk.deps.logger.debug({ err: error, session_id: id }, 'a new ACP session is not followed yet');
  }
}

/** The followed Session; a prompt for one that is not followed yet takes it up where it is. */
export async function followed(talk: Conversation, sessionId: string): Promise<AttachedSession> {
  const known = talk.sessions.get(sessionId);
  if (known !== undefined) return known;
  const session = await openSession(talk, sessionId);
  await talk.view.begin(session);
  // A prompt may come before the attachment that `session/new` has begun.
  return (
    talk.sessions.get(sessionId) ?? attach(talk, sessionId, 'resume', session.last_event_id ?? undefined)
  );
}

export async function listSessions(talk: Conversation, params: ParamsOf<'session/list'>): Promise<JsonValue> {
  const query = { limit: '50', ...(params.cursor ? { cursor: params.cursor } : {}) };
  const list = await talk.calls.json<{ data: Session[]; next_cursor: string | null }>('listSessions', {
    query,
  });
  const open = list.data.filter(({ state }) => state !== 'CLOSED').map(infoOf);
  const sessions = params.cwd ? open.filter(({ cwd }) => cwd === params.cwd) : open;
  return { sessions, ...(list.next_cursor === null ? {} : { nextCursor: list.next_cursor }) };
}

/** Ends the work and follows no more; the Session stays and can be loaded again: Tasks outlive connections. */
export async function closeSession(
  talk: Conversation,
  params: ParamsOf<'session/close'>,
): Promise<JsonValue> {
  const path = { session_id: params.sessionId };
  const { data } = await talk.calls.json<{ data: Task[] }>('listSessionTasks', {
    path,
    query: { limit: '200' },
  });
  const open = data.filter(({ status }) => !isTerminal(status));
  await Promise.all(open.map(({ id }) => cancelQuietly(talk, id)));
  leave(talk, params.sessionId);
  return {};
}

/** Spec: ACP v1, "session/delete": an unknown Session is gone already. */
export async function deleteSession(
  talk: Conversation,
  params: ParamsOf<'session/delete'>,
): Promise<JsonValue> {
  try {
    await talk.calls.json('closeSession', { path: { session_id: params.sessionId } });
  } catch (error) {
    const isUnknown = error instanceof RpcError && error.fault.code === ACP_ERRORS.resource_not_found;
    if (!isUnknown) throw error;
  }
  leave(talk, params.sessionId);
  return {};
}

/** A Task that ended meanwhile needs no cancel. */
async function cancelQuietly({ calls }: Conversation, taskId: string): Promise<void> {
  await calls.json('cancelTask', { path: { task_id: taskId } }).catch((error: unknown) => {
    if (!(error instanceof RpcError)) throw error;
  });
}

async function openSession({ calls }: Conversation, sessionId: string): Promise<Session> {
  const session = await calls.json<Session>('getSession', { path: { session_id: sessionId } });
  if (session.state !== 'CLOSED') return session;
  throw new RpcError(ACP_ERRORS.resource_not_found, 'This session is closed. Begin a new one.', {
    sessionId,
  });
}

async function attach(
  talk: Conversation,
  sessionId: string,
  kind: Attachment,
  after: string | undefined,
  turns = talk.sessions.get(sessionId)?.turns,
): Promise<AttachedSession> {
  detach(talk, sessionId);
  const attached = new AttachedSession(sessionId, kind, after, talk, turns);
  talk.sessions.set(sessionId, attached);
  try {
    await attached.attach(after);
    shownIn(talk, sessionId);
  } catch (error) {
    detach(talk, sessionId);
    throw error;
  }
  return attached;
}

/** The client works in the Session no more. */
function leave(talk: Conversation, sessionId: string): void {
  talk.hosting.withdraw(sessionId);
  detach(talk, sessionId);
  talk.deps.gateway.unfollows(talk.connection.requestId, sessionId);
}

/** An editor is seen in the Sessions that it works in. */
function shownIn(talk: Conversation, sessionId: string): void {
  const { requestId: connectionId, caller } = talk.connection;
  const metadata = clientWords(talk);
  talk.deps.gateway.follows({ connectionId, caller, sessionId, clientId: talk.clientId, metadata });
}

function detach({ sessions }: Conversation, sessionId: string): void {
  sessions.get(sessionId)?.detach();
  sessions.delete(sessionId);
}

function placeOf({ cwd, additionalDirectories }: Place): JsonObject {
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(additionalDirectories === undefined ? {} : { additional_directories: additionalDirectories }),
  };
}

function infoOf({ id, summary, updated_at, metadata }: Session) {
  const { cwd, additional_directories } = objectOf(metadata[CLIENT_METADATA]);
  return {
    sessionId: id,
    cwd: textOf(cwd) ?? '/',
    updatedAt: updated_at,
    ...(Array.isArray(additional_directories) ? { additionalDirectories: additional_directories } : {}),
    ...(summary === null ? {} : { title: summary }),
  };
}

/** Servers that the client names live on its machine: they are not started here, and that is said. The cursor resumes. */
function answerMeta(servers: readonly JsonObject[], eventId: string | null): JsonObject {
  const names = servers.map(({ name }) => textOf(name) ?? 'unnamed');
  const harn = {
    ...(names.length === 0 ? {} : { ignoredMcpServers: names }),
    ...(eventId === null || eventId === '' ? {} : { eventId }),
  };
  return Object.keys(harn).length === 0 ? {} : { _meta: { harn } };
}

/** A mode of the agent; it is sent with the next prompt. */
export async function setMode(talk: Conversation, params: ParamsOf<'session/set_mode'>): Promise<JsonValue> {
  const { sessionId, modeId } = params;
  await followed(talk, sessionId);
  const modes = modesOf(talk.view.metadata(sessionId))?.availableModes ?? [];
  if (!modes.some(({ id }) => id === modeId)) throw invalidParams('modeId', 'is no mode of this session.');
  await wish(talk, sessionId, modeId, 'mode');
  return {};
}

type SetOption = (talk: Conversation, sessionId: string, value: JsonValue, name: string) => Promise<void>;

/** Options of the gateway's own; others are the agent's. */
const SET_OWN: Readonly<Record<string, SetOption>> = {
  agent: (talk, sessionId, value) => patch(talk, sessionId, { route: value }),
  persona: (talk, sessionId, value) =>
    patchClient(talk, sessionId, { persona_id: value === 'none' ? null : value }),
  autonomy: (talk, sessionId, value) =>
    patch(talk, sessionId, { autonomy_tier: value === NO_LIMIT ? null : value }),
};

/** Agent, persona, autonomy tier, or an option of the agent itself. Answers with all options, as v1 asks for. */
export async function setConfigOption(
  talk: Conversation,
  params: ParamsOf<'session/set_config_option'>,
): Promise<JsonValue> {
  const { sessionId, configId, value } = params;
  await followed(talk, sessionId);
  const option = talk.view.options(sessionId).find(({ id }) => id === configId);
  if (option === undefined) throw invalidParams('configId', 'is no option of this session.');
  if (!allows(option, value)) throw invalidParams('value', 'is no value of this option.');
  await (SET_OWN[configId] ?? wish)(talk, sessionId, value, configId);
  return { configOptions: talk.view.options(sessionId) };
}

function allows(option: JsonObject, value: string | boolean): boolean {
  if (option['type'] === 'boolean') return typeof value === 'boolean';
  return valuesOf(option['options']).includes(String(value));
}

/** What the agent refused is refused here, too, until another value is chosen. */
async function wish(talk: Conversation, sessionId: string, value: JsonValue, name: string): Promise<void> {
  const reason = refusalOf(talk.view.metadata(sessionId), name, value);
  if (reason !== undefined)
    throw invalidParams('value', `was refused by the agent. Choose another. ${reason}`);
  const client = objectOf(talk.view.metadata(sessionId)[CLIENT_METADATA]);
  await patchClient(talk, sessionId, { wanted: { ...objectOf(client['wanted']), [name]: value } });
}

function patchClient(talk: Conversation, sessionId: string, change: JsonObject): Promise<void> {
  const client = objectOf(talk.view.metadata(sessionId)[CLIENT_METADATA]);
  return patch(talk, sessionId, { [CLIENT_METADATA]: { ...client, ...change } });
}

async function patch(talk: Conversation, sessionId: string, metadata: JsonObject): Promise<void> {
  const path = { session_id: sessionId };
  const session = await talk.calls.json<Session>('updateSession', { path, body: { metadata } });
  await talk.view.set(sessionId, session.metadata);
}
