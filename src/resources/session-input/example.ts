import type { Examples } from '#resources/room.ts';

const spec = {
  name: 'DEPLOY_TARGET',
  kind: 'variable',
  lifetime: { kind: 'session' },
  usage: { kind: 'session_tools' },
};

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  SessionInputsRequest: { kind: 'put', spec, value: 'staging' },
  SessionInputsResponse: {
    input: { ...spec, value: 'staging' },
    delivery: {
      kept: 'memory',
      taken_by: [{ name: 'DEPLOY_TARGET', routes: ['mcp:deploy'] }],
      told: [],
      message: 'Kept in memory until the session ends or the gateway restarts.',
    },
  },
} satisfies Examples;
