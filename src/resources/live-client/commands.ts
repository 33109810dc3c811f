import type { Command, Decided, Handlers } from '#core/command.ts';
import type { Facts } from '#core/facts.ts';
import { load } from '#core/load.ts';
import { ok, type Query } from '#core/query.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { canonicalJson } from '#json/canonical.ts';
import { jsonSize } from '#json/large-json.ts';
import { type Clean, type CleanObject, type CleanText, word } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { refuseClosed } from '#resources/session/session-lane.ts';
import type { CleanSessionFold } from '#resources/session/state.ts';
import { recordTakeover } from '#resources/trust/record-trust.ts';
import {
  appendChange,
  type Crew,
  changeOf,
  crewOf,
  type Happened,
  withClient,
  withoutClient,
} from './change-clients.ts';
import type { KnownClient } from './live-memory.ts';
import { LIVE_CLIENT_LIMITS, type LiveSessionClient } from './schema.ts';

/** A Session that somebody is in, and who. */
interface Scene {
  session: CleanSessionFold;
  crew: Crew;
  /** The client that the call names, where it is there. */
  known: KnownClient | undefined;
}

function sceneOf(tx: Transaction, facts: Facts, sessionId: string, clientId: string): Scene {
  const session = load(tx, facts.caller, 'session', sessionId);
  refuseClosed(session.resource, tx.time);
  if (facts.connection !== undefined && !facts.live.isOpen(facts.connection))
    throw new ProtocolError('client_closed_request', 'The connection of this client is over.');
  const crew = crewOf(session, facts.live);
  return { session, crew, known: crew.clients.get(clientId) };
}

/** A client id belongs to the actor that attached it. */
function refuseOther({ by }: Facts, known: KnownClient | undefined): void {
  if (known === undefined || known.holder.actor === by.actor) return;
  const message = 'Another actor attached a client of this id. Use another client_id.';
  throw new ProtocolError('conflict', message, {
    param: 'client_id',
    details: { reason: 'client_of_another_actor', client_id: known.shown.client_id },
  });
}

function loadKnown(facts: Facts, { known }: Scene): KnownClient {
  if (known === undefined) {
    const message = 'No client of this id is attached to the session. Attach it first.';
    throw new ProtocolError('resource_not_found', message, {
      param: 'client_id',
      details: { reason: 'live_client_error' },
    });
  }
  refuseOther(facts, known);
  return known;
}

/** What each client says of itself is in every event of the others. */
function refuseLargeMetadata(metadata: CleanObject | undefined): void {
  const { metadataBytes } = LIVE_CLIENT_LIMITS;
  if (metadata === undefined || jsonSize(metadata, metadataBytes) <= metadataBytes) return;
  throw new ProtocolError(
    'payload_too_large',
    `metadata is larger than ${metadataBytes} bytes. Shorten it.`,
    {
      param: 'metadata',
      details: { limit_bytes: metadataBytes },
    },
  );
}

/** What a client asks to be. */
interface Wish {
  action: Happened['action'];
  clientId: CleanText;
  mode: LiveSessionClient['mode'];
  injects: boolean;
  routes: boolean;
  metadata: CleanObject | undefined;
  reason: CleanText | null;
  takesOver: boolean;
}

function attach(tx: Transaction, facts: Facts, sessionId: string, wish: Wish): Decided {
  const { clientId, mode } = wish;
  refuseLargeMetadata(wish.metadata);
  const scene = sceneOf(tx, facts, sessionId, clientId);
  const { session, crew, known } = scene;
  refuseOther(facts, known);
  const { controller } = crew;
  const takesFrom = mode === 'controller' && controller !== null && controller !== clientId;
  if (takesFrom && !wish.takesOver) {
    const message = `${controller} controls this session. Attach as observer, or take over.`;
    throw new ProtocolError('conflict', message, {
      param: 'mode',
      details: { reason: 'live_client_error', active_controller_id: controller },
    });
  }
  const connection = facts.connection ?? known?.holder.connection ?? null;
  const free = withoutOwn(crew, facts.connection, clientId);
  if (known === undefined && free.clients.size >= LIVE_CLIENT_LIMITS.clients) throw full();
  const client: KnownClient = {
    shown: {
      client_id: clientId,
      mode,
      attached_at: known?.shown.attached_at ?? tx.time,
      last_seen_at: tx.time,
      prompt_injection: wish.injects,
      permission_routing: wish.routes,
      metadata: wish.metadata ?? {},
    },
    holder: { actor: facts.by.actor, connection },
  };
  const after = withClient(free, client);
  const action = takesFrom ? 'takeover' : wish.action;
  const happened: Happened = { action, clientId, reason: wish.reason };
  if (isInLog(session, clientId) && isSame(crew, after)) hear(tx, facts, sessionId, client);
  else {
    const event = appendChange(tx, facts.live, session, { before: crew, after }, happened);
    // Control changed hands without the agreement of who had it.
    if (takesFrom) recordTakeover(tx, facts, session.resource, { event, from: controller, to: clientId });
  }
  // Before the commit: a connection that ends meanwhile takes it along.
  if (facts.connection !== undefined) facts.live.attach(sessionId, facts.connection, clientId);
  return { body: changeOf(crew, after, clientId) };
}

/** A connection is in a Session once: under the id that it attached last. */
function withoutOwn(crew: Crew, connection: string | undefined, clientId: string): Crew {
  if (connection === undefined) return crew;
  return [...crew.clients].reduce(
    (rest, [id, { holder }]) =>
      holder.connection === connection && id !== clientId ? withoutClient(rest, id) : rest,
    crew,
  );
}

function isInLog({ internal }: CleanSessionFold, clientId: string): boolean {
  return internal.live?.[clientId] !== undefined;
}

/** Whether nothing changed but when somebody was seen. */
function isSame(before: Crew, after: Crew): boolean {
  return spelled(before) === spelled(after);
}

function spelled({ clients, controller }: Crew): string {
  const rows = [...clients.values()].map(({ shown: { last_seen_at, ...shown }, holder }) => [shown, holder]);
  return canonicalJson([controller, rows] as unknown as JsonValue);
}

function full(): ProtocolError {
  const { clients } = LIVE_CLIENT_LIMITS;
  return new ProtocolError('conflict', `A session has at most ${clients} live clients. Detach one.`, {
    details: { reason: 'too_many_clients', limit: clients },
  });
}

function hear(tx: Transaction, { live }: Facts, sessionId: string, { shown }: KnownClient): void {
  const { client_id, last_seen_at, metadata } = shown;
  tx.afterCommit(() => live.hear(sessionId, client_id, { last_seen_at, metadata }));
}

const attachSessionClient: Command<'attachSessionClient'> = {
  decide({ path, body }, tx, facts) {
    const controls = body.mode === 'controller';
    return attach(tx, facts, path.session_id, {
      action: 'attached',
      clientId: body.client_id,
      mode: body.mode,
      injects: body.prompt_injection ?? controls,
      routes: body.permission_routing ?? controls,
      metadata: body.metadata,
      reason: null,
      takesOver: body.takeover,
    });
  },
};

/** The client need not have attached before. */
const takeoverSessionClient: Command<'takeoverSessionClient'> = {
  decide({ path, body }, tx, facts) {
    return attach(tx, facts, path.session_id, {
      action: 'takeover',
      clientId: body.client_id,
      mode: 'controller',
      injects: true,
      routes: true,
      metadata: body.metadata,
      reason: body.reason ?? null,
      takesOver: true,
    });
  },
};

const detachSessionClient: Command<'detachSessionClient'> = {
  decide({ path, body }, tx, facts) {
    const { session_id: sessionId } = path;
    const clientId = body.client_id;
    const scene = sceneOf(tx, facts, sessionId, clientId);
    const { connection } = loadKnown(facts, scene).holder;
    const { session, crew } = scene;
    const after = withoutClient(crew, clientId);
    if (connection !== null) leave(facts, sessionId, connection);
    const reason = body.reason ?? word('client_detached');
    appendChange(tx, facts.live, session, { before: crew, after }, { action: 'detached', clientId, reason });
    return { body: changeOf(crew, after, clientId) };
  },
};

function leave({ live }: Facts, sessionId: string, connection: string): void {
  live.attach(sessionId, connection, undefined);
  live.unfollow(sessionId, connection);
}

/** Nothing is recorded; metadata that is left out stays. */
const heartbeatSessionClient: Command<'heartbeatSessionClient'> = {
  decide({ path, body }, tx, facts) {
    const { session_id: sessionId } = path;
    refuseLargeMetadata(body.metadata);
    const scene = sceneOf(tx, facts, sessionId, body.client_id);
    const { shown, holder } = loadKnown(facts, scene);
    const metadata = body.metadata ?? shown.metadata;
    const seen: KnownClient = { shown: { ...shown, last_seen_at: tx.time, metadata }, holder };
    hear(tx, facts, sessionId, seen);
    const { controller, clients } = scene.crew;
    const after = { controller, clients: new Map(clients).set(body.client_id, seen) };
    return { body: changeOf(scene.crew, after, body.client_id) };
  },
};

const listSessionLiveClients: Query<'listSessionLiveClients'> = ({ path }, { reader, caller, live }) => {
  const session = load(reader, caller, 'session', path.session_id);
  const data: Clean<LiveSessionClient>[] = [...live.clientsOf(session).values()].map(({ shown }) => shown);
  return ok({ object: 'list', data }, caller);
};

export const handlers = {
  attachSessionClient,
  detachSessionClient,
  heartbeatSessionClient,
  takeoverSessionClient,
  listSessionLiveClients,
} satisfies Partial<Handlers>;
