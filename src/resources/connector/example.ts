import { AT, resource, TASK_ID, WORKSPACE, whole } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Connector: resource('connector', 'orders', {
    provider: 'shop',
    workspace_id: WORKSPACE,
    status: 'ACTIVE',
    event_kinds: ['connector.delivery_received', 'connector.task_submitted'],
    dedupe_policy: { header: 'X-Delivery' },
    auth: { type: 'hmac-sha256', header: 'X-Harn-Signature' },
    webhook: { path: '/v1/connectors/orders/deliveries' },
    polling: {},
    target_persona_id: null,
    target_session_id: null,
  }),
  ConnectorDelivery: {
    id: 'delivery_01KAHG6C47Y3B5T7E9G1J3M5P7',
    object: 'connector_delivery',
    created_at: AT,
    connector_id: 'orders',
    dedupe_key: 'd-17',
    ...whole,
    task_id: TASK_ID,
    message_id: null,
  },
} satisfies Examples;
