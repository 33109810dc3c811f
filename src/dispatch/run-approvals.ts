import type { StateReader } from '../eventlog/event-log.ts';
import { stateKey } from '../projections/state-keys.ts';
import type { PermissionRequestState } from '../projections/states.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { PermissionRequest } from '../protocol/resources/permission-request.ts';
import type { ReceiptApproval } from '../protocol/resources/receipt-parts.ts';
import { wholeText } from '../receipts/canonical-order.ts';
import { contentHash } from './content-hash.ts';
import { REMEMBERED } from './remembered-permission.ts';
import { type FactOf, listed } from './run-lists.ts';

/** Who decided a request that no caller answered: its deadline, or the end of its task. */
const NOBODY = 'gateway';

/** Who allowed or refused what in a run, for its receipt. */
export function approvalsOf(
  tx: StateReader,
  requests: readonly FactOf<'request'>[],
  decisions: readonly FactOf<'policy'>[],
): ReceiptApproval[] {
  return [
    ...listed(requests).flatMap((fact) => approvalOf(tx, fact)),
    ...listed(decisions).flatMap(denialOf),
  ];
}

function approvalOf(tx: StateReader, { id, actor }: FactOf<'request'>): ReceiptApproval[] {
  const request = tx.get<PermissionRequestState>(stateKey.permissionRequest(id))?.resource;
  if (!request?.response) return [];
  return [
    {
      action: actionOf(request),
      actor: wholeText(deciderOf(request) ?? actor ?? NOBODY),
      approval_id: id,
      decided_at: request.response.responded_at,
      decision: decisionOf(request.response),
      evidence_hash: contentHash(request as unknown as JsonValue),
    },
  ];
}

/** An answer for good that was given to an earlier request is the policy's word by now. */
function deciderOf({ request, response }: PermissionRequest): string | null | undefined {
  return request.remembered_from === undefined ? response?.reviewer : `policy:${REMEMBERED}`;
}

/** Which answers were remembered ones, and from where; absent where none was. */
function rememberedOf(tx: StateReader, requests: readonly FactOf<'request'>[]): JsonObject {
  const remembered = listed(requests).flatMap(({ id }) => {
    const request = tx.get<PermissionRequestState>(stateKey.permissionRequest(id))?.resource.request;
    return request?.remembered_from === undefined ? [] : [{ approval_id: id, from: request.remembered_from }];
  });
  return remembered.length === 0 ? {} : { remembered };
}

/** What the policy kept back without asking anybody. */
function denialOf({ action, effect, rule, at }: FactOf<'policy'>): ReceiptApproval[] {
  if (effect === 'ask') return [];
  return [{ action: wholeText(action), actor: `policy:${rule}`, decided_at: at, decision: 'denied' }];
}

/** What decided without a person: rules, and answers that were remembered. */
export function decidersOf(
  tx: StateReader,
  decisions: readonly FactOf<'policy'>[],
  requests: readonly FactOf<'request'>[],
): JsonObject {
  return { ...policyOf(decisions), ...rememberedOf(tx, requests) };
}

/** Absent where the policy kept nothing back. */
function policyOf(decisions: readonly FactOf<'policy'>[]): JsonObject {
  return decisions.length === 0
    ? {}
    : { policy: listed(decisions).map(({ effect, rule }) => ({ effect, rule })) };
}

function actionOf({ action, request }: PermissionRequest): string {
  const said = typeof action === 'string' ? action : request.tool_call?.name;
  return wholeText(said || request.kind);
}

/** Reasons that the gateway gives itself; any other denial is somebody's. */
const DECISION_OF_REASON: Readonly<Record<string, ReceiptApproval['decision']>> = {
  timeout: 'timeout',
  canceled: 'canceled',
  task_failed: 'canceled',
  task_completed: 'canceled',
};

function decisionOf(response: NonNullable<PermissionRequest['response']>): ReceiptApproval['decision'] {
  if (response.approved) return 'approved';
  const own = response.reviewer === null ? DECISION_OF_REASON[response.reason ?? ''] : undefined;
  return own ?? 'denied';
}
