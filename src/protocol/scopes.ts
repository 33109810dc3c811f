/** `<collection>:read|write` for every collection, and the single ones of contract section 7. */
export const SCOPES = [
  'workspaces:read',
  'workspaces:write',
  'sessions:read',
  'sessions:write',
  'branches:read',
  'branches:write',
  'messages:read',
  'messages:write',
  'tasks:read',
  'tasks:write',
  'events:read',
  'artifacts:read',
  'artifacts:write',
  'outcomes:read',
  'memories:read',
  'memories:write',
  'internal:read',
  'admin',
  '*',
] as const;
export type Scope = (typeof SCOPES)[number];
