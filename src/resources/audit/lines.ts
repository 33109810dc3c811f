import type { Event } from '#eventlog/event-log.ts';
import type { EmittedKind, PayloadOf } from '#resources/event-payloads.ts';
import type { AuditLine } from './schema.ts';

/** What a line says of the payload of its event: names, words of the tables and ids, and nothing that somebody said. */
interface Said extends Pick<AuditLine, 'what' | 'result'> {
  rule?: string | null | undefined;
  who?: string | null | undefined;
  request_id?: string | undefined;
  unrecorded?: number;
}

type Rows = { readonly [Kind in EmittedKind]?: (payload: PayloadOf<Kind>) => Said };

/** The kinds of events that are decisions. A new kind of decision has its row here. */
const ROWS = {
  'vendor.harn_gateway.policy_decided': ({ effect, rule, route, skill_id, side_effect }) => ({
    what: `${side_effect} by ${skill_id ?? route}`,
    result: effect,
    rule,
  }),
  'vendor.harn_gateway.call_refused': ({ operation, rule, unrecorded }) => ({
    what: `call of ${operation}`,
    result: 'refused',
    rule,
    unrecorded,
  }),
  'tool.approval_required': ({ name, permission_request }) => ({
    what: `use of the tool ${name}`,
    result: 'asked',
    request_id: permission_request.id,
  }),
  'tool.approved': ({ name, request_id, response }) => ({
    what: `use of the tool ${name}`,
    ...answerOf('approved', request_id, response),
  }),
  'tool.denied': ({ name, request_id, response, policy }) => ({
    what: `use of the tool ${name}`,
    ...answerOf('denied', request_id, response),
    ...(policy && { rule: policy.rule }),
  }),
  'vendor.harn_gateway.permission_requested': ({ permission_request }) => ({
    what: `a question of the kind ${permission_request.request.kind}`,
    result: 'asked',
    request_id: permission_request.id,
  }),
  'vendor.harn_gateway.permission_resolved': ({ request_id, status, response }) => ({
    what: 'a question',
    ...answerOf(status, request_id, response),
  }),
  'vendor.harn_gateway.approval_voted': ({ request_id, review }) => ({
    what: 'one vote of several',
    result: review.approved ? 'approved' : 'denied',
    request_id,
    who: review.reviewer,
  }),
  'vendor.harn_gateway.permission_remembered': ({ request_id, approved, rule }) => ({
    what: 'an answer that holds for others too',
    result: approved ? 'approved' : 'denied',
    request_id,
    rule: rule?.id,
  }),
  'vendor.harn_gateway.permission_forgotten': ({ request_id }) => ({
    what: 'an answer that held for others too',
    result: 'forgotten',
    request_id,
  }),
  'vendor.harn_gateway.permission_rule_created': ({ rule }) => ({
    what: `a rule that ${rule.allow ? 'allows' : 'denies'} ${rule.class} (${rule.scope})`,
    result: 'created',
    rule: rule.id,
  }),
  'vendor.harn_gateway.permission_rule_revoked': ({ rule_id }) => ({
    what: 'a rule',
    result: 'revoked',
    rule: rule_id,
  }),
  'vendor.harn_gateway.permission_policy_installed': ({ version }) => ({
    what: 'the permission policy of the tenant',
    result: 'installed',
    rule: version,
  }),
  'vendor.harn_gateway.permission_checked': ({ request, decision, unrecorded }) => ({
    what: `a check of ${request.class} for ${request.actor}`,
    result: decision.outcome,
    rule: decision.outcome === 'suspend' ? decision.policy_version : decision.rule_id,
    unrecorded,
  }),
  'vendor.harn_gateway.api_key_created': ({ api_key }) => ({
    what: `the API key ${api_key.name} of ${api_key.actor}`,
    result: 'created',
  }),
  'vendor.harn_gateway.api_key_ended': ({ revoked_at, replaced_by, expires_at }) => ({
    what: replaced_by === null ? 'an API key' : `an API key, replaced by ${replaced_by}`,
    result: revoked_at === null ? `ends at ${expires_at ?? 'once'}` : 'revoked',
  }),
  'vendor.harn_gateway.signing_key_changed': ({ key_id, status }) => ({
    what: `the signing key ${key_id}`,
    result: status,
  }),
  'vendor.harn_gateway.erasure_requested': ({ erasure }) => ({
    what: `the erasure of ${erasure.subject.object === 'actor' ? 'the actor ' : ''}${erasure.subject.id}`,
    result: 'begun',
    rule: erasure.rule,
  }),
  'vendor.harn_gateway.erasure_completed': () => ({ what: 'an erasure', result: 'completed' }),
  'vendor.harn_gateway.hold_created': ({ hold }) => ({
    what: `the hold "${hold.name}" on ${hold.session_ids.length} sessions`,
    result: 'created',
  }),
  'vendor.harn_gateway.hold_released': ({ released_by }) => ({
    what: 'a hold',
    result: released_by === null ? 'expired' : 'released',
  }),
  'vendor.harn_gateway.halt_created': ({ halt }) => ({
    what: `the kill switch of ${halt.route}${halt.tool === null ? '' : `, tool ${halt.tool}`}`,
    result: 'halted',
  }),
  'vendor.harn_gateway.halt_released': () => ({ what: 'a kill switch', result: 'released' }),
  'vendor.harn_gateway.truncation_accepted': () => ({
    what: 'a log that is not the one that was signed',
    result: 'accepted',
  }),
  'vendor.harn_gateway.backup_begun': ({ since_commit, include }) => ({
    what: `a backup of ${since_commit === null ? 'everything' : `what came behind commit ${since_commit}`}${include.map((name) => `, with ${name}`).join('')}`,
    result: 'begun',
  }),
  'vendor.harn_gateway.configuration_reloaded': ({ applied, api_keys }) => ({
    what: `the configuration: ${[...applied, ...keysOf(api_keys)].join(', ')}`,
    result: 'reloaded',
  }),
} satisfies Rows;

type ChangedKeys = PayloadOf<'vendor.harn_gateway.configuration_reloaded'>['api_keys'];

/** For example `key ci added`. */
const keysOf = (keys: ChangedKeys): string[] =>
  Object.entries(keys).flatMap(([change, ids]) => ids.map((id) => `key ${id} ${change}`));

interface Response {
  reviewer: string | null;
  rule_id?: string | null | undefined;
  policy_version?: string | undefined;
}

/** An answer of a rule names it; one of the policy of the tenant names its version. */
function answerOf(
  result: string,
  request_id: string | undefined,
  response: Response | undefined,
): Omit<Said, 'what'> {
  const { reviewer, rule_id, policy_version } = response ?? { reviewer: null };
  return {
    result,
    request_id,
    who: reviewer,
    rule: rule_id ?? (rule_id === null ? policy_version : undefined),
  };
}

/** The line of an event; undefined for one that is no decision. */
export function lineOf(event: Event): AuditLine | undefined {
  const row = (ROWS as Readonly<Record<string, (payload: never) => Said>>)[event.event];
  if (row === undefined) return undefined;
  const { what, result, rule, who, request_id, unrecorded } =
    'erased' in event.payload ? ERASED : row(event.payload as never);
  return {
    id: event.id,
    object: 'audit_line',
    time: event.created_at,
    kind: event.event,
    who: who ?? event.actor,
    what,
    result,
    rule: rule ?? null,
    target: event.resource,
    workspace_id: event.workspace_id,
    session_id: event.session_id,
    task_id: event.task_id,
    request_id: request_id ?? null,
    trace_id: event.trace_id,
    unrecorded: unrecorded ?? 0,
  };
}

const ERASED: Said = { what: 'a decision that was erased', result: 'erased' };
