import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';

/** Members of `_meta` in which agents send what a command of their own prints, to be appended to what came before. */
const PRINTED_AT = ['terminal_output', 'terminal_output_delta'] as const;

/** What the command of a tool call has printed since the update before; ACP v1 has no word for terminals of agents. */
export function printedIn(update: JsonObject): string {
  const meta = objectOf(update['_meta']);
  return PRINTED_AT.map((name) => objectOf(meta[name])['data'])
    .filter((data) => typeof data === 'string')
    .join('');
}
