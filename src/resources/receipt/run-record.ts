import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { contentHash, wholeText } from '#json/canonical.ts';
import { tierWithin } from '#policy/action.ts';
import type { AutonomyTier } from '#protocol/autonomy.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isTerminal, OUTCOME_OF_STATUS, type TerminalStatus } from '#protocol/task-states.ts';
import type { Counted } from '#protocol/usage.ts';
import type { RunRecord } from '#receipts/receipt-draft.ts';
import { type ArtifactState, artifactKeys } from '#resources/artifact/state.ts';
import { REMEMBERED } from '#resources/permission/remembered-permission.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import { type PermissionRequestState, permissionKeys } from '#resources/permission/state.ts';
import { type PersonaState, personaKeys } from '#resources/persona/state.ts';
import { type SessionFold, sessionKeys } from '#resources/session/state.ts';
import { runFactsOf } from '#resources/task/fold-run.ts';
import type { Task } from '#resources/task/schema.ts';
import type { RunFact, TaskState } from '#resources/task/state.ts';
import { type WorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import type {
  ReceiptApproval,
  ReceiptArtifact,
  ReceiptFileWrite,
  ReceiptHandoff,
  ReceiptRedaction,
  ReceiptToolCall,
} from './parts-schema.ts';
import { materialsOf } from './run-materials.ts';

/** The tier of a task that names no persona, where it was accepted under no other. */
const BUILT_IN_TIER = 'act_auto';
const DEFAULT_POLICY = 'policy.default_tier';

/** What was accepted, proved by the event that says so: nothing was done yet. */
export function acceptanceRecord(tx: Transaction, state: TaskState, eventId: string): RunRecord {
  const { resource } = state;
  const lifecycle = {
    createdAt: resource.created_at,
    startedAt: resource.created_at,
    completedAt: resource.created_at,
    finalState: 'SUCCEEDED' as const,
    failure: null,
  };
  const { personaRef, startTier, policyRef } = termsOf(state);
  return {
    ...NOTHING_DONE,
    subject: { object: 'event', id: eventId },
    identifiers: identifiersOf(tx, state, personaRef),
    lifecycle,
    trust: { startTier, endTier: startTier, policyRef },
    metadata: { event: 'task.submitted' },
  };
}

export const NOTHING_DONE = {
  wallTimeMs: 0,
  usage: null,
  toolCallCount: 0,
  approvals: [],
  materials: [],
  toolCalls: [],
  fileWrites: [],
  networkEgress: [],
  handoffs: [],
  artifacts: [],
  redactions: [],
} as const satisfies Partial<RunRecord>;

/** How the tokens of a run were found out, where its agent does not say what it counts; in the metadata of the receipt. */
const TOKENS_COUNTED: Readonly<Record<Counted, JsonObject>> = {
  turn: {
    as: 'turn',
    because: "By their growth the agent's counters are of each turn: they are taken as they came.",
  },
  session: {
    as: 'session',
    because:
      "By their growth the agent's counters are of its whole session: what they were before is taken off.",
  },
};

/** What a task that has ended did, from its states and its recorded frames. */
export function taskRecord(tx: Transaction, state: TaskState): RunRecord {
  const { resource, internal } = state;
  const facts = runFactsOf(tx, state);
  const lifecycle = lifecycleOf(resource);
  const { personaRef, startTier, policyRef } = termsOf(state);
  const { frames, materials, redactions } = materialsOf(tx, state);
  const { shown, hidden, ...done } = facts.length === 0 ? NO_FACTS : whatWasDone(tx, facts);
  const usage = internal.run?.usage;
  return {
    ...NOTHING_DONE,
    ...done,
    subject: { object: 'task', id: resource.id },
    identifiers: identifiersOf(tx, state, personaRef),
    lifecycle,
    trust: { startTier, endTier: tierNow(tx, resource, startTier), policyRef },
    wallTimeMs: Date.parse(lifecycle.completedAt) - Date.parse(lifecycle.startedAt),
    usage: usage === undefined ? null : { ...usage, agent: internal.route },
    materials,
    networkEgress: egressOf(internal.route, frames),
    handoffs: handoffsOf(state),
    redactions: [...hidden, ...redactions],
    metadata: {
      ...(internal.cancel === undefined ? {} : { cancel: internal.cancel }),
      frames,
      ...shown,
      ...quotasOf(internal),
      route: internal.route,
      ...(usage?.counted === undefined ? {} : { tokens_counted: TOKENS_COUNTED[usage.counted] }),
      turns: internal.turns,
    },
  };
}

interface Done extends Partial<RunRecord> {
  /** Taken out of what was sent. */
  hidden: ReceiptRedaction[];
  /** For the metadata of the receipt. */
  shown: JsonObject;
}

const NO_FACTS: Done = { hidden: [], shown: {} };

/** What the facts of a run say that it did. */
function whatWasDone(tx: Transaction, facts: readonly RunFact[]): Done {
  const calls = factsOf(facts, 'tool_called');
  const requests = factsOf(facts, 'request');
  const artifacts = factsOf(facts, 'artifact');
  const written = factsOf(facts, 'file_written');
  const decisions = factsOf(facts, 'policy');
  const hidden = factsOf(facts, 'input_redacted');
  const totals = beyondList({
    approvals: requests,
    final_artifacts: artifacts,
    fs_writes: written,
    policy: decisions,
    redactions: hidden,
    tool_calls: calls,
  });
  return {
    ...chosenBy(factsOf(facts, 'model_policy')),
    toolCallCount: calls.length,
    approvals: approvalsOf(tx, requests, decisions),
    toolCalls: toolCallsOf(listed(calls), factsOf(facts, 'tool_ended')),
    fileWrites: listed(written).map(fileWriteOf),
    artifacts: listed(artifacts).flatMap(({ id }) => artifactOf(tx, id)),
    hidden: listed(hidden).map(redactionOf),
    shown: { ...decidersOf(tx, decisions, requests), ...totals },
  };
}

/** The newest model that the Session wished for and the agent took. */
function chosenBy(wishes: readonly FactOf<'model_policy'>[]): Pick<RunRecord, 'wished'> {
  const newest = wishes.at(-1);
  return newest === undefined ? {} : { wished: { provider: newest.provider, model: newest.model } };
}

/** The quotas that the run counted against, and the time they count, which is less than from its start to its end. */
function quotasOf({ quotas, worked }: TaskState['internal']): JsonObject {
  return {
    ...(quotas === undefined ? {} : { quota_ids: quotas }),
    ...(worked === undefined ? {} : { worked_ms: worked.ms }),
  };
}

export function termsOf({ resource, internal }: TaskState) {
  const { persona } = internal;
  if (persona === undefined)
    return { personaRef: null, startTier: internal.tier ?? BUILT_IN_TIER, policyRef: DEFAULT_POLICY };
  const policyRef = `persona:${resource.persona_id}`;
  return { personaRef: persona.ref, startTier: internal.tier ?? persona.autonomy_tier, policyRef };
}

/** The tier now: the persona and the session may have changed while the task ran. */
function tierNow(
  tx: StateReader,
  { persona_id, session_id }: Task,
  atStart: AutonomyTier,
): RunRecord['trust']['endTier'] {
  const persona =
    persona_id === null ? undefined : tx.get<PersonaState>(personaKeys.persona(persona_id))?.resource;
  const session = tx.get<SessionFold>(sessionKeys.session(session_id))?.resource;
  return tierWithin(persona?.autonomy_tier ?? atStart, session?.metadata ?? {});
}

/** A task that ended before it started has run for no time at all; see src/receipts/README.md, When a receipt is issued. */
export function lifecycleOf(task: Task): RunRecord['lifecycle'] {
  const ended = task.completed_at ?? task.canceled_at ?? task.updated_at;
  return {
    createdAt: task.created_at,
    startedAt: task.started_at ?? task.created_at,
    completedAt: ended,
    finalState: finalStateOf(task),
    failure: task.failure as JsonObject | null,
  };
}

function finalStateOf({ status }: Task): RunRecord['lifecycle']['finalState'] {
  if (!isTerminal(status)) throw new Error('A receipt of a task is issued when it has ended.');
  return OUTCOME_OF_STATUS[status satisfies TerminalStatus];
}

/** A call whose end was never reported was given up with its task. */
function toolCallsOf(
  calls: readonly FactOf<'tool_called'>[],
  ended: readonly FactOf<'tool_ended'>[],
): ReceiptToolCall[] {
  const ends = new Map(ended.map((fact) => [fact.call_id, fact]));
  return calls.map(({ call_id, input_hash, tool }) => {
    const end = ends.get(call_id);
    return {
      call_id: wholeText(call_id),
      input_hash,
      ...(end?.output_hash === undefined ? {} : { output_hash: end.output_hash }),
      status: end?.status ?? 'canceled',
      tool: wholeText(tool),
    };
  });
}

function redactionOf({ message_id, proof_hash }: FactOf<'input_redacted'>): ReceiptRedaction {
  const reason = 'A secret was replaced before the input was recorded.';
  return { field: `/messages/${message_id}`, proof_hash, reason };
}

function fileWriteOf({ path, sha256 }: FactOf<'file_written'>): ReceiptFileWrite {
  return { after_sha256: prefixed(sha256), operation: 'modify', path: wholeText(path) };
}

/**
 * The route, which begins with the protocol, names the destination: where the operator's agents are is no business of the
 * readers of receipts, an address may hold credentials, and a replay on another gateway has to say the same.
 */
function egressOf(route: string, frames: number): RunRecord['networkEgress'] {
  return frames === 0 ? [] : [{ destination: route, purpose: 'agent run' }];
}

const HANDOFF_OF_STATUS = { COMPLETED: 'completed', FAILED: 'failed', CANCELED: 'accepted' } as const;

/** The task another agent took over by A2A. That it was canceled there has no word: what is left is that it was accepted. */
function handoffsOf({ resource, internal }: TaskState): ReceiptHandoff[] {
  const remote = internal.binding?.['task_id'];
  if (!internal.route.startsWith('a2a:') || typeof remote !== 'string' || !isTerminal(resource.status))
    return [];
  const status = resource.failure?.code === 'rejected' ? 'rejected' : HANDOFF_OF_STATUS[resource.status];
  return [{ status, target_agent: internal.route.slice('a2a:'.length), task_id: wholeText(remote) }];
}

function artifactOf(tx: StateReader, id: string): ReceiptArtifact[] {
  const artifact = tx.get<ArtifactState>(artifactKeys.artifact(id))?.resource;
  if (!artifact) return [];
  return [
    {
      artifact_id: id,
      kind: artifact.kind,
      ...(artifact.sha256 === null ? {} : { sha256: prefixed(artifact.sha256) }),
      ...(artifact.uri ? { uri: wholeText(artifact.uri) } : {}),
    },
  ];
}

function prefixed(hex: string): string {
  return hex.startsWith('sha256:') ? hex : `sha256:${hex}`;
}

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
  const request = tx.get<PermissionRequestState>(permissionKeys.permissionRequest(id))?.resource;
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
  if (request.remembered_from !== undefined) return `policy:${REMEMBERED}`;
  const by = request.answered_by;
  return by === undefined && response?.rule_id === undefined
    ? response?.reviewer
    : `policy:${response?.rule_id ?? response?.policy_version}`;
}

/** Which answers rules gave, or the permission policy; absent where none did. */
function rulesOf(tx: StateReader, requests: readonly FactOf<'request'>[]): JsonObject {
  const rules = listed(requests).flatMap(({ id }) => {
    const response = tx.get<PermissionRequestState>(permissionKeys.permissionRequest(id))?.resource.response;
    if (response?.rule_id === undefined) return [];
    return [{ approval_id: id, rule_id: response.rule_id, policy_version: response.policy_version ?? null }];
  });
  return rules.length === 0 ? {} : { permission_rules: rules };
}

/** Which answers were remembered ones, and from where; absent where none was. */
function rememberedOf(tx: StateReader, requests: readonly FactOf<'request'>[]): JsonObject {
  const remembered = listed(requests).flatMap(({ id }) => {
    const request = tx.get<PermissionRequestState>(permissionKeys.permissionRequest(id))?.resource.request;
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
function decidersOf(
  tx: StateReader,
  decisions: readonly FactOf<'policy'>[],
  requests: readonly FactOf<'request'>[],
): JsonObject {
  return { ...policyOf(decisions), ...rememberedOf(tx, requests), ...rulesOf(tx, requests) };
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

/** Items that a receipt lists of a kind, like its frames; its metadata has the number of all where there are more. */
const LISTED_ITEMS = 500;

export type FactOf<Kind extends RunFact['kind']> = Extract<RunFact, { kind: Kind }>;

/** Those of a kind, oldest first. */
export function factsOf<Kind extends RunFact['kind']>(facts: readonly RunFact[], kind: Kind): FactOf<Kind>[] {
  return facts.filter((fact): fact is FactOf<Kind> => fact.kind === kind);
}

export function listed<Fact>(facts: readonly Fact[]): Fact[] {
  return facts.slice(0, LISTED_ITEMS);
}

/** How many there are of what is not listed to its end. */
function beyondList(lists: Readonly<Record<string, readonly RunFact[]>>): JsonObject {
  const long = Object.entries(lists).filter(([, facts]) => facts.length > LISTED_ITEMS);
  return long.length === 0
    ? {}
    : { totals: Object.fromEntries(long.map(([name, facts]) => [name, facts.length])) };
}

/** What a receipt calls the run by; of an imported one, by the names it had where it ran. */
export function identifiersOf(
  tx: StateReader,
  { resource, internal }: TaskState,
  personaRef: string | null,
): RunRecord['identifiers'] {
  const { session_id, workspace_id, branch_id, id } = resource;
  const workspace = tx.get<WorkspaceState>(workspaceKeys.workspace(workspace_id))?.resource;
  const { imported } = tx.get<SessionFold>(sessionKeys.session(session_id))?.internal ?? {};
  return {
    tenantId: imported ? imported.tenant_id : (workspace?.tenant_id ?? null),
    personaRef,
    workspaceId: imported?.workspace_id ?? workspace_id,
    sessionId: session_id,
    taskId: id,
    // An empty id, which older versions took, names no branch.
    branchId: branch_id || null,
    traceId: internal.trace_id,
  };
}
