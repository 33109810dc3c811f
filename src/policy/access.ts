import type { Caller } from '#auth/caller.ts';
import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { GATEWAY_SCOPES } from '#protocol/scopes.ts';
import type { OperationRow } from '#resources/operations.ts';
import type { WorkspaceState } from '#resources/workspace/state.ts';
import { type Checks, type Decision, decideBy } from './decision.ts';
import { RULES } from './rules.ts';

/** What a call is about: something of a workspace, or of a tenant only. Both undefined: it is absent. */
export interface Target {
  workspace?: WorkspaceState | undefined;
  tenant?: string | undefined;
}

interface AccessQuestion {
  caller: Pick<Caller, 'actor' | 'tenant' | 'scopes' | 'workspaces'>;
  scope: OperationRow['scope'];
  /** Undefined for an operation that names nothing. */
  target?: Target | undefined;
}

/** The policy of calls, in the order in which every surface checks it. A refusal by scope reveals nothing about the resource. */
export const ACCESS_CHECKS = [
  ['scope', refusedByScope],
  ['tenant', refusedByTenant],
  ['workspace', refusedByWorkspace],
  ['granted', granted],
] as const satisfies Checks<AccessQuestion>;

export function decideAccess(question: AccessQuestion): Decision {
  return decideBy(ACCESS_CHECKS, question);
}

/** The refusal of a caller without the scope of an operation; undefined for everybody else. */
export function refusedByScope({
  caller,
  scope,
}: Pick<AccessQuestion, 'caller' | 'scope'>): Decision | undefined {
  if (scope === 'public' || scope === 'signature' || scope === 'any' || holdsScope(caller, scope))
    return undefined;
  return RULES['scope.missing'];
}

function refusedByTenant({ caller, target }: AccessQuestion): Decision | undefined {
  if (target === undefined) return undefined;
  const tenant = target.workspace?.internal.tenant ?? target.tenant;
  return sharesTenant(caller, tenant) ? undefined : RULES['tenant.foreign'];
}

function refusedByWorkspace({ caller, target }: AccessQuestion): Decision | undefined {
  if (target?.workspace === undefined || belongsTo(caller, target.workspace)) return undefined;
  return RULES['workspace.foreign'];
}

function granted({ scope }: AccessQuestion): Decision {
  return scope === 'public' || scope === 'signature' || scope === 'any'
    ? RULES[`scope.${scope}`]
    : RULES['scope.held'];
}

type Member = Pick<Caller, 'actor' | 'tenant' | 'workspaces'>;

/** Whether the caller may know that this workspace exists. Absent and hidden must look the same outside. */
export function isMember(caller: Member, workspace: WorkspaceState | undefined): workspace is WorkspaceState {
  return (
    workspace !== undefined && sharesTenant(caller, workspace.internal.tenant) && belongsTo(caller, workspace)
  );
}

/** What is absent is of no tenant. */
export function sharesTenant(caller: Pick<Caller, 'tenant'>, tenant: string | undefined): boolean {
  return tenant === caller.tenant;
}

/** By the credential, or because the workspace lists the actor. */
export function belongsTo(caller: Omit<Member, 'tenant'>, { resource, internal }: WorkspaceState): boolean {
  return (
    caller.workspaces.includes('*') ||
    caller.workspaces.includes(resource.id) ||
    internal.members.includes(caller.actor)
  );
}

/** The workspace of a call that names none: the first of the actor's. */
export function defaultWorkspace(caller: Pick<Caller, 'workspaces'>): string {
  return caller.workspaces.find((id) => id !== '*') ?? 'workspace_default';
}

/**
 * Exact words only: no prefix and no substring matches. `*` is every scope of a tenant's work, `admin` is not; the scopes of
 * the gateway itself are held by name, or by `operator`.
 */
export function holdsScope(caller: Pick<Caller, 'scopes'>, scope: string): boolean {
  if (caller.scopes.has(scope)) return true;
  return caller.scopes.has(GATEWAY_SCOPES.includes(scope) ? 'operator' : '*');
}

/** Markers that stored bytes contain when something in them is not for everybody. */
const MARKERS = ['"visibility":"internal"', '"visibility":"receipt_only"'].map((marker) =>
  Buffer.from(marker),
);

/** True when bytes need `conceal` before a reader sees them; a plain byte search, so that the usual case costs little. */
export function mayHoldHidden(bytes: Buffer): boolean {
  return MARKERS.some((marker) => bytes.includes(marker));
}

/**
 * Replaces content the reader may not see by a descriptor: `receipt_only` always, `internal` without the scope
 * `internal:read`. The descriptor keeps type, visibility and, for `receipt_only`, the hash, so that it is plain that
 * content existed. Source: Agents Protocol v1, "Privacy and redaction".
 */
export function conceal<Value>(value: Value, seesInternal: boolean): Value {
  const json = value as JsonValue;
  return holdsHidden(json, seesInternal) ? (walk(json, seesInternal) as Value) : value;
}

/** Looks without copying: most answers hide nothing. */
function holdsHidden(value: JsonValue, seesInternal: boolean): boolean {
  const open: JsonValue[] = [value];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item !== 'object' || item === null) continue;
    if (!Array.isArray(item) && isHidden(item, seesInternal)) return true;
    for (const member of Object.values(item))
      if (typeof member === 'object' && member !== null) open.push(member);
  }
  return false;
}

function walk(value: JsonValue, seesInternal: boolean): JsonValue {
  if (Array.isArray(value)) return value.map((item) => walk(item, seesInternal));
  if (typeof value !== 'object' || value === null) return value;
  if (isHidden(value, seesInternal)) return descriptor(value);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member, seesInternal)]));
}

function isHidden(value: JsonObject, seesInternal: boolean): boolean {
  if (typeof value['type'] !== 'string') return false;
  return value['visibility'] === 'receipt_only' || (value['visibility'] === 'internal' && !seesInternal);
}

function descriptor(part: JsonObject): JsonObject {
  const hidden: JsonObject = {
    redacted: true,
    type: part['type'] ?? 'part',
    visibility: part['visibility'] ?? 'internal',
  };
  if (part['visibility'] === 'receipt_only') hidden['sha256'] = `sha256:${sha256Hex(canonicalJson(part))}`;
  return {
    type: 'json',
    visibility: part['visibility'] ?? 'internal',
    value: hidden,
  };
}
