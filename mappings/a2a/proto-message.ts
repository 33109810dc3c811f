import { z } from 'zod';
import type { JsonValue } from '../../src/protocol/json.ts';
import { isObject } from './events.ts';

/**
 * A message of the A2A protocol buffers in its JSON form. A member may be sent by its JSON name or by its name in the protocol
 * file, `contextId` or `context_id`; what is read has the JSON name. Both at once are a fault: which one counts would be a
 * guess. Other members are kept as they are. Spec: ProtoJSON, "Field names".
 */
export function protoMessage<Shape extends z.ZodRawShape>(shape: Shape) {
  const renamed = Object.keys(shape).flatMap((name) => {
    const inProtocolFile = protoName(name);
    return inProtocolFile === name ? [] : [[inProtocolFile, name] as const];
  });
  return z.preprocess((value, context) => {
    const given = value as JsonValue | undefined;
    if (!isObject(given)) return value;
    const found = renamed.filter(([inProtocolFile]) => Object.hasOwn(given, inProtocolFile));
    if (found.length === 0) return value;
    const members = new Map(Object.entries(given));
    for (const [inProtocolFile, name] of found) {
      const message = `is ${name} once more. Send one of the two`;
      if (members.has(name))
        context.issues.push({ code: 'custom', path: [inProtocolFile], message, input: value });
      members.set(name, given[inProtocolFile] ?? null);
      members.delete(inProtocolFile);
    }
    return Object.fromEntries(members);
  }, z.looseObject(shape));
}

/** The name of a member in the protocol file. */
export function protoName(jsonName: string): string {
  return jsonName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
