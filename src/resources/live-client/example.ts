import { AT } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

const client = {
  client_id: 'editor-1',
  mode: 'controller',
  attached_at: AT,
  last_seen_at: AT,
  prompt_injection: true,
  permission_routing: true,
  metadata: { name: 'An editor' },
};

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  LiveSessionClient: client,
  LiveSessionClientList: { object: 'list', data: [client] },
  AttachSessionClientRequest: { client_id: 'editor-1', mode: 'controller', metadata: { name: 'An editor' } },
  SessionClientRequest: { client_id: 'editor-1', reason: 'The phone takes over.' },
  LiveSessionClientChange: {
    client,
    previous_controller_id: null,
    active_controller_id: 'editor-1',
    clients: [client],
  },
} satisfies Examples;
