import type { Handlers } from '#core/handlers.ts';
import { getRuntime, getTool, listCapabilities, listTools } from './queries.ts';

export const runtimeHandlers = {
  getRuntime,
  getTool,
  listCapabilities,
  listTools,
} satisfies Partial<Handlers>;
