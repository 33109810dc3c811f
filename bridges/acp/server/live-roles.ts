import type { JsonObject } from '#protocol/json.ts';
import { objectOf, objectsOf, textOf } from '#protocol/json-shape.ts';
import type { OutEvent } from '../../../mappings/acp/events-out.ts';

/** What is shown of a client that follows a Session. */
export function clientWords({ clientInfo }: { clientInfo: JsonObject }): JsonObject {
  const words = ['name', 'title', 'version'].flatMap((member) => {
    const text = textOf(clientInfo[member]);
    return text === undefined ? [] : [[member, text.slice(0, 200)] as const];
  });
  return { protocol: 'acp', ...Object.fromEntries(words) };
}

/** What a connection is in a Session that it attached itself to. */
export interface LiveRole {
  clientId: string;
  /** Whether another client, which controls the Session, is to be asked for what needs an answer. */
  isAskedElsewhere: boolean;
}

export function roleOf(clientId: string, change: JsonObject): LiveRole {
  const controller = textOf(change['active_controller_id']);
  const routes = objectsOf(change['clients']).some(
    (client) => client['client_id'] === controller && client['permission_routing'] === true,
  );
  return { clientId, isAskedElsewhere: routes && controller !== clientId };
}

/** Who works in a Session changed: the role of a connection that attached itself, and the update for every one that takes it. */
export function liveChange(
  { roles, clientCapabilities }: { roles: Map<string, LiveRole>; clientCapabilities: JsonObject },
  sessionId: string,
  { event, payload }: OutEvent,
): JsonObject | undefined {
  if (event !== 'vendor.harn_gateway.live_client_changed') return undefined;
  const role = roles.get(sessionId);
  if (payload['action'] === 'detached' && payload['client_id'] === role?.clientId) roles.delete(sessionId);
  else if (role !== undefined) roles.set(sessionId, roleOf(role.clientId, payload));
  // Clients of v1 fail on kinds of updates that they do not know.
  const { harn } = objectOf(clientCapabilities['_meta']);
  return objectOf(harn)['liveClients'] === true ? objectOf(payload['update']) : undefined;
}
