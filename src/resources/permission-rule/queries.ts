import { decodeCursor, encodeCursor, PageBudget, visibleWorkspaces } from '#core/list-page.ts';
import { isMemberOf, load, loadWorkspace, notFound } from '#core/load.ts';
import { ok, page, type Query, type QueryTools } from '#core/query.ts';
import { jsonSize } from '#json/json-size.ts';
import { holdsScope } from '#policy/access.ts';
import { ruleOf } from '#resources/permission/remembered-permission.ts';
import { permissionKeys } from '#resources/permission/state.ts';
import type { Session } from '#resources/session/schema.ts';
import { lastSegment } from '#store/keys.ts';
import { auditOfCheck, auditOfRequest } from './audit.ts';
import { hasExpired } from './fold.ts';
import { policyOf } from './rules-in-force.ts';
import { type AuditEntry, type RememberRule, RULE_SCOPES } from './schema.ts';
import { type PermissionRuleState, type PermissionsState, permissionRuleKeys } from './state.ts';

export const getPermissionPolicy: Query<'getPermissionPolicy'> = (_, { reader, caller }) =>
  ok(shownPolicy(reader.get<PermissionsState>(permissionRuleKeys.permissions(caller.tenant))), caller);

/** Members of a policy that are kept and shown only. */
const NOT_ENFORCED = ['redact.transcript', 'redact.logs'];

export function shownPolicy(state: PermissionsState | undefined): object {
  const { version, document } = policyOf(state);
  return { object: 'permission_policy', version, policy: document, not_enforced: NOT_ENFORCED };
}

/** Rules of a kind that are read for one list. */
const MAX_READ = 10_000;

export const listPermissionRules: Query<'listPermissionRules'> = async ({ query }, tools) => {
  const rules = await visibleRules(tools);
  const sorted = rules
    .map((rule) => ({ rule, place: placeOf(rule) }))
    .sort((one, other) => (one.place < other.place ? -1 : 1));
  const after = query.cursor === undefined ? '' : decodeCursor(query.cursor);
  const rest = sorted.filter(({ place }) => place > after);
  const budget = new PageBudget();
  const shown = rest.slice(0, query.limit).filter(({ rule }) => budget.takes(jsonSize(rule)));
  const last = shown.at(-1);
  const next = rest.length > shown.length && last ? encodeCursor(last.place) : null;
  return page(
    shown.map(({ rule }) => rule),
    next,
    tools.caller,
  );
};

/** Narrowest scope first, the older one before the newer one: in the order in which they are asked. */
function placeOf({ scope, created_at, id }: RememberRule): string {
  const ms = String(Date.parse(created_at) || 0).padStart(14, '0');
  return `${RULE_SCOPES.indexOf(scope)}.${ms}.${id}`;
}

async function visibleRules(tools: QueryTools): Promise<RememberRule[]> {
  const { reader, caller, time } = tools;
  const made = (await listed(tools, permissionRuleKeys.permissionRules(caller.tenant))).flatMap((id) => {
    const state = reader.get<PermissionRuleState>(permissionRuleKeys.permissionRule(id));
    return state !== undefined && seesRule(tools, state) ? [state.resource] : [];
  });
  const remembered: RememberRule[] = [];
  for (const workspace of await visibleWorkspaces(tools))
    for (const id of await listed(tools, permissionKeys.rememberedInWorkspace(workspace)))
      remembered.push(...[ruleOf(reader, id, caller.tenant)].filter((rule) => rule !== undefined));
  return [...made, ...remembered].filter((rule) => !hasExpired(rule, time));
}

async function listed({ log }: QueryTools, prefix: string): Promise<string[]> {
  return (await log.indexKeys({ gt: prefix, lt: `${prefix}~`, limit: MAX_READ })).map(lastSegment);
}

/** Rules of a workspace are for its members, those of a user for that user and for administrators. */
function seesRule({ reader, caller }: QueryTools, { resource, internal }: PermissionRuleState): boolean {
  if (internal.workspace_id !== null) return isMemberOf(reader, caller, internal.workspace_id);
  return resource.scope !== 'user' || resource.scope_value === caller.actor || holdsScope(caller, 'admin');
}

/** Requests and checks, each the newest ones of a workspace, among which a history is looked for. */
const MAX_SEARCHED = 2_000;

export const getPermissionHistory: Query<'getPermissionHistory'> = async ({ query }, tools) => {
  const { tenant_id, actor, outcome, limit } = query;
  if (tenant_id !== undefined && tenant_id !== tools.caller.tenant) throw notFound('tenant', 'tenant_id');
  const entries = (await entriesOf(query, tools))
    .filter(
      (entry) =>
        (actor === undefined || entry.request.actor === actor) &&
        (outcome === undefined || entry.outcome === outcome),
    )
    .sort((one, other) => (one.decided_at > other.decided_at ? -1 : 1));
  const budget = new PageBudget();
  const shown = entries.slice(0, limit).filter((entry) => budget.takes(jsonSize(entry)));
  return page(shown, null, tools.caller);
};

interface Where {
  session_id?: string | undefined;
  workspace_id?: string | undefined;
}

async function entriesOf(where: Where, tools: QueryTools): Promise<AuditEntry[]> {
  const { reader, caller } = tools;
  const { session_id, workspace_id } = where;
  if (workspace_id !== undefined) loadWorkspace(reader, caller, workspace_id, 'workspace_id');
  const session =
    session_id === undefined ? undefined : load(reader, caller, 'session', session_id, 'session_id').resource;
  if (session !== undefined && workspace_id !== undefined && session.workspace_id !== workspace_id) return [];
  const workspaces = placesOf(session, workspace_id) ?? (await visibleWorkspaces(tools));
  const lists = session
    ? [permissionKeys.requestsOfSession(session.id)]
    : workspaces.map(permissionKeys.requestsOfWorkspace);
  const requests = await newest(tools, lists);
  const checks = await newest(tools, workspaces.map(permissionRuleKeys.permissionChecks));
  const checked = checks.flatMap((id) => auditOfCheck(tools, id) ?? []);
  return [
    ...requests.flatMap((id) => auditOfRequest(tools, id) ?? []),
    ...checked.filter(({ request }) => session === undefined || request.session_id === session.id),
  ];
}

function placesOf(session: Session | undefined, workspaceId: string | undefined): string[] | undefined {
  const id = session?.workspace_id ?? workspaceId;
  return id === undefined ? undefined : [id];
}

async function newest({ log }: QueryTools, lists: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const prefix of lists) {
    const range = { gt: prefix, lt: `${prefix}~`, reverse: true, limit: MAX_SEARCHED };
    found.push(...(await log.indexKeys(range)).map(lastSegment));
  }
  return found;
}
