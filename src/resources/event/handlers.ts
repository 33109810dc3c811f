import type { Handlers } from '#core/handlers.ts';
import { getEvent, listEvents, listSessionEvents, listTaskEvents } from './queries.ts';

export const eventHandlers = {
  getEvent,
  listEvents,
  listSessionEvents,
  listTaskEvents,
} satisfies Partial<Handlers>;
