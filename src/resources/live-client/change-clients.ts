import { newEvent, placeOfSession } from '#core/new-event.ts';
import type { Event, Transaction } from '#eventlog/event-log.ts';
import type { Clean, CleanText } from '#protocol/clean.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import type { LIVE_CLIENT_ACTIONS, LiveClientHolder } from './events.ts';
import type { KnownClient, KnownClients, LiveMemory } from './live-memory.ts';
import type { LiveSessionClient, LiveSessionClientChange } from './schema.ts';

/** Who is in a Session, and who of them controls it. */
export interface Crew {
  clients: KnownClients;
  controller: CleanText | null;
}

export function crewOf(session: CleanSessionFold, live: LiveMemory): Crew {
  const { state, live_controller_id } = session.resource;
  return {
    clients: live.clientsOf(session),
    controller: state === 'CLOSED' ? null : (live_controller_id ?? null),
  };
}

/** One more client, or one that is otherwise than before; without it a controller that gives way becomes an observer. */
export function withClient({ clients, controller }: Crew, client: KnownClient): Crew {
  const { client_id: id, mode } = client.shown;
  const next = new Map(clients);
  const before = controller === null ? undefined : clients.get(controller);
  if (mode === 'controller' && before !== undefined && controller !== id)
    next.set(before.shown.client_id, { ...before, shown: asObserver(before.shown) });
  next.set(id, client);
  const kept = controller === id ? null : controller;
  const sorted = new Map([...next].sort(([one], [other]) => (one < other ? -1 : 1)));
  return { clients: sorted, controller: mode === 'controller' ? id : kept };
}

export function withoutClient({ clients, controller }: Crew, id: string): Crew {
  const rest = new Map(clients);
  rest.delete(id);
  return { clients: rest, controller: controller === id ? null : controller };
}

function asObserver(shown: Clean<LiveSessionClient>): Clean<LiveSessionClient> {
  return { ...shown, mode: 'observer', prompt_injection: false, permission_routing: false };
}

/** What a call answers: the client it was about, or null when it is gone. */
export function changeOf(before: Crew, after: Crew, id: string): Clean<LiveSessionClientChange> {
  return {
    client: after.clients.get(id)?.shown ?? null,
    previous_controller_id: before.controller,
    active_controller_id: after.controller,
    clients: [...after.clients.values()].map(({ shown }) => shown),
  };
}

/** What happened to which client. */
export interface Happened {
  action: (typeof LIVE_CLIENT_ACTIONS)[number];
  clientId: CleanText;
  reason: CleanText | null;
}

/** Records who is there now. What was heard of them is in the log with it. */
export function appendChange(
  tx: Transaction,
  live: LiveMemory,
  { resource }: Pick<CleanSessionFold, 'resource'>,
  { before, after }: { before: Crew; after: Crew },
  { action, clientId, reason }: Happened,
): Event {
  const change = changeOf(before, after, clientId);
  const held: [string, Clean<LiveClientHolder>][] = [];
  for (const [id, { holder }] of after.clients) held.push([id, holder]);
  const mode = (after.clients.get(clientId) ?? before.clients.get(clientId))?.shown.mode ?? 'observer';
  const event = tx.append(
    newEvent(
      'vendor.harn_gateway.live_client_changed',
      { object: 'session', id: resource.id },
      placeOfSession(resource),
      {
        action,
        client_id: clientId,
        mode,
        reason,
        ...change,
        held_by: Object.fromEntries(held),
        update: { sessionUpdate: 'live_session_client', _meta: { harn: { action, state: change } } },
      },
    ),
  );
  tx.afterCommit(() => {
    for (const id of before.clients.keys()) live.forget(resource.id, id);
  });
  return event;
}

/** Takes clients out of a Session that the log knows; one event for each. */
export function detachAll(
  tx: Transaction,
  live: LiveMemory,
  sessionId: string,
  isGone: (client: KnownClient) => boolean,
  reason: CleanText,
): void {
  const session = tx.get<CleanSessionFold>(sessionKeys.session(sessionId));
  if (session === undefined || session.resource.state === 'CLOSED') return;
  let crew = crewOf(session, live);
  for (const { client_id: id } of session.resource.live_clients ?? []) {
    const client = crew.clients.get(id);
    if (client === undefined || !isGone(client)) continue;
    const after = withoutClient(crew, id);
    appendChange(tx, live, session, { before: crew, after }, { action: 'detached', clientId: id, reason });
    crew = after;
  }
}
