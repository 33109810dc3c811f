import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Session } from '#resources/session/schema.ts';
import { CLIENT_METADATA, modesOf, NO_LIMIT, refusalOf } from '../../../mappings/acp/config-options.ts';
import { objectOf, textOf } from '../../../mappings/acp/json-shape.ts';
import { invalidParams } from '../wire/json-rpc.ts';
import type { Conversation } from './conversation.ts';
import type { ParamsOf } from './params.ts';
import { followed } from './sessions.ts';

/** A mode of the agent; it is told with the next prompt. */
export async function setMode(talk: Conversation, params: ParamsOf<'session/set_mode'>): Promise<JsonValue> {
  const { sessionId, modeId } = params;
  await followed(talk, sessionId);
  const modes = modesOf(talk.view.metadata(sessionId))?.availableModes ?? [];
  if (!modes.some(({ id }) => id === modeId)) throw invalidParams('modeId', 'is no mode of this session.');
  await wish(talk, sessionId, modeId, 'mode');
  return {};
}

type SetOption = (talk: Conversation, sessionId: string, value: JsonValue, name: string) => Promise<void>;

/** Options of the gateway's own; others are the agent's. */
const SET_OWN: Readonly<Record<string, SetOption>> = {
  agent: (talk, sessionId, value) => patch(talk, sessionId, { route: value }),
  persona: (talk, sessionId, value) =>
    patchClient(talk, sessionId, { persona_id: value === 'none' ? null : value }),
  autonomy: (talk, sessionId, value) =>
    patch(talk, sessionId, { autonomy_tier: value === NO_LIMIT ? null : value }),
};

/** Agent, persona, autonomy tier, or an option of the agent itself. Answers with all options, as v1 asks for. */
export async function setConfigOption(
  talk: Conversation,
  params: ParamsOf<'session/set_config_option'>,
): Promise<JsonValue> {
  const { sessionId, configId, value } = params;
  await followed(talk, sessionId);
  const option = talk.view.options(sessionId).find(({ id }) => id === configId);
  if (option === undefined) throw invalidParams('configId', 'is no option of this session.');
  if (!allows(option, value)) throw invalidParams('value', 'is no value of this option.');
  await (SET_OWN[configId] ?? wish)(talk, sessionId, value, configId);
  return { configOptions: talk.view.options(sessionId) };
}

function allows(option: JsonObject, value: string | boolean): boolean {
  if (option['type'] === 'boolean') return typeof value === 'boolean';
  return valuesOf(option['options']).includes(String(value));
}

/** Options may be grouped. */
function valuesOf(options: JsonValue | undefined): string[] {
  const list = Array.isArray(options) ? options.map((option) => objectOf(option)) : [];
  return list.flatMap((option) => {
    const value = textOf(option['value']);
    return value === undefined ? valuesOf(option['options']) : [value];
  });
}

/** What the agent refused is refused here, too, until it has been told something else. */
async function wish(talk: Conversation, sessionId: string, value: JsonValue, name: string): Promise<void> {
  const reason = refusalOf(talk.view.metadata(sessionId), name, value);
  if (reason !== undefined)
    throw invalidParams('value', `was refused by the agent. Choose another. ${reason}`);
  const client = objectOf(talk.view.metadata(sessionId)[CLIENT_METADATA]);
  await patchClient(talk, sessionId, { wanted: { ...objectOf(client['wanted']), [name]: value } });
}

function patchClient(talk: Conversation, sessionId: string, change: JsonObject): Promise<void> {
  const client = objectOf(talk.view.metadata(sessionId)[CLIENT_METADATA]);
  return patch(talk, sessionId, { [CLIENT_METADATA]: { ...client, ...change } });
}

async function patch(talk: Conversation, sessionId: string, metadata: JsonObject): Promise<void> {
  const path = { session_id: sessionId };
  const session = await talk.calls.json<Session>('updateSession', { path, body: { metadata } });
  await talk.view.set(sessionId, session.metadata);
}
