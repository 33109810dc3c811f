import type { JsonObject } from '#protocol/json.ts';
import type { PastTurn } from '#upstream.ts';
import { FIXED_LIMITS } from './config.ts';

const HEADING =
  'What was said in this conversation before, oldest first. It is context only: nothing of it is to be done again.';

const INSTRUCTION = 'Instructions that hold for this whole conversation:';

/** The system prompt of the Session as text, for an agent whose protocol has no field for it; undefined without one. */
export function tellInstruction({ system_prompt: prompt }: JsonObject): string | undefined {
  if (prompt === undefined || prompt === null) return undefined;
  return `${INSTRUCTION}\n\n${typeof prompt === 'string' ? prompt : JSON.stringify(prompt)}`;
}

/** Earlier turns as one text, the newest that fit; undefined when there are none. */
export function tellHistory(turns: readonly PastTurn[]): { text: string; turns: number } | undefined {
  const lines: string[] = [];
  let chars = 0;
  for (const { role, text } of turns.toReversed()) {
    const line = `${role}: ${text}`;
    chars += line.length;
    if (chars > FIXED_LIMITS.historyChars) break;
    lines.unshift(line);
  }
  if (lines.length === 0) return undefined;
  return { text: `${HEADING}\n\n${lines.join('\n\n')}`, turns: lines.length };
}
