import type { DecisionTools } from '#core/facts.ts';
import type { Transaction } from '#eventlog/event-log.ts';
import { haltOn } from '#policy/halts.ts';
import { HOLD_REASONS } from '#protocol/autonomy.ts';
import { type Clean, word } from '#protocol/clean.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { AskedThing, PermissionDraft } from '#protocol-client.ts';
import { aboutOf, askedInDraft, askedInRequest, hasSecret, yesTo } from '#resources/permission-rule/about.ts';
import { EMPTY_POLICY_VERSION } from '#resources/permission-rule/policy-version.ts';
import { type ExactQuestion, exactOf, permissionFor } from '#resources/permission-rule/rules-in-force.ts';
import type { RuleAnswer } from '#resources/permission-rule/schema.ts';
import { runFactsOf } from '#resources/task/fold-run.ts';
import type { CleanTaskState } from '#resources/task/state.ts';
import { permissionsOf } from './action-question.ts';
import type { Resolution } from './permission-request.ts';
import { narrowest } from './read-verdict.ts';
import { isRemembered, REMEMBERED, requestIdOf } from './remembered-permission.ts';
import { OPTION_APPROVES, type PermissionOption, type PermissionQuestion } from './schema.ts';
import { type CleanPermissionRequestState, permissionKeys } from './state.ts';

/** A question, asked or about to be, as far as it decides who may answer it. */
interface Question {
  thing: AskedThing;
  message: string;
  options: readonly PermissionOption[];
  exact: ExactQuestion | undefined;
  /** JSON Schema of the answer. */
  schema: JsonValue | undefined;
  /** A page that somebody has to visit, a login somebody has to do, several who have to approve, or a hold of the operator. */
  needsPerson: boolean;
  /** The agent waits inside its turn; else the answer is a message of its own. */
  isInTurn: boolean;
}

/** Whether the operator wants calls of the tool allowed one by one, or its definition has changed: no rule knew of that. */
function isHeld(metadata: JsonObject = {}): boolean {
  const said = [objectOf(metadata['policy'])['rule'], objectOf(metadata['mcp'])['reason']];
  return HOLD_REASONS.some((reason) => said.includes(`tool.${reason}`) || said.includes(reason));
}

/** What rules and policy answer to a question that is about to be asked; undefined: somebody is asked. */
export function answerToDraft(
  tx: Transaction,
  tools: DecisionTools,
  task: CleanTaskState,
  draft: PermissionDraft,
): Clean<RuleAnswer> | undefined {
  const { upstreamId, options = [], subject, url, requestedSchema: schema } = draft;
  return answerTo(tx, tools, task, {
    thing: askedInDraft(draft, task.internal.binding),
    message: draft.message,
    options,
    exact: exactOf(task.internal.route, subject),
    schema,
    needsPerson: url !== undefined || draft.resends === true || isHeld(draft.metadata),
    isInTurn: upstreamId !== undefined,
  });
}

/** The same for one that waits already. */
export function answerToRequest(
  tx: Transaction,
  tools: DecisionTools,
  task: CleanTaskState,
  { resource, internal }: CleanPermissionRequestState,
): Clean<RuleAnswer> | undefined {
  const { options, url, requested_schema: schema, approvals, message } = resource.request;
  const { subject_sha256, resends, upstream_id } = internal;
  return answerTo(tx, tools, task, {
    thing: askedInRequest(resource, task.internal.binding),
    message,
    options,
    exact: subject_sha256 === undefined ? undefined : { route: task.internal.route, subject_sha256 },
    schema,
    needsPerson:
      url !== undefined || resends === true || approvals !== undefined || isHeld(resource.metadata),
    isInTurn: upstream_id !== null,
  });
}

function answerTo(
  tx: Transaction,
  tools: DecisionTools,
  task: CleanTaskState,
  question: Question,
): Clean<RuleAnswer> | undefined {
  const { thing, exact, options } = question;
  const halted = answerOfHalt(tx, tools, task, thing);
  if (halted !== undefined) return halted;
  const isSilent = permissionsOf(tx, task.resource.workspace_id) === undefined;
  if (isSilent && exact === undefined) return undefined;
  const about = aboutOf(thing, tools.self.askedAbout(task.internal.route, thing));
  const decision = permissionFor(tx, tools, task.resource, about, exact);
  if (decision.outcome === 'suspend') return undefined;
  const approved = decision.outcome === 'granted';
  if (options.length > 0 && !options.some(({ kind }) => OPTION_APPROVES[kind] === approved)) return undefined;
  const isHidden = hasSecret(about) || hasSecret({ action: question.message, target: '' });
  if (approved && (isHidden || !mayApprove(tx, task, question))) return undefined;
  const { rule_id, policy_version } = decision;
  const requestId = rule_id === null ? undefined : requestIdOf(rule_id);
  const isExact = requestId !== undefined && isRemembered(tx, { id: requestId });
  return { approved, rule_id, policy_version, ...(isExact ? { remembered_from: requestId } : {}) };
}

/** Nobody is asked whether a halted tool may be called. */
function answerOfHalt(
  tx: Transaction,
  { self }: DecisionTools,
  { resource, internal: { route } }: CleanTaskState,
  { toolName, action }: AskedThing,
): Clean<RuleAnswer> | undefined {
  if (self.halts.inForce === undefined) return undefined;
  const names = [toolName, action].filter((name) => typeof name === 'string');
  const [halt] = names.flatMap((skillId) => haltOn(self.halts, { route, skillId }) ?? []);
  if (halt === undefined) return undefined;
  const { policy } = permissionsOf(tx, resource.workspace_id) ?? {};
  return { approved: false, rule_id: halt.id, policy_version: policy?.version ?? EMPTY_POLICY_VERSION };
}

/** A rule says yes to what only wants a yes. What takes words, a visit or a login, it leaves to whoever is asked. */
function mayApprove(
  tx: Transaction,
  task: CleanTaskState,
  { thing, schema, needsPerson, isInTurn }: Question,
): boolean {
  if (needsPerson) return false;
  if (thing.kind === 'elicitation') return yesTo(schema) !== undefined;
  return isInTurn || thing.kind === 'tool' || !wasAnswered(tx, task);
}

/** An agent that asks for the same again was not helped by a yes; somebody has to look. */
function wasAnswered(tx: Transaction, task: CleanTaskState): boolean {
  return runFactsOf(tx, task).some((fact) => {
    if (fact.kind !== 'request') return false;
    const request = tx.get<CleanPermissionRequestState>(permissionKeys.permissionRequest(fact.id))?.resource;
    return request?.request.kind === 'authorization' && request.response?.rule_id !== undefined;
  });
}

/** How a request ends that a rule or the policy answers. */
export function resolutionByRule(question: Clean<PermissionQuestion>, answer: Clean<RuleAnswer>): Resolution {
  const { approved, rule_id: ruleId, policy_version: policyVersion } = answer;
  const said = approved && question.kind === 'elicitation' ? yesTo(question.requested_schema) : undefined;
  return {
    approved,
    optionId: narrowest(question, approved)?.option_id ?? null,
    reason: reasonOf(answer),
    ruleId,
    policyVersion,
    ...(said === undefined ? {} : { answer: said }),
  };
}

/** A word of the gateway's own: the words of a rule are those of whoever made it. */
function reasonOf({ rule_id, remembered_from }: RuleAnswer) {
  if (remembered_from !== undefined) return REMEMBERED;
  if (rule_id?.startsWith('halt_')) return word('halt');
  return word(rule_id === null ? 'permission_policy' : 'permission_rule');
}
