import type { Handlers } from '#core/handlers.ts';
import { deletePushConfig } from './deletePushConfig.ts';
import { getPushConfig, listDeadLetters, listPushConfigs } from './queries.ts';
import { retryDeadLetter } from './retryDeadLetter.ts';
import { setPushConfig } from './setPushConfig.ts';

export const pushHandlers = {
  deletePushConfig,
  retryDeadLetter,
  setPushConfig,
  getPushConfig,
  listDeadLetters,
  listPushConfigs,
} satisfies Partial<Handlers>;
