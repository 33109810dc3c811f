import type { Handlers } from '#core/handlers.ts';
import { importBundle } from './importBundle.ts';
import { exportBundle, validateBundle } from './queries.ts';

export const bundleHandlers = {
  importBundle,
  exportBundle,
  validateBundle,
} satisfies Partial<Handlers>;
