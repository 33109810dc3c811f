import type { FaceMethods } from '#face.ts';

/** What each method of MCP is in operations of the gateway; it gives the scope. Methods of the wire itself have none. */
export const METHODS = {
  'tools/list': 'listSkills',
  'tools/call': 'submitTask',
  'resources/list': 'listArtifacts',
  'resources/templates/list': 'listSkills',
  'resources/read': 'getArtifact',
  'tasks/get': 'getTask',
  'tasks/update': 'respondPermissionRequest',
  'tasks/cancel': 'cancelTask',
} as const satisfies FaceMethods<string>;

export const SERVER_NAME = 'harn-gateway';

export const INSTRUCTIONS =
  'Tools of many servers, named <server>__<tool>, and agents, named ask_<agent>. Every call is a recorded Task; ' +
  'its id is in _meta of the result, and harn://tasks/{id} reads it.';
