import { z } from 'zod';
import type { JsonObject } from '#protocol/json.ts';
import { auth } from './sections/auth.ts';
import { catalog } from './sections/catalog.ts';
import { connectors } from './sections/connectors.ts';
import { consolePage } from './sections/console.ts';
import { limits } from './sections/limits.ts';
import { routing, telemetry } from './sections/operation.ts';
import { outbound } from './sections/outbound.ts';
import { personas } from './sections/personas.ts';
import { policy } from './sections/policy.ts';
import { quotas } from './sections/quotas.ts';
import { rateLimits } from './sections/rate-limits.ts';
import { receipts } from './sections/receipts.ts';
import { resilience } from './sections/resilience.ts';
import { retention } from './sections/retention.ts';
import { server } from './sections/server.ts';
import { sessions } from './sections/sessions.ts';
import { store } from './sections/store.ts';
import { tenants, workspaces } from './sections/tenancy.ts';
import { upstreams } from './sections/upstreams.ts';
import { vaults } from './sections/vaults.ts';

/** The sections in the order of the example file. A new section is one row here and one file in `sections/`. */
export const SECTIONS = {
  server,
  store,
  auth,
  tenants,
  workspaces,
  vaults,
  upstreams,
  resilience,
  routing,
  personas,
  catalog,
  policy,
  quotas,
  sessions,
  receipts,
  retention,
  connectors,
  outbound,
  limits,
  rate_limits: rateLimits,
  telemetry,
  console: consolePage,
} as const;

const settingsSchema = z.strictObject(SECTIONS);
export type Settings = z.output<typeof settingsSchema>;
export type SectionName = keyof Settings;
export const SECTION_NAMES = Object.keys(SECTIONS) as SectionName[];

/** JSON Schema (2020-12) of the configuration file, for editors and for the example file. */
export function configJsonSchema(): JsonObject {
  return z.toJSONSchema(settingsSchema, { io: 'input' }) as JsonObject;
}
