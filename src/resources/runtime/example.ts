import { DEFAULT_VERSION } from '#protocol/versions.ts';
import { AT, VERSION } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

const capability = { id: 'tasks', description: 'Runs Tasks on the agents behind the gateway.' };

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  ProviderCatalog: {
    schema_version: 6,
    schema: 'https://harnlang.com/schemas/provider-catalog.v6.json',
    generated_by: 'harn-gateway',
    providers: [{ id: 'acp:coder', display_name: 'Coder', protocols: ['acp'] }],
    models: [{ id: 'small', name: 'Small', provider: 'acp:coder' }],
    aliases: [],
    variants: [],
    families: [],
    qc_defaults: {},
  },
  RuntimeMetadata: {
    object: 'runtime',
    version: VERSION,
    protocol_version: DEFAULT_VERSION,
    adapter: 'harn-gateway',
    session_count: 1,
    task_count: 1,
    capabilities: [capability],
  },
  Caller: {
    object: 'caller',
    actor: 'ci-bot',
    tenant_id: 'tenant_default',
    scopes: ['sessions:read', 'tasks:read'],
    workspaces: ['workspace_default'],
  },
  Reload: {
    object: 'reload',
    reloaded_at: AT,
    applied: ['upstreams.acp'],
    needs_restart: ['limits.max_running_tasks'],
    routes: { added: ['acp:coder'], replaced: [], removed: [] },
  },
  CapabilitySummary: { object: 'capability_summary', capabilities: [capability] },
  Tool: {
    id: 'getTask',
    object: 'tool',
    name: 'getTask',
    description: 'Read a Task.',
    input_schema: { type: 'object' },
    output_schema: { type: 'object' },
  },
} satisfies Examples;
