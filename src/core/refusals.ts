import type { Caller } from '#auth/caller.ts';
import type { EventLog, Origin, StateReader, Transaction } from '#eventlog/event-log.ts';
import type { Call, CallHead } from '#gateway.ts';
import { defaultWorkspace, isMember } from '#policy/access.ts';
import { type CleanText, own } from '#protocol/clean.ts';
import type { ErrorCode, ProtocolError } from '#protocol/errors.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';
import { type CleanPermissionRequestState, permissionKeys } from '#resources/permission/state.ts';
import { type CleanPersonaState, personaKeys } from '#resources/persona/state.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import type { Refusal } from '#resources/trust/record-trust.ts';
import { type CleanWorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import type { CallerName, DecisionTools } from './facts.ts';
import { isMemberOf } from './load.ts';
import { newEvent, type Place, type Pointer } from './new-event.ts';
import { OnceAMinute } from './once-a-minute.ts';

type PolicyCode = PayloadOf<'vendor.harn_gateway.call_refused'>['code'];

/** A call that was refused, and by whom it came. */
export interface RefusedCall {
  operation: string;
  call: Call | CallHead;
  caller: Caller;
  by: CallerName;
  error: ProtocolError;
}

export interface RefusalsDeps {
  log: Pick<EventLog, 'transact'>;
  tools: Pick<DecisionTools, 'newId' | 'receipts' | 'self' | 'redact'>;
  /** Proves a refusal, in the transaction of the event that reports it. */
  prove(tx: Transaction, refusal: Refusal): void;
  /** What could not be recorded; the caller has its answer. */
  onLost(error: unknown): void;
}

/**
 * What the policy refuses before there is a Task that could say so: an event and a trust record each, in the workspace that the call
 * was about as far as its caller may see it. What is hidden looks absent, and so leaves neither.
 */
export class Refusals {
  readonly #deps: RefusalsDeps;
  readonly #recorded = new OnceAMinute();
  readonly #counts = new Map<ErrorCode, number>();

  constructor(deps: RefusalsDeps) {
    this.#deps = deps;
  }

  /** Refused calls by code, since the start. */
  counts(): ReadonlyMap<ErrorCode, number> {
    return this.#counts;
  }

  count({ code }: ProtocolError): void {
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
  }

  /** Records a refusal in a transaction of its own, without letting anybody wait. */
  note(refused: RefusedCall, origin: Origin): void {
    if (policyCode(refused.error) === undefined) return;
    this.#deps.log
      .transact(origin, (tx) => this.append(tx, refused))
      .catch((error: unknown) => this.#deps.onLost(error));
  }

  /** Records a refusal in a transaction that is there; nothing when it is none of the policy, or an equal one was just recorded. */
  append(tx: Transaction, refused: RefusedCall): void {
    const { operation, caller, by, error } = refused;
    const code = policyCode(error);
    if (code === undefined) return;
    const about = aboutOf(tx, refused);
    const rule = ruleOf(error);
    const unrecorded = this.#recorded.due(
      tx.time,
      JSON.stringify([caller.tenant, caller.actor, operation, rule, about.place]),
    );
    if (unrecorded === undefined) return;
    const { redact } = this.#deps.tools;
    const payload = {
      operation: own(operation),
      code,
      rule: redact(rule).value,
      ...redact({ message: error.message, param: error.param ?? null }).value,
      unrecorded,
    };
    const event = tx.append(
      newEvent('vendor.harn_gateway.call_refused', about.pointer, about.place, payload),
    );
    const { workspace_id } = about.place;
    this.#deps.prove(tx, {
      owner: workspace_id ? { workspace_id } : { tenant_id: by.tenant },
      event,
      agent: about.persona?.resource.id ?? by.actor,
      operation,
      tier: about.persona?.resource.autonomy_tier ?? this.#deps.tools.self.policy.defaultTier,
      metadata: { rule, code, ...about.ids },
    });
  }
}

/** The code of a refusal by the policy; undefined for every other error. A full queue is `rate_limited` by no rule. */
export function policyCode({ code, details }: ProtocolError): PolicyCode | undefined {
  if (code === 'rate_limited') return details?.['rule'] === undefined ? undefined : code;
  return code === 'permission_denied' || code === 'policy_violation' ? code : undefined;
}

function ruleOf({ code, details }: ProtocolError): string {
  const { rule, required_scope } = details ?? {};
  if (typeof rule === 'string') return rule;
  return required_scope === undefined ? code : 'scope.missing';
}

/** What a refused call was about, as far as its caller may see it. */
interface About {
  pointer: Pointer;
  place: Place;
  ids: { request_id?: CleanText; session_id?: CleanText; task_id?: CleanText };
  persona: CleanPersonaState | undefined;
}

/** The stream of the Task gets no event: its run goes on as if nothing had been asked. */
function aboutOf(reader: StateReader, { call, caller, by }: RefusedCall): About {
  const named = namedBy(call);
  const request = seen<CleanPermissionRequestState>(
    reader,
    caller,
    permissionKeys.permissionRequest,
    named('request_id'),
  );
  const taskId = request?.resource.task_id ?? named('task_id');
  const task = seen<CleanTaskState>(reader, caller, taskKeys.task, taskId);
  const sessionId = task?.resource.session_id ?? named('session_id');
  const session = seen<CleanSessionFold>(reader, caller, sessionKeys.session, sessionId);
  const personaId = task?.resource.persona_id ?? named('persona_id') ?? session?.resource.persona_id;
  const persona = personaId ? reader.get<CleanPersonaState>(personaKeys.persona(personaId)) : undefined;
  const workspaceId = session?.resource.workspace_id ?? named('workspace_id') ?? defaultWorkspace(caller);
  const ids = {
    ...(request ? { request_id: request.resource.id } : {}),
    ...(session ? { session_id: session.resource.id } : {}),
    ...(task ? { task_id: task.resource.id } : {}),
  };
  const known = { ids, persona: persona?.internal.tenant === caller.tenant ? persona : undefined };
  const workspace = reader.get<CleanWorkspaceState>(workspaceKeys.workspace(workspaceId));
  if (!isMember(caller, workspace))
    return { ...known, pointer: { object: 'actor', id: by.actor }, place: { tenant_id: by.tenant } };
  const { id } = workspace.resource;
  const place = { workspace_id: id, ...(session ? { session_id: session.resource.id } : {}) };
  const pointer = session ?? { resource: { object: 'workspace', id } };
  return { ...known, pointer: { object: pointer.resource.object, id: pointer.resource.id }, place };
}

/** Ids that a call names, in its path or its body. They are not checked. */
function namedBy(call: Call | CallHead): (name: string) => string | undefined {
  const body = 'body' in call ? (call.body as Record<string, unknown> | undefined) : undefined;
  const inner = body?.['session'] as Record<string, unknown> | undefined;
  return (name) =>
    [call.path[name], body?.[name], inner?.[name]].find(
      (id): id is string => typeof id === 'string' && ID.test(id),
    );
}

const ID = /^[A-Za-z0-9_.-]{1,128}$/;

function seen<State extends { resource: { workspace_id: string } }>(
  reader: StateReader,
  caller: Caller,
  keyOf: (id: string) => string,
  id: string | null | undefined,
): State | undefined {
  const state = id ? reader.get<State>(keyOf(id)) : undefined;
  return state && isMemberOf(reader, caller, state.resource.workspace_id) ? state : undefined;
}
