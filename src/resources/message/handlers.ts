import type { Handlers } from '#core/handlers.ts';
import { appendSessionMessage } from './appendSessionMessage.ts';
import { appendTaskMessage } from './appendTaskMessage.ts';

export const messageHandlers = {
  appendSessionMessage,
  appendTaskMessage,
} satisfies Partial<Handlers>;
