import { decodeCursor, encodeCursor, keysOf, PageBudget, visibleWorkspaces } from '#core/list-page.ts';
import { isMemberOf, load, loadWorkspace, notFound } from '#core/load.ts';
import { ok, page, type Query, type QueryTools } from '#core/query.ts';
import type { Answer } from '#gateway.ts';
import { jsonSize } from '#json/large-json.ts';
import { holdsScope } from '#policy/access.ts';
import { ruleOf } from '#resources/permission/remembered-permission.ts';
import { type PermissionRequestState, permissionKeys } from '#resources/permission/state.ts';
import type { Session } from '#resources/session/schema.ts';
import { lastSegment } from '#store/keys.ts';
import { auditOfCheck, auditOfRequest } from './audit.ts';
import { hasExpired } from './fold.ts';
import { policyOf } from './rules-in-force.ts';
import { type AuditEntry, type AuditOutcome, type RememberRule, RULE_SCOPES } from './schema.ts';
import { type PermissionRuleState, type PermissionsState, permissionRuleKeys } from './state.ts';

export const getPermissionPolicy: Query<'getPermissionPolicy'> = (_, { reader, caller }) =>
  ok(shownPolicy(reader.get<PermissionsState>(permissionRuleKeys.permissions(caller.tenant))), caller);

/** Members of a policy that are kept and shown only. */
const NOT_ENFORCED = ['redact.transcript', 'redact.logs'];

export function shownPolicy(state: PermissionsState | undefined): object {
  const { version, document } = policyOf(state);
  return { object: 'permission_policy', version, policy: document, not_enforced: NOT_ENFORCED };
}

export const listPermissionRules: Query<'listPermissionRules'> = async ({ query }, tools) => {
  const rules = await visibleRules(tools);
  const sorted = rules
    .map((rule) => ({ rule, place: placeOf(rule) }))
    .sort((one, other) => (one.place < other.place ? -1 : 1));
  const after = query.cursor === undefined ? '' : decodeCursor(query.cursor);
  const rest = sorted.filter(({ place }) => place > after);
  return pageOfPlaces(rest, query.limit, ({ rule }) => rule, tools);
};

/** The first ones as a page, whose cursor is the place of its last one. */
function pageOfPlaces<Placed extends { place: string }>(
  rest: readonly Placed[],
  limit: number,
  shapeOf: (placed: Placed) => object | undefined,
  { caller }: QueryTools,
): Answer {
  const budget = new PageBudget();
  const shown: object[] = [];
  let last: string | undefined;
  for (const placed of rest.slice(0, limit)) {
    const shape = shapeOf(placed);
    if (shape !== undefined) {
      if (!budget.takes(jsonSize(shape))) break;
      shown.push(shape);
    }
    last = placed.place;
  }
  const isMore = budget.isSpent || rest.length > limit;
  return page(shown, isMore && last !== undefined ? encodeCursor(last) : null, caller);
}

/** Narrowest scope first, the older one before the newer one: in the order in which they are asked. */
function placeOf({ scope, created_at, id }: RememberRule): string {
  return `${RULE_SCOPES.indexOf(scope)}.${inDigits(created_at)}.${id}`;
}

/** Milliseconds of a time; as texts they sort as times do. */
function inDigits(time: string): string {
  return String(Date.parse(time) || 0).padStart(14, '0');
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
  const ids: string[] = [];
  for await (const key of keysOf(log, prefix)) ids.push(lastSegment(key));
  return ids;
}

/** Rules of a workspace are for its members, those of a user for that user and for administrators. */
function seesRule({ reader, caller }: QueryTools, { resource, internal }: PermissionRuleState): boolean {
  if (internal.workspace_id !== null) return isMemberOf(reader, caller, internal.workspace_id);
  return resource.scope !== 'user' || resource.scope_value === caller.actor || holdsScope(caller, 'admin');
}

export const getPermissionHistory: Query<'getPermissionHistory'> = async ({ query }, tools) => {
  const { tenant_id, limit, cursor } = query;
  if (tenant_id !== undefined && tenant_id !== tools.caller.tenant) throw notFound('tenant', 'tenant_id');
  const before = cursor === undefined ? '~' : decodeCursor(cursor);
  const newest = new Newest(limit + 1);
  for await (const answer of answersTo(query, tools)) if (answer.place < before) newest.add(answer);
  return pageOfPlaces(newest.sorted(), limit, (answer) => answer.entry(), tools);
};

/** An answer to a request, or a check. */
interface PlacedAnswer {
  /** Places sort by when it was given. */
  place: string;
  entry(): AuditEntry | undefined;
}

/** Of many, those with the last places; memory does not grow with how many there are. */
class Newest {
  readonly #most: number;
  #kept: PlacedAnswer[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(answer: PlacedAnswer): void {
    this.#kept.push(answer);
    if (this.#kept.length >= 4 * this.#most) this.#kept = this.sorted();
  }

  /** The last place first. */
  sorted(): PlacedAnswer[] {
    return this.#kept.sort((one, other) => (one.place > other.place ? -1 : 1)).slice(0, this.#most);
  }
}

interface Wanted {
  session_id?: string | undefined;
  workspace_id?: string | undefined;
  actor?: string | undefined;
  outcome?: AuditOutcome | undefined;
}

/** In no order: a request is listed by when it was made, and its answer may be of any time since. */
async function* answersTo(wanted: Wanted, tools: QueryTools): AsyncGenerator<PlacedAnswer, void> {
  const { reader, caller, log } = tools;
  const { session_id, workspace_id } = wanted;
  if (workspace_id !== undefined) loadWorkspace(reader, caller, workspace_id, 'workspace_id');
  const session =
    session_id === undefined ? undefined : load(reader, caller, 'session', session_id, 'session_id').resource;
  if (session !== undefined && workspace_id !== undefined && session.workspace_id !== workspace_id) return;
  const workspaces = placesOf(session, workspace_id) ?? (await visibleWorkspaces(tools));
  const requests = session
    ? [permissionKeys.requestsOfSession(session.id)]
    : workspaces.map(permissionKeys.requestsOfWorkspace);
  for (const prefix of requests)
    for await (const key of keysOf(log, prefix)) {
      const answer = answerOf(lastSegment(key), wanted, tools);
      if (answer !== undefined) yield answer;
    }
  for (const prefix of workspaces.map(permissionRuleKeys.permissionChecks))
    for await (const key of keysOf(log, prefix)) {
      const id = lastSegment(key);
      const entry = auditOfCheck(tools, id);
      if (entry === undefined || !isWanted(wanted, entry.request, entry.outcome)) continue;
      if (session !== undefined && entry.request.session_id !== session.id) continue;
      yield { place: placeIn(entry.decided_at, id), entry: () => entry };
    }
}

/** Reads no more than it takes to know the place; most requests of a workspace are not on the page. */
function answerOf(id: string, wanted: Wanted, tools: QueryTools): PlacedAnswer | undefined {
  const request = tools.reader.get<PermissionRequestState>(permissionKeys.permissionRequest(id))?.resource;
  if (!request?.response) return undefined;
  const { responded_at } = request.response;
  const placed = { place: placeIn(responded_at, id), entry: () => auditOfRequest(tools, id) };
  if (wanted.actor === undefined && wanted.outcome === undefined) return placed;
  const entry = placed.entry();
  return entry !== undefined && isWanted(wanted, entry.request, entry.outcome) ? placed : undefined;
}

function isWanted(
  { actor, outcome }: Wanted,
  asked: Pick<AuditEntry['request'], 'actor'>,
  got: AuditOutcome,
): boolean {
  return (actor === undefined || asked.actor === actor) && (outcome === undefined || got === outcome);
}

function placeIn(time: string, id: string): string {
  return `${inDigits(time)}.${id}`;
}

function placesOf(session: Session | undefined, workspaceId: string | undefined): string[] | undefined {
  const id = session?.workspace_id ?? workspaceId;
  return id === undefined ? undefined : [id];
}
