import { nextTurn } from '#core/next-turn.ts';
import type { Event, EventLog } from '#eventlog/event-log.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf, textOf } from '#protocol/json-shape.ts';
import type { KnownKind } from '#resources/event-payloads.ts';
import { eventKey, KEY_KINDS, keysUnder, lastSegment } from '#store/keys.ts';

/** Segments read before others have their turn. */
const PAGE = 100;

/** What an actor has left in one Session. */
export interface SessionTraces {
  id: string;
  /** False where nobody else has ever done anything in it: then it goes whole. */
  isShared: boolean;
  /** Tasks that the actor submitted, and replays of them. */
  tasks: Set<string>;
  /** Messages that the actor wrote, and those that agents wrote in these Tasks. */
  messages: Set<string>;
  artifacts: Set<string>;
  /** Branches of the Session. */
  branches: Map<string, BranchTraces>;
  /** Permission requests that the actor answered in the run of somebody else. */
  answered: Set<string>;
  /** Tasks of others whose replay material may repeat what the actor had said by then. */
  others: Set<string>;
  /** Members of the metadata of the Session whose value the actor wrote, or an agent in a run of the actor. */
  metadata: Set<string>;
  /** Whether the actor wrote its summary. */
  summary: boolean;
  /** Every member of its metadata, and every summary, that was ever written by the actor (`saidAs`). */
  said: Set<string>;
  /** Whether the actor made it. */
  isMaker: boolean;
  /** Ids of the live clients that the actor attached. */
  clients: Set<string>;
}

/** What an actor has left in one Branch. */
export interface BranchTraces {
  /** Whether the actor made, merged or abandoned it. */
  isHers: boolean;
  /** What stays of its metadata: the words of others. */
  metadata: JsonObject;
}

/** What an actor has left in a Workspace. */
export interface ActorTraces {
  /** Newest first: what was forked comes before what it was forked from. */
  sessions: SessionTraces[];
  /** Memories, push configs and Artifacts outside of Sessions that the actor made, by id. */
  memories: Set<string>;
  pushConfigs: Set<string>;
  artifacts: Set<string>;
}

/** A member of the metadata of a Session with its value, or its summary where no member is named. */
export const saidAs = (value: JsonValue, member = ''): string => `${member}\n${JSON.stringify(value)}`;

export interface WhoseTraces {
  actor: string;
  workspaceId: string;
  tenant: string;
  erasureId: string;
  /** Whether this is the name of an agent and of no caller. */
  isAgent(actor: string): boolean;
}

/** What is left of a word that was erased, in the place of the word. */
export const erasedWord = (erasureId: string): string => `[erased by ${erasureId}]`;

/** What configures a Session and says nothing of anybody. */
const CONFIGURATION: ReadonlySet<string> = new Set([
  'route',
  'autonomy_tier',
  'transcript_budget',
  'expires_at',
]);

/** Kinds with words of a caller that an agent may be told. */
const SAYS: ReadonlySet<string> = new Set([
  'user.message',
  'agent.message',
  'session.message_appended',
  'artifact.created',
  'artifact.updated',
  'session.created',
  'vendor.harn_gateway.session_updated',
  'tool.approved',
  'tool.denied',
  'vendor.harn_gateway.permission_resolved',
] satisfies KnownKind[]);

/** All events of the log, in order, those behind a mark of retention too. */
export async function* everyEvent(log: EventLog, fromId?: string): AsyncGenerator<Event, void> {
  const { gte, lt } = keysUnder(KEY_KINDS.event.prefix);
  const first = fromId === undefined ? gte : eventKey(fromId);
  let page = await log.indexKeys({ gte: first, lt, limit: PAGE });
  while (page.length > 0) {
    for (const key of page) {
      const segment = log.segment(lastSegment(key));
      for (const bytes of segment?.events ?? []) yield JSON.parse(bytes.toString()) as Event;
    }
    await nextTurn();
    page = await log.indexKeys({ gt: page.at(-1) ?? lt, lt, limit: PAGE });
  }
}

/** A Session while the log is read. */
interface Seen extends SessionTraces {
  /** The members of its metadata as JSON, and whether they are words of the actor. */
  values: Map<string, Value>;
  summaryText: JsonValue;
  isTouched: boolean;
  /** Whether an agent may have been told something that the actor said. */
  hasSaid: boolean;
}

interface Value {
  value: JsonValue;
  isHers: boolean;
}

/**
 * Finds what an actor has left in a Workspace, of what events keep when they lose their words: ids, kinds, actors and links. So a
 * second reading, after a crash in the middle, finds the same.
 */
export async function tracesOf(log: EventLog, whose: WhoseTraces): Promise<ActorTraces> {
  const reading = new Reading(whose);
  for await (const event of everyEvent(log)) reading.take(event);
  return reading.traces();
}

class Reading {
  readonly #whose: WhoseTraces;
  readonly #sessions = new Map<string, Seen>();
  readonly #routes = new Set<string>();
  readonly #actors = new Map<string, Set<string>>();
  readonly #memories = new Set<string>();
  readonly #pushConfigs = new Set<string>();
  readonly #artifacts = new Set<string>();

  constructor(whose: WhoseTraces) {
    this.#whose = whose;
  }

  traces(): ActorTraces {
    const touched = [...this.#sessions.values()].filter(({ isTouched }) => isTouched);
    for (const seen of touched) {
      seen.isShared = this.#hasOthers(seen.id);
      const own = [...seen.values].filter(([name, { isHers }]) => isHers && !CONFIGURATION.has(name));
      seen.metadata = new Set(own.map(([name]) => name));
    }
    touched.sort((one, other) => (one.id < other.id ? 1 : -1));
    const [memories, pushConfigs, artifacts] = [this.#memories, this.#pushConfigs, this.#artifacts];
    return { sessions: touched, memories, pushConfigs, artifacts };
  }

  #hasOthers(sessionId: string): boolean {
    const { actor, isAgent } = this.#whose;
    const isOther = (name: string) => name !== actor && !this.#routes.has(name) && !isAgent(name);
    return [...(this.#actors.get(sessionId) ?? [])].some(isOther);
  }

  take(event: Event): void {
    const { actor, workspaceId, tenant } = this.#whose;
    const { session_id, workspace_id, metadata, resource } = event;
    const isOfTenant = workspace_id === null && metadata['tenant_id'] === tenant;
    if (workspace_id !== workspaceId && !isOfTenant) return;
    const isHers = event.actor === actor;
    if (isHers && event.event === 'vendor.harn_gateway.memory_created') this.#memories.add(resource.id);
    if (isHers && event.event === 'vendor.harn_gateway.push_config_set') this.#pushConfigs.add(resource.id);
    if (session_id === null) {
      if (isHers && event.event === 'artifact.created') this.#artifacts.add(resource.id);
      return;
    }
    if (workspace_id === workspaceId) this.#takeOfSession(event, session_id, isHers);
  }

  #takeOfSession(event: Event, sessionId: string, isHers: boolean): void {
    const { actor, task_id, payload } = event;
    const seen = this.#sessions.get(sessionId) ?? newSeen(sessionId);
    this.#sessions.set(sessionId, seen);
    if (actor !== null) {
      const actors = this.#actors.get(sessionId) ?? new Set<string>();
      this.#actors.set(sessionId, actors.add(actor));
    }
    if (typeof payload['route'] === 'string') this.#routes.add(payload['route']);
    if (event.event === 'task.submitted' && task_id !== null && this.#isOwnRun(event, seen, isHers))
      seen.tasks.add(task_id);
    const inOwnRun = task_id !== null && seen.tasks.has(task_id);
    if (isHers || inOwnRun) seen.isTouched = true;
    if (inOwnRun) seen.hasSaid = true;
    this.#takeWords(event, seen, isHers, inOwnRun);
    if (task_id !== null && !inOwnRun && seen.hasSaid) seen.others.add(task_id);
  }

  /** A replay repeats what was said in the run that it replays, whoever asked for it. */
  #isOwnRun({ payload }: Event, { tasks }: Seen, isHers: boolean): boolean {
    const source = objectOf(payload['replay'])['source_task_id'];
    return isHers || (typeof source === 'string' && tasks.has(source)) || this.#isErased(payload);
  }

  #isErased(payload: JsonObject): boolean {
    return objectOf(payload['erased'])['erasure_id'] === this.#whose.erasureId;
  }

  /** Of a run of the actor everything goes but what somebody else put in. */
  #takeWords(event: Event, seen: Seen, isHers: boolean, inOwnRun: boolean): void {
    const { resource, payload } = event;
    const goes = isHers || (inOwnRun && !this.#isSomebodyElse(event));
    if (isHers && SAYS.has(event.event)) seen.hasSaid = true;
    switch (event.event) {
      case 'user.message':
      case 'agent.message':
        if (goes) seen.messages.add(resource.id);
        break;
      case 'session.message_appended':
        if (goes && typeof payload['message_id'] === 'string') seen.messages.add(payload['message_id']);
        break;
      case 'artifact.created':
        if (goes) seen.artifacts.add(resource.id);
        break;
      case 'branch.created':
        takeBranch(seen, resource.id, isHers, objectOf(objectOf(payload['branch'])['metadata']));
        break;
      case 'branch.merged':
        takeBranch(seen, resource.id, isHers, objectOf(payload['metadata']));
        break;
      case 'branch.abandoned': {
        const { reason = null } = payload;
        const said = (word: JsonValue) => ({ abandoned: true, ...(reason === null ? {} : { reason: word }) });
        takeBranch(seen, resource.id, isHers, said(reason), said(erasedWord(this.#whose.erasureId)));
        break;
      }
      case 'tool.approved':
      case 'tool.denied':
      case 'vendor.harn_gateway.permission_resolved':
        if (isHers && typeof payload['request_id'] === 'string') seen.answered.add(payload['request_id']);
        break;
      case 'session.created':
        seen.isMaker = isHers;
        this.#takeSession(objectOf(payload['session']), seen, isHers, forkedFrom(payload));
        break;
      case 'vendor.harn_gateway.session_updated':
        this.#takeSession(objectOf(payload['changes']), seen, isHers);
        break;
      case 'session.compacted':
      case 'vendor.harn_gateway.transcript_budget':
        takeArchive(seen, objectOf(payload['archive'])['summary']);
        break;
      case 'vendor.harn_gateway.agent_update':
        this.#takeUpdate(payload, seen, inOwnRun);
        break;
      case 'vendor.harn_gateway.live_client_changed':
        if (isHers && typeof payload['client_id'] === 'string') seen.clients.add(payload['client_id']);
        break;
    }
  }

  #isSomebodyElse({ actor }: Event): boolean {
    const { actor: whose, isAgent } = this.#whose;
    return actor !== null && actor !== whose && !this.#routes.has(actor) && !isAgent(actor);
  }

  /** Whose the words of a Session are that were written now; what only stayed as it was is whose it was. */
  #takeSession(words: JsonObject, seen: Seen, isHers: boolean, source?: string): void {
    const from = (source === undefined ? undefined : this.#sessions.get(source)) ?? seen;
    if (from !== seen && from.isTouched) seen.isTouched = seen.hasSaid = true;
    if ('summary' in words) {
      const { summary = null } = words;
      const isOwn = summary !== null && this.#isOwn(summary, from.summaryText, from.summary, isHers);
      Object.assign(seen, { summary: isOwn, summaryText: summary });
      if (isOwn) seen.said.add(saidAs(summary));
    }
    if (!('metadata' in words)) return;
    const before = new Map(from.values);
    seen.values.clear();
    for (const [name, value] of Object.entries(objectOf(words['metadata']))) {
      const known = before.get(name);
      const isOwn = this.#isOwn(value, known?.value, known?.isHers === true, isHers);
      seen.values.set(name, { value, isHers: isOwn });
      if (isOwn && !CONFIGURATION.has(name)) seen.said.add(saidAs(value, name));
    }
  }

  /** Behind the mark of a run that was cut short nobody can say whether a word is the one that it took: it goes. */
  #isOwn(value: JsonValue, before: JsonValue | undefined, wasHers: boolean, isHers: boolean): boolean {
    const hasStayed = before !== undefined && JSON.stringify(before) === JSON.stringify(value);
    const isUnsure = before !== undefined && this.#isGone(before);
    return (hasStayed ? wasHers : isHers) || isUnsure || this.#isGone(value);
  }

  /** The word that stands for one of the actor, from a run of the erasure that was cut short. */
  #isGone(value: JsonValue): boolean {
    return value === erasedWord(this.#whose.erasureId);
  }

  /** What an agent says of a Session becomes a member of its metadata. */
  #takeUpdate(payload: JsonObject, { values }: Seen, inOwnRun: boolean): void {
    const { about, protocol, kind, update } = payload;
    if (typeof protocol !== 'string' || typeof kind !== 'string' || about !== 'session') return;
    const before = values.get(protocol);
    const value = { ...objectOf(before?.value), [kind]: objectOf(update)['body'] ?? null };
    values.set(protocol, { value, isHers: inOwnRun || before?.isHers === true });
  }
}

/** What compaction says becomes the summary of the Session, and of its forks; it is made of what everybody said. */
function takeArchive(seen: Seen, summary: JsonValue | undefined): void {
  if (typeof summary !== 'string') return;
  Object.assign(seen, { summary: true, summaryText: summary });
  seen.said.add(saidAs(summary));
}

/** What others said of a Branch stays; `own` is what stays of what the actor said. */
function takeBranch(
  { branches }: Seen,
  id: string,
  isHers: boolean,
  said: JsonObject,
  own: JsonObject = {},
): void {
  const { isHers: wasHers = false, metadata = {} } = branches.get(id) ?? {};
  branches.set(id, {
    isHers: wasHers || isHers,
    metadata: { ...metadata, ...(isHers ? own : said) },
  });
}

function forkedFrom(payload: JsonObject): string | undefined {
  return textOf(objectOf(payload['forked'])['session_id']);
}

function newSeen(id: string): Seen {
  return {
    id,
    isShared: false,
    tasks: new Set(),
    messages: new Set(),
    artifacts: new Set(),
    branches: new Map(),
    answered: new Set(),
    others: new Set(),
    metadata: new Set(),
    summary: false,
    said: new Set(),
    isMaker: false,
    clients: new Set(),
    values: new Map(),
    summaryText: null,
    isTouched: false,
    hasSaid: false,
  };
}
