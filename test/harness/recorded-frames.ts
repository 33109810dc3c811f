import { readFileSync } from 'node:fs';
import type { JsonObject } from '#protocol/json.ts';

/** One line of a recording in fixtures/wire/acp-agents: a message and who got it, or the end of the agent's process. */
export type RecordedLine = { to: 'agent' | 'gateway'; message: JsonObject } | { to: 'end' };

export function recordedLines(file: string | URL): RecordedLine[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as RecordedLine);
}
