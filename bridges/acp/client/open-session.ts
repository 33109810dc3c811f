import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf, textOf } from '#protocol/json-shape.ts';
import type { PastTurn, Turn } from '#protocol-client.ts';
import { ACP_ERRORS } from '../../../mappings/acp/errors.ts';
import { Fault, unavailable } from '../../wire/faults.ts';
import type { RpcAnswer } from '../../wire/json-rpc.ts';
import type { Host } from '../host.ts';
import { type AcpClientConfig, type AcpLimits, FIXED_LIMITS } from './config.ts';
import { type AgentConnection, type WayBack, waysBack } from './connection.ts';
import { faultOf, LOGIN_WANTED, loginWays } from './faults.ts';
import type { SessionRecord } from './record.ts';
import type { AgentSession } from './session.ts';
import { beginTraced } from './traced-request.ts';

export interface SessionOpener {
  config: AcpClientConfig;
  limits: AcpLimits;
  connection: AgentConnection;
  host(): Host | undefined;
}

const MAX_ID = 512;

/**
 * The agent's session of a Harn Session: the one that is open, else its own one taken up again, else a new one. One that a
 * cancelled task has begun to open is waited for and used. Throws Fault.
 */
export async function openSession(opener: SessionOpener, turn: Turn): Promise<AgentSession> {
  const { opening } = opener.connection;
  const begun = await unprompted(opener, turn);
  const bound = begun?.id ?? textOf(turn.sessionBinding?.['session_id']);
  const known = bound === undefined ? undefined : opener.connection.sessions.get(bound);
  const ways = waysBack(opener.connection);
  const { given } = serversFor(opener);
  const isStale = known !== undefined && given.length > 0 && known.servers !== JSON.stringify(given);
  if (known !== undefined && !(isStale && ways.length > 0 && (known.current?.isOver ?? true))) return known;
  const opened =
    bound === undefined || ways.length === 0
      ? newSession(opener, turn, bound === undefined ? undefined : { reason: 'not_offered' })
      : takeUp(opener, turn, bound, ways);
  opening.set(turn.sessionId, opened);
  return opened.catch((error: unknown) => {
    if (opening.get(turn.sessionId) === opened) opening.delete(turn.sessionId);
    throw error;
  });
}

/** The session that an earlier task opened and did not prompt; of a transcript that was cut since, only one that knows nothing. */
async function unprompted({ connection }: SessionOpener, turn: Turn): Promise<AgentSession | undefined> {
  const begun = await connection.opening.get(turn.sessionId)?.catch(() => undefined);
  const isOwn = begun?.news?.how === 'new' || begun?.id === textOf(turn.sessionBinding?.['session_id']);
  return isOwn ? begun : undefined;
}

/**
 * What is recorded of the session of a turn, and what goes before its prompt: instructions and earlier turns in words, for an
 * agent that does not know them.
 */
export function beginningOf(
  { id, news }: AgentSession,
  turn: Turn,
): { record: SessionRecord; preface: string | undefined } {
  if (news === undefined)
    return { record: { op: 'session', how: 'open', session_id: id }, preface: undefined };
  if (news.how !== 'new') return { record: news, preface: undefined };
  const past = historyText(turn.history());
  const history = past === undefined ? {} : { history: { turns: past.turns, chars: past.text.length } };
  const preface = [instructionText(turn.sessionMetadata), past?.text].filter((text) => text !== undefined);
  return {
    record: { ...news, ...history },
    preface: preface.length === 0 ? undefined : preface.join('\n\n'),
  };
}

/**
 * Takes up a session that the agent has had before, by the first of these ways that it does not refuse. One that is open, and is
 * taken up to change its MCP servers, is closed first where the agent offers that; where it goes on without them, a note says so.
 */
async function takeUp(
  opener: SessionOpener,
  turn: Turn,
  id: string,
  ways: readonly WayBack[],
): Promise<AgentSession> {
  const { connection } = opener;
  const open = connection.sessions.get(id);
  const isOpen = open !== undefined && !(await connection.closeSession(open));
  const refused: { method: string; error: JsonValue }[] = [];
  for (const { how, method } of ways) {
    const { answer, session, news } = await askBack(opener, turn, id, { how, method } as WayBack);
    if (!('error' in answer)) {
      const earlier = refused.length === 0 ? {} : { refused_ways: refused };
      session.news = { op: 'session', how, session_id: id, result: answer.result, ...news, ...earlier };
      session.servers = JSON.stringify(serversFor(opener).given);
      session.offers = objectOf(answer.result);
      return session;
    }
    if (!isOpen) connection.sessions.delete(id);
    refuseLogin(answer, connection);
    if (answer.error.code === ACP_ERRORS.method_not_found) connection.unserved.add(method);
    refused.push({ method, error: { ...answer.error } });
  }
  if (isOpen) return withoutServers(opener, open);
  return newSession(opener, turn, refused.at(-1)?.error);
}

async function askBack(opener: SessionOpener, turn: Turn, id: string, { how, method }: WayBack) {
  const { connection } = opener;
  const session = connection.session(id);
  // What an agent says while it resumes is news.
  session.isLoading = how === 'loaded';
  session.replayed = 0;
  const { given, record: servers } = serversFor(opener);
  const place = await placeFor(opener, turn);
  const params = { sessionId: id, ...place.setup, mcpServers: given };
  const loaded = () => {
    session.isLoading = false;
  };
  const answer = await askTraced(opener, turn, method, params, loaded).finally(loaded);
  return {
    answer,
    session,
    news: { replayed_updates: session.replayed, ...servers, ...place.record },
  };
}

/** The session that is open is worth more than servers that it cannot be given; it is not asked again for these. */
function withoutServers(opener: SessionOpener, session: AgentSession): AgentSession {
  const { given } = serversFor(opener);
  const names = given.flatMap(({ name }) => textOf(name) ?? []);
  session.servers = JSON.stringify(given);
  session.news = { op: 'session', how: 'open', session_id: session.id, late_mcp_servers: names };
  return session;
}

async function newSession(
  opener: SessionOpener,
  turn: Turn,
  lost: JsonValue | undefined,
): Promise<AgentSession> {
  const { connection } = opener;
  const { given, record: servers } = serversFor(opener);
  const place = await placeFor(opener, turn);
  const params = { ...place.setup, mcpServers: given };
  const answer = await askTraced(opener, turn, 'session/new', params, (heard) => {
    const named = idOf(heard);
    if (named !== undefined) connection.session(named);
  });
  if ('error' in answer) {
    refuseLogin(answer, connection);
    throw unavailable('session_refused', 'The agent refused to open a session.', {
      error: { ...answer.error },
    });
  }
  const id = idOf(answer);
  if (id === undefined) {
    throw unavailable('malformed', 'The agent opened a session without a usable id.');
  }
  const session = connection.session(id);
  session.news = {
    op: 'session',
    how: 'new',
    session_id: id,
    result: answer.result,
    ...(lost === undefined ? {} : { lost }),
    ...servers,
    ...place.record,
  };
  session.servers = JSON.stringify(given);
  session.offers = objectOf(answer.result);
  return session;
}

async function askTraced(
  { connection, limits, config }: SessionOpener,
  turn: Turn,
  method: string,
  params: JsonObject,
  heard: (answer: RpcAnswer) => void,
): Promise<RpcAnswer> {
  const traced = beginTraced(turn, config, method);
  try {
    const { session_timeout_ms } = limits;
    const answer = await connection.ask(method, traced.params(params), 'session', session_timeout_ms, heard);
    traced.answered(answer);
    return answer;
  } catch (error) {
    traced.failed(faultOf(error));
    throw error;
  }
}

function idOf(answer: RpcAnswer): string | undefined {
  const id = 'result' in answer ? textOf(objectOf(answer.result)['sessionId']) : undefined;
  return id === undefined || id.length > MAX_ID ? undefined : id;
}

/** The MCP servers of the editor, for an agent that takes them over HTTP. */
function serversFor({ connection, host }: SessionOpener): {
  given: JsonObject[];
  record: Pick<SessionRecord, 'mcp_servers' | 'unused_mcp_servers'>;
} {
  const servers = host()?.servers ?? [];
  if (servers.length === 0) return { given: [], record: {} };
  const names = servers.flatMap(({ name }) => textOf(name) ?? []);
  const takesHttp = objectOf(connection.capabilities['mcpCapabilities'])['http'] === true;
  return takesHttp
    ? { given: [...servers], record: { mcp_servers: names } }
    : { given: [], record: { unused_mcp_servers: names } };
}

/** Where the agent works, and the record of where it does not. */
async function placeFor({ config, connection }: SessionOpener, { sessionMetadata }: Turn) {
  const { setup, unused } = await workPlaceOf(config, sessionMetadata, connection.capabilities);
  return { setup, record: unused.length === 0 ? {} : { unused_directories: unused } };
}

function refuseLogin(answer: RpcAnswer, connection: AgentConnection): void {
  const ways = loginWays(answer, connection);
  if (ways !== undefined) throw new Fault('auth_required', LOGIN_WANTED, { auth_methods: ways });
}

const HEADING =
  'What was said in this conversation before, oldest first. It is context only: nothing of it is to be done again.';

const INSTRUCTION = 'Instructions that hold for this whole conversation:';

/** The system prompt of the Session as text, for an agent whose protocol has no field for it; undefined without one. */
export function instructionText({ system_prompt: prompt }: JsonObject): string | undefined {
  if (prompt === undefined || prompt === null) return undefined;
  return `${INSTRUCTION}\n\n${typeof prompt === 'string' ? prompt : JSON.stringify(prompt)}`;
}

/** Earlier turns as one text, the newest that fit; undefined when there are none. */
export function historyText(turns: readonly PastTurn[]): { text: string; turns: number } | undefined {
  const lines: string[] = [];
  let chars = 0;
  for (const { role, text } of turns.toReversed()) {
    const line = `${role}: ${text}`;
    chars += line.length;
    if (chars > FIXED_LIMITS.historyChars) break;
    lines.unshift(line);
  }
  if (lines.length === 0) return undefined;
  return { text: `${HEADING}\n\n${lines.join('\n\n')}`, turns: lines.length };
}

/** Where a session of an agent works. */
interface WorkPlace {
  /** Members of its setup. Spec: ACP v1, "Session Setup". */
  setup: JsonObject;
  /** Directories that its client named, and that it does not work in. */
  unused: string[];
}

/**
 * The directories that the client of a Session named, as far as the operator lets agents work there, else that of the agent's row.
 * They are places to work in and no confinement: an agent reaches what its program may.
 */
async function workPlaceOf(
  config: AcpClientConfig,
  sessionMetadata: JsonObject,
  capabilities: JsonObject,
): Promise<WorkPlace> {
  const { cwd, additional_directories: more } = objectOf(sessionMetadata['acp_client']);
  const named = textOf(cwd);
  const others = Array.isArray(more) ? more.flatMap((directory) => textOf(directory) ?? []) : [];
  const own = config.cwd ?? '/';
  const isUsed = named !== undefined && (named === own || (await isUsable(config, named)));
  const takesMore = isObject(objectOf(capabilities['sessionCapabilities'])['additionalDirectories']);
  const used: string[] = [];
  for (const directory of takesMore ? others : [])
    if (await isUsable(config, directory)) used.push(directory);
  const unused = others.filter((directory) => !used.includes(directory));
  return {
    setup: { cwd: isUsed ? named : own, ...(used.length === 0 ? {} : { additionalDirectories: used }) },
    unused: named === undefined || isUsed ? unused : [named, ...unused],
  };
}

/** A directory of this machine is looked up, links and all; one of a remote agent is known by its name only. */
async function isUsable(
  { client_cwd, client_roots = [], command }: AcpClientConfig,
  directory: string,
): Promise<boolean> {
  if (!client_cwd || !isAbsolute(directory)) return false;
  const place = command === undefined ? resolve(directory) : await directoryOf(directory);
  if (place === undefined || client_roots.length === 0) return place !== undefined;
  for (const root of client_roots) {
    const limit = command === undefined ? resolve(root) : await directoryOf(root);
    if (limit !== undefined && isUnder(limit, place)) return true;
  }
  return false;
}

/** The directory behind a name; undefined where there is none. */
async function directoryOf(name: string): Promise<string | undefined> {
  try {
    const place = await realpath(name);
    return (await stat(place)).isDirectory() ? place : undefined;
  } catch {
    return undefined;
  }
}

function isUnder(root: string, place: string): boolean {
  const way = relative(root, place);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
