import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { part, ROLES, type Role, VISIBILITIES } from '#resources/message/schema.ts';
import { asMembers } from './validate-bundle.ts';

/** Roles that other hosts know by other names. */
const OTHER_NAMES: Readonly<Record<string, Role>> = { developer: 'system', function: 'tool' };

/**
 * A message of a transcript that another host wrote, as the gateway keeps it: text is text, a block that is a Part stays one, and
 * any other, or one that names what did not come along, is kept whole as JSON.
 */
export function foreignMessage({ role: said, content = null, metadata }: JsonObject): {
  role: Role;
  parts: JsonValue[];
  metadata: JsonObject;
} {
  const name = String(said);
  const role = ROLES.find((known) => known === name) ?? OTHER_NAMES[name] ?? 'agent';
  const own = asMembers(metadata);
  return {
    role,
    parts: (Array.isArray(content) ? content : [content]).map(partOf),
    metadata: role === name ? own : { ...own, original_role: said ?? null },
  };
}

/** Parts that hold what they say, without an Artifact that would have to be there. */
const SELF_CONTAINED: ReadonlySet<JsonValue | undefined> = new Set([
  'text',
  'json',
  'tool_call',
  'tool_result',
]);

function partOf(block: JsonValue): JsonObject {
  if (typeof block === 'string') return { type: 'text', text: block, visibility: 'public' };
  const members = asMembers(block);
  const visibility = VISIBILITIES.find((known) => known === members['visibility']) ?? 'public';
  const parsed = part.safeParse({ ...members, visibility });
  if (parsed.success && SELF_CONTAINED.has(members['type'])) return parsed.data as unknown as JsonObject;
  return { type: 'json', value: block, visibility };
}
