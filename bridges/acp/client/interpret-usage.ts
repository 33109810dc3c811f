import type { JsonObject } from '#protocol/json.ts';
import { isObject, objectOf } from '#protocol/json-shape.ts';
import { type Counted, readUsage, type UsageFigures, type UsageRow, usedSince } from '#protocol/usage.ts';
import type { Move, Seen } from '#protocol-client.ts';
import { PROMPT_USAGE } from '../../../mappings/acp/usage-words.ts';
import type { SessionRecord } from './record.ts';

/**
 * What a task used, computed from counters for the whole session of the agent. The Session's binding holds their newest
 * readings, and the difference belongs to this task. A session without a binding has no reading to count from.
 */
export function usageMoves(rows: readonly UsageRow[], said: JsonObject, seen: Seen): Move[] {
  const { figures, refused } = readUsage(rows, said);
  const notes = refusedNotes(refused);
  const bound = seen.sessionBinding;
  if (bound === undefined || Object.keys(figures).length === 0) return notes;
  const before = objectOf(bound['reported']) as UsageFigures;
  const sessionBinding = { ...bound, reported: { ...before, ...figures } as JsonObject };
  if (JSON.stringify(sessionBinding) === JSON.stringify(bound)) return notes;
  const usage = { counts: 'more' as const, ...usedSince(before, figures) };
  return [...notes, { type: 'usage', usage }, { type: 'bind', sessionBinding }];
}

/** The newest counters that came with the answer of a prompt, as the Session's binding keeps them. */
interface Reading {
  input_tokens?: number;
  output_tokens?: number;
  /** Tokens that the turn used, and about how often the agent asked its model for that. */
  used: number;
  model_calls: number;
  /** The counters fell while the session was open, which those of a session never do. */
  fell?: true;
  /** The session was taken up again since, and its counters may have begun again. */
  reopened?: true;
}

/**
 * What a turn used, of the counters of the answer that ends it. The schema calls them those of the session and of the turn; agents
 * do either, so each reading is compared with the one before. `modelCalls`: of records that have it; older ones count turns.
 */
export function turnUsageMoves(answer: JsonObject, modelCalls: number | undefined, seen: Seen): Move[] {
  const { figures, refused } = readUsage(PROMPT_USAGE, answer);
  const notes = refusedNotes(refused);
  if (Object.keys(figures).length === 0) return notes;
  const bound = seen.sessionBinding;
  const { input_tokens, output_tokens } = figures;
  const counters = {
    ...(input_tokens === undefined ? {} : { input_tokens }),
    ...(output_tokens === undefined ? {} : { output_tokens }),
  };
  if (modelCalls === undefined || bound === undefined || Object.keys(counters).length === 0)
    return [...notes, { type: 'usage', usage: { counts: 'more', ...figures } }];
  const before = isObject(bound['prompt_usage']) ? (bound['prompt_usage'] as unknown as Reading) : undefined;
  const fell = before !== undefined && isBelow(before, counters);
  const counted = before && countedBy(before, counters, modelCalls, fell);
  const used = counted === 'session' && !fell ? usedSince(before ?? {}, figures) : figures;
  const reading: Reading = {
    ...counters,
    used: tokensOf(used),
    model_calls: modelCalls,
    ...(before?.fell || (fell && !before?.reopened) ? { fell: true } : {}),
  };
  const usage = { counts: 'more' as const, ...used, ...(counted === undefined ? {} : { counted }) };
  const sessionBinding = { ...bound, prompt_usage: reading as unknown as JsonObject };
  return [...notes, { type: 'usage', usage }, { type: 'bind', sessionBinding }];
}

/**
 * Agents report per turn or per session. We compare the growth with the last turn and take the closer one: a turn uses about
 * as much for each call of the model as the turn before. Undefined where nothing was used before, and for a resumed session
 * whose counters started again.
 */
function countedBy(
  before: Reading,
  now: UsageFigures,
  modelCalls: number,
  fell: boolean,
): Counted | undefined {
  if (before.fell) return 'turn';
  if (fell) return before.reopened ? undefined : 'turn';
  if (before.used === 0) return undefined;
  const expected = (before.used / before.model_calls) * modelCalls;
  return tokensOf(now) >= expected + tokensOf(before) / 2 ? 'session' : 'turn';
}

function isBelow(before: UsageFigures, now: UsageFigures): boolean {
  const isLess = (was = 0, is = was) => is < was;
  return isLess(before.input_tokens, now.input_tokens) || isLess(before.output_tokens, now.output_tokens);
}

function tokensOf({ input_tokens = 0, output_tokens = 0 }: UsageFigures): number {
  return input_tokens + output_tokens;
}

function refusedNotes(members: string[]): Move[] {
  return members.length === 0 ? [] : [{ type: 'note', note: 'usage_refused', details: { members } }];
}

/** The binding of a session of the agent, with the readings of its counters where it is the same one as before. */
export function boundSession({ session_id, how }: SessionRecord, seen: Seen): JsonObject {
  const before = seen.sessionBinding?.['session_id'] === session_id ? seen.sessionBinding : {};
  const { reported, prompt_usage } = before;
  const reopened = how === 'open' ? {} : { reopened: true };
  return {
    session_id,
    ...(isObject(reported) ? { reported } : {}),
    ...(isObject(prompt_usage) ? { prompt_usage: { ...prompt_usage, ...reopened } } : {}),
  };
}
