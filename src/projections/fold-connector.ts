import type { Event, StateWriter } from '../eventlog/event-log.ts';
import { payload } from './payload.ts';
import { stateKey } from './state-keys.ts';
import type { ConnectorSessionState, DeliveryState } from './states.ts';

/** A delivery counts as dealt with from here on; a failed one leaves nothing, so that it can come again. */
export function foldNormalized(event: Event, states: StateWriter): void {
  const { delivery_id, dedupe_key, session_id, message_id } = payload(event, 'connector.normalized');
  const connectorId = event.resource.id;
  states.set(stateKey.connectorSession(connectorId), { session_id } satisfies ConnectorSessionState);
  if (dedupe_key === null) return;
  const delivery = {
    id: delivery_id,
    object: 'connector_delivery' as const,
    created_at: event.created_at,
    connector_id: connectorId,
    workspace_id: event.workspace_id ?? '',
    dedupe_key,
    session_id,
    task_id: null,
    message_id,
  };
  states.set(stateKey.delivery(connectorId, dedupe_key), { delivery } satisfies DeliveryState);
}

export function foldConnectorTask(event: Event, states: StateWriter): void {
  const { dedupe_key, task_id } = payload(event, 'connector.task_submitted');
  if (dedupe_key === null) return;
  const key = stateKey.delivery(event.resource.id, dedupe_key);
  const known = states.get<DeliveryState>(key);
  if (known) states.set(key, { delivery: { ...known.delivery, task_id } } satisfies DeliveryState);
}
