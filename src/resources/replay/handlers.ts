import type { Handlers } from '#core/handlers.ts';
import { replaySession } from './replaySession.ts';
import { replayTask } from './replayTask.ts';

export const replayHandlers = {
  replaySession,
  replayTask,
} satisfies Partial<Handlers>;
