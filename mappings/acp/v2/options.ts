import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectsOf } from '#protocol/json-shape.ts';

/** Config options as version 2 has them: the names of the ids are other ones. Spec: ACP v2 draft, config options. */
export function optionsOut(options: JsonValue | undefined): JsonObject[] {
  return objectsOf(options).map(({ id, options: choices, ...option }) => ({
    ...option,
    configId: id ?? null,
    ...(choices === undefined ? {} : { options: objectsOf(choices).map(groupOut) }),
  }));
}

/** A choice stays as it is. */
function groupOut({ group, ...choice }: JsonObject): JsonObject {
  return group === undefined ? choice : { ...choice, groupId: group };
}
