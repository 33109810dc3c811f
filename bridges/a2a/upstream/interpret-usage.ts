import { isObject } from '../../../mappings/a2a/events.ts';
import { A2A_USAGE } from '../../../mappings/a2a/usage-words.ts';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { readUsage } from '../../../src/protocol/usage.ts';
import type { Move } from '../../../src/upstream.ts';
import { isUserMessage } from './interpret-message.ts';

/** What the agent says that its task used so far, beside whatever else the event says. */
export function usageMoves(body: JsonObject): Move[] {
  const status = body['status'];
  const spoken = isObject(status) ? status['message'] : undefined;
  return [body, spoken].flatMap((one): Move[] => {
    if (!isObject(one) || isUserMessage(one)) return [];
    const { metadata } = one;
    return isObject(metadata) ? movesOf(metadata) : [];
  });
}

function movesOf(metadata: JsonObject): Move[] {
  const { figures, refused } = readUsage(A2A_USAGE, metadata);
  const told: Move[] =
    Object.keys(figures).length === 0 ? [] : [{ type: 'usage', usage: { counts: 'total', ...figures } }];
  if (refused.length === 0) return told;
  return [...told, { type: 'note', note: 'usage_refused', details: { members: refused } }];
}
