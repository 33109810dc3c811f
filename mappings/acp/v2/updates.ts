import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf, objectsOf, textOf } from '#protocol/json-shape.ts';
import type { UpdateKind } from '../update-kinds.ts';
import { gitPatch } from './git-patch.ts';
import { optionsOut } from './options.ts';

/** The one plan of a session: v1 has no ids of plans. */
const PLAN_ID = 'plan';

type Translate = (update: JsonObject, messageId: string) => JsonObject | undefined;

/**
 * The form that each update of version 1 has in the draft version 2; undefined where it has none. Kinds besides these go out
 * as they are. Spec: ACP v2 draft, `session/update`.
 */
const TRANSLATE = {
  user_message_chunk: withMessageId,
  agent_message_chunk: withMessageId,
  agent_thought_chunk: withMessageId,
  tool_call: toolCall,
  tool_call_update: toolCall,
  plan: ({ entries, _meta }) => ({
    sessionUpdate: 'plan_update',
    plan: { type: 'items', planId: PLAN_ID, entries: entries ?? [] },
    ...(_meta === undefined ? {} : { _meta }),
  }),
  available_commands_update: (update) => ({
    ...update,
    availableCommands: objectsOf(update['availableCommands']).map(commandOut),
  }),
  // Modes are options of the agent in version 2; an agent that has modes only loses them there.
  current_mode_update: () => undefined,
  config_option_update: (update) => ({ ...update, configOptions: optionsOut(update['configOptions']) }),
  session_info_update: (update) => update,
  usage_update: (update) => update,
  notice: (update) => update,
  compaction_update: (update) => update,
  compaction_summary_chunk: (update) => update,
} as const satisfies Record<UpdateKind, Translate>;

/** `messageId`: that of a piece of a message whose agent gives none. */
export function updateOut(update: JsonObject, messageId: string): JsonObject | undefined {
  const kind = textOf(update['sessionUpdate']) ?? '';
  return Object.hasOwn(TRANSLATE, kind) ? TRANSLATE[kind as UpdateKind](update, messageId) : update;
}

/** A call is announced and changed by the same update; what it leaves out stays as it was. */
export function toolCall(update: JsonObject): JsonObject {
  const { content, ...rest } = update;
  const announced = { ...rest, sessionUpdate: 'tool_call_update' };
  return Array.isArray(content) ? { ...announced, content: objectsOf(content).map(contentOut) } : announced;
}

function withMessageId(update: JsonObject, messageId: string): JsonObject {
  return { ...update, messageId: textOf(update['messageId']) ?? messageId };
}

function commandOut({ input, ...command }: JsonObject): JsonObject {
  return {
    type: 'command',
    ...command,
    ...(isObject(input) ? { input: { type: 'text', ...objectOf(input) } } : {}),
  };
}

/** A whole file before and after becomes a change with its patch. */
function contentOut(content: JsonObject): JsonObject {
  if (content['type'] !== 'diff') return content;
  const { type, path, oldText, newText, ...rest } = content;
  const before: JsonValue = oldText ?? null;
  const operation = before === null ? 'add' : 'modify';
  const text = gitPatch(textOf(path) ?? '', textOf(before) ?? '', textOf(newText) ?? '', operation);
  return {
    type: type ?? 'diff',
    changes: [{ operation, path: path ?? null }],
    patch: { format: 'git_patch', text },
    ...rest,
  };
}
