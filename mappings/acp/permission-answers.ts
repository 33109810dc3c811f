import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf, objectsOf, textOf } from '#protocol/json-shape.ts';
import type { PermissionAnswer } from '#protocol-client.ts';
import { OPTION_APPROVES, type PermissionOption } from '#resources/permission/schema.ts';

export const PERMISSION_METHOD = 'session/request_permission';
export const ELICITATION_METHOD = 'elicitation/create';

/** Requests of an agent that a person answers. */
export const ASKING_METHODS: readonly string[] = [PERMISSION_METHOD, ELICITATION_METHOD];

/**
 * The options of a permission request as they are offered. The gateway remembers an answer for good where its policy allows it
 * (`remembers`). The agent must not remember it, because no policy would see that: without "remembers", an option for good is
 * left out when there is one for once with the same meaning.
 */
export function decodeOptions(request: JsonObject, remembers = false): PermissionOption[] {
  const all = objectsOf(objectOf(request['params'])['options']).flatMap((option): PermissionOption[] => {
    const option_id = textOf(option['optionId']);
    const kind = textOf(option['kind']) ?? '';
    if (option_id === undefined || !Object.hasOwn(OPTION_APPROVES, kind)) return [];
    const name = textOf(option['name']) ?? option_id;
    return [{ option_id, name: name.slice(0, 500), kind: kind as PermissionOption['kind'] }];
  });
  if (remembers) return all;
  const hasOnce = (kind: string) => all.some((other) => other.kind === kind.replace('_always', '_once'));
  return all.filter(({ kind }) => kind.endsWith('_once') || !hasOnce(kind));
}

/** What the agent asks about, as it names it: an answer for good is one about exactly this. */
export function subjectOf(request: JsonObject): JsonObject {
  const { kind = null, name = null, title = null } = objectOf(objectOf(request['params'])['toolCall']);
  return { kind, name, title };
}

/**
 * The result of an agent's request. The gateway remembers answers, so the agent gets the narrowest option. A refusal takes an
 * option that refuses. Where there is none it is `cancelled`, which also ends the turn, and never an option that allows.
 */
export function encodeAnswer(request: JsonObject, answer: PermissionAnswer | 'cancelled'): JsonValue {
  if (request['method'] === ELICITATION_METHOD) return elicited(request, answer);
  const option = answer === 'cancelled' ? undefined : optionFor(request, answer);
  if (option === undefined) return { outcome: { outcome: 'cancelled' } };
  return { outcome: { outcome: 'selected', optionId: option.option_id } };
}

function optionFor(
  request: JsonObject,
  { approved, optionId }: PermissionAnswer,
): PermissionOption | undefined {
  const fitting = decodeOptions(request).filter(({ kind }) => OPTION_APPROVES[kind] === approved);
  return fitting.find(({ option_id }) => option_id === optionId) ?? fitting[0];
}

function elicited(request: JsonObject, answer: PermissionAnswer | 'cancelled'): JsonValue {
  if (answer === 'cancelled') return { action: 'cancel' };
  if (!answer.approved) return { action: 'decline' };
  if (objectOf(request['params'])['mode'] === 'url') return { action: 'accept' };
  return { action: 'accept', content: contentOf(request, answer.answer) };
}

/** A person may answer a form of one field with its value alone, and any form with the parts of a message. */
function contentOf(request: JsonObject, answer: JsonValue | undefined): JsonObject {
  if (isObject(answer) && Array.isArray(answer['parts'])) return contentOf(request, saidIn(answer));
  if (isObject(answer) && answer['text'] === undefined) return answer;
  const value = isObject(answer) ? (answer['text'] ?? null) : (answer ?? null);
  const schema = objectOf(objectOf(request['params'])['requestedSchema']);
  const [first = 'answer'] = Object.keys(objectOf(schema['properties']));
  return { [first]: value };
}

/** The fields where a part has them, else the words. */
function saidIn({ parts }: JsonObject): JsonValue {
  const said = objectsOf(parts);
  const fields = said.map(({ value }) => value).find(isObject);
  return fields ?? said.flatMap(({ text }) => textOf(text) ?? []).join(' ');
}
