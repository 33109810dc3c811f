import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { Frame } from '#protocol-client.ts';
import type { MemoryFrame } from '#resources/memory/given-memory.ts';

/**
 * The frame that an override puts in the place of a recorded one. A value that names a `kind` of frame is a whole one. Any
 * other stands for what was said: where the recorded body wraps the words of its protocol as `message`, it takes their place.
 */
export function substituteFor(recorded: Frame | MemoryFrame, value: JsonValue): Frame | MemoryFrame {
  if (recorded.kind === 'memory') return { ...recorded, memory: { ...recorded.memory, content: value } };
  if (isFrame(value)) return value;
  const wrap = recorded.kind === 'message' && isObject(recorded.body) && 'message' in recorded.body;
  if (!wrap || (isObject(value) && 'message' in value)) return { kind: 'message', body: value };
  return { kind: 'message', body: { ...(recorded.body as JsonObject), message: value } };
}

function isFrame(value: JsonValue): value is Frame & JsonObject {
  if (!isObject(value)) return false;
  if (value['kind'] === 'end') return true;
  if (value['kind'] === 'message') return value['body'] !== undefined;
  return (
    value['kind'] === 'fault' && typeof value['code'] === 'string' && typeof value['message'] === 'string'
  );
}
