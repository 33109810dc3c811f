import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { PermissionAnswer } from '#upstream.ts';
import { objectOf } from '../object-of.ts';

/** Why an answer came that nobody gave: the form was put aside, not refused. */
const PUT_ASIDE = ['timeout', 'canceled', 'task_canceled', 'task_failed'];

/**
 * The ElicitResult of an answer: an object is the content, or says action and content itself; a text is JSON, or the value
 * of the only member that is asked for. Spec: MCP 2025-11-25, "Elicitation".
 */
export function elicitResult(answer: PermissionAnswer, schema: JsonObject): JsonObject {
  const given = objectOf(answer.answer);
  const { action } = given;
  if (action === 'accept' || action === 'decline' || action === 'cancel') {
    return action === 'accept' ? { action, content: objectOf(given['content']) } : { action };
  }
  if (!answer.approved) return { action: PUT_ASIDE.includes(answer.reason ?? '') ? 'cancel' : 'decline' };
  return { action: 'accept', content: contentOf(answer.answer, schema) };
}

function contentOf(answer: JsonValue | undefined, schema: JsonObject): JsonObject {
  const given = objectOf(answer);
  const text = typeof answer === 'string' ? answer : soleText(given);
  if (text === undefined) return given;
  const parsed = parsedObject(text);
  if (parsed !== undefined) return parsed;
  const properties = objectOf(schema['properties']);
  const [name, ...more] = Object.keys(properties);
  return name === undefined || more.length > 0
    ? {}
    : { [name]: typedValue(text, objectOf(properties[name])) };
}

/** `{text}`, or parts of which one is text or JSON. */
function soleText(given: JsonObject): string | undefined {
  const { text, parts } = given;
  if (typeof text === 'string' && Object.keys(given).length === 1) return text;
  const [part] = Array.isArray(parts) ? parts : [];
  const found = objectOf(part);
  if (typeof found['text'] === 'string') return found['text'];
  return found['type'] === 'json' ? JSON.stringify(found['value']) : undefined;
}

function parsedObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

function typedValue(text: string, { type }: JsonObject): JsonValue {
  if (type === 'boolean') return /^(true|yes)$/i.test(text.trim());
  if ((type === 'number' || type === 'integer') && text.trim() !== '' && Number.isFinite(Number(text)))
    return Number(text);
  return text;
}

const SECRET_NAME = /pass(word|wd|phrase)|secret|token|api_?key|credential|private_?key/i;

/** Members of a form that ask for a secret, which a form must not. Spec: MCP 2025-11-25, "Elicitation", Security. */
export function secretMembers(schema: JsonObject): string[] {
  return Object.keys(objectOf(schema['properties'])).filter((name) => SECRET_NAME.test(name));
}
