import { z } from 'zod';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';

/**
 * A message of the A2A protocol buffers in its JSON form. A member may be sent by its JSON name or by its name in the protocol
 * file, `contextId` or `context_id`; what is read has the JSON name. Both at once are a fault: which one counts would be a
 * guess. Unknown members are left out, and cost nothing however many there are. Spec: ProtoJSON, "Field names".
 */
export function protoMessage<Shape extends z.ZodRawShape>(
  shape: Shape,
  /** Names in the protocol file that do not follow from the JSON names. */
  named: Readonly<Record<string, string>> = {},
) {
  const spellings = Object.keys(shape).map((name) => ({
    name,
    all: [...new Set([name, named[name] ?? protoName(name)])],
  }));
  return z.preprocess((value, context) => {
    const given = value as JsonValue | undefined;
    if (!isObject(given)) return value;
    const members: JsonObject = {};
    for (const { name, all } of spellings) {
      const [first, second] = all.filter((spelled) => Object.hasOwn(given, spelled));
      if (first !== undefined) members[name] = given[first] ?? null;
      if (second === undefined) continue;
      const message = `is ${name} once more. Send one of the two`;
      context.issues.push({ code: 'custom', path: [second], message, input: value });
    }
    return members;
  }, z.object(shape));
}

/** The name of a member in the protocol file. */
function protoName(jsonName: string): string {
  return jsonName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
