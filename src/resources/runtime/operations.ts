import { listOf } from '#protocol/envelope.ts';
import { type OperationRow, page } from '#protocol/operation-row.ts';
import { providerCatalog } from './catalog-schema.ts';
import { capabilitySummary, reloadReport, runtimeMetadata, tool } from './schema.ts';

export const runtimeOperations = {
  getRuntime: {
    kind: 'query',
    method: 'GET',
    path: '/v1/runtime',
    tag: 'Runtime',
    summary: 'Describe the gateway that answers.',
    scope: 'runtime:read',
    level: 'extended',
    success: 200,
    response: runtimeMetadata,
    variesByVersion: true,
  },
  getProviderCatalog: {
    kind: 'query',
    method: 'GET',
    path: '/v1/provider-catalog',
    tag: 'Runtime',
    summary:
      'Read the providers and models of the configuration, and those that agents have offered since the start.',
    scope: 'runtime:read',
    level: 'extended',
    success: 200,
    response: providerCatalog,
  },
  reloadConfiguration: {
    kind: 'command',
    method: 'POST',
    path: '/v1/admin/reload',
    tag: 'Runtime',
    summary:
      'Read the configuration again and let it take effect without a restart; what needs one is named. A faulty one changes nothing.',
    scope: 'operator',
    level: 'vendor',
    success: 200,
    response: reloadReport,
  },
  listCapabilities: {
    kind: 'query',
    method: 'GET',
    path: '/v1/capabilities',
    tag: 'Runtime',
    summary: 'List what this gateway can do: transports, operations and its vendor routes.',
    scope: 'runtime:read',
    level: 'extended',
    success: 200,
    response: capabilitySummary,
  },
  listTools: {
    kind: 'query',
    method: 'GET',
    path: '/v1/tools',
    tag: 'Tools',
    summary: 'List the control-plane tools of this gateway: its own operations.',
    scope: 'tools:read',
    level: 'extended',
    success: 200,
    query: page,
    response: listOf(tool),
  },
  getTool: {
    kind: 'query',
    method: 'GET',
    path: '/v1/tools/{tool_id}',
    tag: 'Tools',
    summary: 'Read the description of a control-plane tool.',
    scope: 'tools:read',
    level: 'extended',
    success: 200,
    response: tool,
  },
} as const satisfies Record<string, OperationRow>;
