import type { Decision, Effect } from './decision.ts';

/** The rules that are not cells of the tier table, with what each of them does. */
const ROWS = {
  'scope.missing': ['refuse', 'The credentials lack the scope of the operation.'],
  'scope.held': ['allow', 'The credentials hold the scope of the operation.'],
  'scope.any': ['allow', 'The operation is for everybody with a credential.'],
  'scope.public': ['allow', 'The operation is for everybody.'],
  'scope.signature': ['allow', 'The sender is known by the signature of the delivery.'],
  'tenant.foreign': ['refuse', 'The resource is absent, or belongs to another tenant; both look the same.'],
  'workspace.foreign': ['refuse', 'The actor is no member of the workspace; the resource looks absent.'],
  'persona.tools': ['refuse', 'The persona lists its tools, and this one is not among them.'],
  'persona.capabilities': ['refuse', 'The persona lists its capabilities, and none of them covers this.'],
  'persona.handoffs': [
    'refuse',
    'The persona lists whom it hands work to, and this target is not among them.',
  ],
  'session.skills': ['refuse', 'The session lists its skills, and this one is not among them.'],
  'workspace.capabilities': ['refuse', 'The workspace lists its capabilities, and none of them covers this.'],
  'vault.session': ['refuse', 'The session lists its vaults, and one that is needed is not among them.'],
  'vault.workspace': ['refuse', 'A vault that is needed belongs to another workspace.'],
  'quota.hard': ['refuse', 'A hard quota is used up.'],
  'quota.soft': ['refuse', 'A quota is used up for now; the same may be allowed later.'],
  'policy.cost_ceiling': [
    'refuse',
    'The runs of the session have cost what the permission policy lets them, or more.',
  ],
  'approval.given': ['allow', 'A permission was given for exactly this.'],
  'tool.operator': ['ask', 'The operator wants calls of this tool to be allowed one by one.'],
  'tool.changed_definition': ['ask', 'The definition of this tool has changed since it was accepted.'],
  'tool.undeclared': [
    'allow',
    'The server is trusted and says nothing of what this tool does; policy.undeclared lets it be called.',
  ],
} as const satisfies Record<string, readonly [Effect, string]>;

export type RuleId = keyof typeof ROWS;

/** The decision objects are made once, so that judging a request allocates nothing. */
export const RULES = Object.fromEntries(
  Object.entries(ROWS).map(([rule, [effect, because]]) => [rule, Object.freeze({ effect, rule, because })]),
) as { readonly [Id in RuleId]: Decision };
