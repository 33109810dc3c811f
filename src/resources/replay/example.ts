import type { Examples } from '#resources/room.ts';

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  ReplaySessionRequest: { mode: 'exact', trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' },
  ReplayTaskRequest: { mode: 'exact', reason: 'Does it still come out the same?' },
} satisfies Examples;
