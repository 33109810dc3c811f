import { pathOf } from '#core/decode-input.ts';
import type { Clean, CleanText, Received } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import { type MessageInput, messageInput } from '#resources/message/schema.ts';
import {
  OPTION_APPROVES,
  OUTCOME_APPROVES,
  type PermissionOption,
  type PermissionQuestion,
  type PermissionResponseRequest,
} from './schema.ts';

/** What a caller decided about a permission request. */
export interface Verdict {
  approved: boolean;
  /** The chosen option; where none was named, the narrowest one that fits; null without options. */
  optionId: CleanText | null;
  answer: Received<JsonValue> | undefined;
}

/**
 * Reads a decision. `approved`, `outcome` and the chosen option must agree; an elicitation counts as approved when it has
 * an answer and is not denied. Throws invalid_request with the member to correct.
 */
export function readVerdict(
  question: Clean<PermissionQuestion>,
  { sent, clean: body }: Received<PermissionResponseRequest>,
): Verdict {
  const answer = body.answer ?? undefined;
  const option = chosenOption(question, answer);
  const byOption = option === undefined ? undefined : OPTION_APPROVES[option.kind];
  const votes = [body.approved, voteOf(body.outcome, byOption), byOption].filter(
    (vote) => vote !== undefined,
  );
  if (new Set(votes).size > 1) throw contradiction(body, votes);
  const approved = votes[0] ?? implied(question, answer);
  if (approved && question.kind === 'elicitation' && answer === undefined) throw unanswered();
  const optionId = (option ?? narrowest(question, approved))?.option_id ?? null;
  return {
    approved,
    optionId,
    answer: answer === undefined ? undefined : { sent: sent.answer ?? null, clean: answer },
  };
}

/** An answer as a Message for the agent: its parts, its text, the name of the option, or the JSON as it is. */
export function messageOfAnswer(question: PermissionQuestion, answer: JsonValue | undefined): MessageInput {
  if (answer === undefined) return textMessage('approved');
  if (typeof answer === 'string') return textMessage(answer);
  if (!isObject(answer)) return jsonMessage(answer);
  if (answer['parts'] !== undefined) return messageOfParts(answer['parts']);
  if (typeof answer['text'] === 'string') return textMessage(answer['text']);
  const option = chosenOption(question, answer);
  return option === undefined ? jsonMessage(answer) : textMessage(option.name);
}

/** Whether an answer says more than that it is approved. */
export function hasWords(question: PermissionQuestion, answer: JsonValue | undefined): boolean {
  return answer !== undefined && chosenOption(question, answer) === undefined;
}

function messageOfParts(parts: JsonValue): MessageInput {
  const parsed = messageInput.safeParse({ role: 'user', parts });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const param = pathOf(['answer', ...(issue?.path ?? [])]);
  throw new ProtocolError('invalid_request', `${param}: ${issue?.message ?? 'is invalid'}.`, { param });
}

function textMessage(text: string): MessageInput {
  return { role: 'user', parts: [{ type: 'text', text, visibility: 'public' }] };
}

function jsonMessage(value: JsonValue): MessageInput {
  return { role: 'user', parts: [{ type: 'json', value, visibility: 'public' }] };
}

/** `selected` leaves the decision to the option; without one it means yes. */
function voteOf(
  outcome: PermissionResponseRequest['outcome'],
  byOption: boolean | undefined,
): boolean | undefined {
  if (outcome === undefined) return undefined;
  const vote = OUTCOME_APPROVES[outcome];
  return vote === 'option' ? (byOption ?? true) : vote;
}

/** `option_id`, or `optionId` as the Agent Client Protocol spells it. */
function chosenOption<Option extends PermissionOption>(
  question: { options: Option[] },
  answer: JsonValue | undefined,
): Option | undefined {
  if (!isObject(answer)) return undefined;
  const id = answer['option_id'] ?? answer['optionId'];
  if (id === undefined) return undefined;
  const option = question.options.find(({ option_id }) => option_id === id);
  if (option !== undefined) return option;
  const options = question.options.map(({ option_id }) => option_id);
  const message = 'The request has no option with this id. Choose one of details.options.';
  throw new ProtocolError('invalid_request', message, { param: 'answer.option_id', details: { options } });
}

/** Nothing is allowed or refused for longer than the caller said. */
export function narrowest<Option extends PermissionOption>(
  { options }: { options: Option[] },
  approved: boolean,
): Option | undefined {
  const fitting = options.filter(({ kind }) => OPTION_APPROVES[kind] === approved);
  return fitting.find(({ kind }) => kind.endsWith('_once')) ?? fitting[0];
}

function implied(question: PermissionQuestion, answer: JsonValue | undefined): true {
  if (question.kind === 'elicitation' && answer !== undefined) return true;
  const message = 'Say whether you approve: send approved true or false, an outcome, or answer.option_id.';
  throw new ProtocolError('invalid_request', message, { param: 'approved' });
}

function contradiction(
  { approved, outcome }: PermissionResponseRequest,
  votes: readonly boolean[],
): ProtocolError {
  const param = outcome !== undefined && approved !== undefined ? 'outcome' : 'answer.option_id';
  const message = 'The members of this answer contradict each other. Send one decision.';
  return new ProtocolError('invalid_request', message, { param, details: { decisions: [...votes] } });
}

function unanswered(): ProtocolError {
  const message =
    'The agent asked a question. Send the answer: a text, {"text"}, {"parts"}, {"option_id"} or a JSON value.';
  return new ProtocolError('invalid_request', message, { param: 'answer' });
}
