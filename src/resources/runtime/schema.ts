import { z } from 'zod';
import { jsonObject } from '#protocol/envelope.ts';

export const capability = z.object({ id: z.string(), description: z.string() }).meta({ id: 'Capability' });
export type Capability = z.infer<typeof capability>;

export const capabilitySummary = z
  .object({ object: z.literal('capability_summary'), capabilities: z.array(capability) })
  .meta({ id: 'CapabilitySummary' });

/** Counts are of what the caller may see, and stop at 10,000. */
export const runtimeMetadata = z
  .object({
    object: z.literal('runtime'),
    version: z.string(),
    protocol_version: z.string(),
    adapter: z.string(),
    session_count: z.int().min(0),
    task_count: z.int().min(0),
    capabilities: z.array(capability),
  })
  .meta({ id: 'RuntimeMetadata' });

/** What a credential is of, and may do. Nothing of the credential itself. */
export const callerFacts = z
  .object({
    object: z.literal('caller'),
    actor: z.string().describe('Who calls, as events and receipts name them.'),
    tenant_id: z.string(),
    scopes: z
      .array(z.string())
      .describe('What the credential may do; `*` is everything but the gateway itself.'),
    workspaces: z
      .array(z.string())
      .describe('Workspaces of the credential, the default first; `*` is every one of the tenant.'),
  })
  .meta({ id: 'Caller' });

/** An operation of this gateway as a tool: what goes in, by place, and what comes out. */
export const tool = z
  .object({
    id: z.string(),
    object: z.literal('tool'),
    name: z.string(),
    description: z.string(),
    input_schema: jsonObject,
    output_schema: jsonObject,
  })
  .meta({ id: 'Tool' });
export type Tool = z.infer<typeof tool>;

/** What a reload has changed. Options are named as in the file, for example `upstreams.acp`. */
export const reloadReport = z
  .object({
    object: z.literal('reload'),
    reloaded_at: z.iso.datetime(),
    applied: z.array(z.string()).describe('Changed options that are in effect.'),
    needs_restart: z.array(z.string()).describe('Changed options that take effect at the next start.'),
    routes: z
      .object({ added: z.array(z.string()), replaced: z.array(z.string()), removed: z.array(z.string()) })
      .describe('Tasks that run on a replaced or removed agent end there.'),
  })
  .meta({ id: 'Reload' });
export type ReloadReport = z.infer<typeof reloadReport>;
