import type { JsonObject } from '#protocol/json.ts';
import { objectOf, textOf } from '#protocol/json-shape.ts';

/**
 * Where agents say which tool a call is of, best first; the title shows a person what is done. Source: recorded frames of
 * the agents in fixtures/wire/acp.
 */
const NAME_AT = [['name'], ['_meta', 'claudeCode', 'toolName'], ['title'], ['kind']] as const;

/** The name of the tool of a call; undefined when the agent says nothing about it here. */
export function toolNameOf(call: JsonObject): string | undefined {
  for (const [last, ...path] of NAME_AT.map((at) => at.toReversed())) {
    const holder = path.reduceRight((value, name) => objectOf(value[name]), call);
    const name = textOf(holder[last ?? '']);
    if (name !== undefined) return name;
  }
  return undefined;
}
