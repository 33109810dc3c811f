import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { type ConnectorSessionState, connectorKeys, type DeliveryState } from './state.ts';

export const folds: Folds = {
  'connector.normalized': [foldNormalized],
  'connector.task_submitted': [foldConnectorTask],
};

/** A delivery counts as dealt with from here on; a failed one leaves nothing, so that it can come again. */
function foldNormalized(event: Event, states: StateWriter): void {
  const normalized = payload(event, 'connector.normalized');
  const { delivery_id, dedupe_key, session_id, message_id } = normalized;
  const connectorId = event.resource.id;
  states.set(connectorKeys.connectorSession(connectorId), { session_id } satisfies ConnectorSessionState);
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
  for (const key of keysOf(connectorId, normalized)) states.set(key, { delivery } satisfies DeliveryState);
}

function foldConnectorTask(event: Event, states: StateWriter): void {
  const submitted = payload(event, 'connector.task_submitted');
  const { task_id } = submitted;
  for (const key of keysOf(event.resource.id, submitted)) {
    const known = states.get<DeliveryState>(key);
    if (known) states.set(key, { delivery: { ...known.delivery, task_id } } satisfies DeliveryState);
  }
}

/** By which a repetition is known: the id its provider gave it, which nobody signed, and what was signed. */
function keysOf(
  connectorId: string,
  { dedupe_key, signed_sha256 }: { dedupe_key: string | null; signed_sha256?: string | undefined },
): string[] {
  return [
    ...(dedupe_key === null ? [] : [connectorKeys.delivery(connectorId, dedupe_key)]),
    ...(signed_sha256 === undefined ? [] : [connectorKeys.signedDelivery(connectorId, signed_sha256)]),
  ];
}
