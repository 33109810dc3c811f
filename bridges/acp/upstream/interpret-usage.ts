import { isObject, objectOf } from '../../../mappings/acp/json-shape.ts';
import { PROMPT_USAGE } from '../../../mappings/acp/usage-words.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { readUsage, type UsageFigures, type UsageRow, usedSince } from '../../../src/protocol/usage.ts';
import type { Move, Seen } from '../../../src/upstream.ts';

/**
 * What a task used, of counters that run through the whole session of the agent: the Session's binding holds their newest
 * readings, and the difference is this task's. A session that nothing is bound to has no reading to count from.
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

/** What a turn used, of the answer that ends it. */
export function turnUsageMoves(answer: JsonObject): Move[] {
  const { figures, refused } = readUsage(PROMPT_USAGE, answer);
  const notes = refusedNotes(refused);
  if (Object.keys(figures).length === 0) return notes;
  return [...notes, { type: 'usage', usage: { counts: 'more', ...figures } }];
}

function refusedNotes(members: string[]): Move[] {
  return members.length === 0 ? [] : [{ type: 'note', note: 'usage_refused', details: { members } }];
}

/** The binding of a session of the agent, with the readings of its counters where it is the same one as before. */
export function boundSession(session_id: string, seen: Seen): JsonObject {
  const reported = seen.sessionBinding?.['session_id'] === session_id && seen.sessionBinding['reported'];
  return { session_id, ...(isObject(reported || undefined) ? { reported: reported as JsonObject } : {}) };
}
