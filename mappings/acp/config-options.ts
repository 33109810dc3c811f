import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf, objectsOf, textOf } from '#protocol/json-shape.ts';

/** Where the metadata of a Session keeps what its ACP client chose. */
export const CLIENT_METADATA = 'acp_client';

/** Under which of the words of its agent the metadata of a Session keeps what the agent refused of that. */
export const OPTIONS_REFUSED = 'options_refused';

export interface Choice {
  value: string;
  name: string;
  description?: string;
}

/** The choice that takes the tier of the Session away. */
export const NO_LIMIT = 'unlimited';

/** What a client may choose from besides what the agent offers. */
export interface Offered {
  agents: readonly Choice[];
  defaultAgent: string;
  personas: readonly Choice[];
  /** The persona of the Session, which holds where the client chose no other; then it cannot choose none. */
  ownPersona: string | undefined;
}

/** Tiers that a client may choose for a Session: the highest one is no limit. */
const TIERS: readonly Choice[] = [
  { value: NO_LIMIT, name: 'As far as persona and operator allow' },
  { value: 'act_with_approval', name: 'Ask before every change' },
  { value: 'suggest', name: 'Ask before every tool' },
  { value: 'shadow', name: 'Do nothing, say what would be done' },
];

/** An agent's options of these names are not sent: they would hide the gateway's. */
const OWN_OPTIONS: readonly string[] = ['agent', 'persona', 'autonomy'];

const NO_PERSONA: Choice = { value: 'none', name: 'No persona' };

/**
 * Everything a client can set in a Session: agent, persona, autonomy tier, and what the agent itself offers. Spec: ACP v1,
 * config options.
 */
export function configOptions(metadata: JsonObject, offered: Offered): JsonObject[] {
  const client = objectOf(metadata[CLIENT_METADATA]);
  const wanted = wishesOf(metadata);
  const route = textOf(metadata['route']) ?? offered.defaultAgent;
  const { personas, ownPersona } = offered;
  const persona = textOf(client['persona_id']) ?? ownPersona ?? NO_PERSONA.value;
  const choices = ownPersona === undefined ? [NO_PERSONA, ...personas] : personas;
  const own = [
    select('agent', 'Agent', route, offered.agents, 'The agent that works on the next prompt.'),
    ...(personas.length === 0 && ownPersona === undefined
      ? []
      : [select('persona', 'Persona', persona, choices, 'The role of the next prompt.')]),
  ];
  const tier = textOf(metadata['autonomy_tier']) ?? NO_LIMIT;
  const autonomy = select('autonomy', 'Autonomy', tier, TIERS, 'The most that is done without asking.');
  return [...own, autonomy, ...agentOptions(objectOf(metadata['acp']), wanted)];
}

/** Modes as v1 has them; undefined when the agent has none, or has not run yet. */
export function modesOf(
  metadata: JsonObject,
): { currentModeId: string; availableModes: JsonObject[] } | undefined {
  const acp = objectOf(metadata['acp']);
  const modes = objectOf(objectOf(acp['modes'])['modes']);
  const availableModes = objectsOf(modes['availableModes']);
  if (availableModes.length === 0) return undefined;
  const wanted = wishesOf(metadata)['mode'];
  const current = objectOf(acp['current_mode_update'])['currentModeId'];
  const currentModeId = textOf(wanted) ?? textOf(current) ?? textOf(modes['currentModeId']) ?? '';
  return { currentModeId, availableModes };
}

/** The words of the agent where it refused a value that a client may choose again; undefined for every other one. */
export function refusalOf(metadata: JsonObject, name: string, value: JsonValue): string | undefined {
  const refused = objectOf(objectOf(objectOf(objectOf(metadata['acp'])[OPTIONS_REFUSED])['refused'])[name]);
  return refused['value'] === value ? (textOf(refused['message']) ?? '') : undefined;
}

/** What a client chose and the agent did not refuse, by name. */
function wishesOf(metadata: JsonObject): JsonObject {
  const wanted = objectOf(objectOf(metadata[CLIENT_METADATA])['wanted']);
  const held = Object.entries(wanted).filter(
    ([name, value]) => refusalOf(metadata, name, value) === undefined,
  );
  return Object.fromEntries(held);
}

function agentOptions(acp: JsonObject, wanted: JsonObject): JsonObject[] {
  const newest = objectOf(acp['config_option_update'])['configOptions'];
  const options = objectsOf(newest ?? objectOf(acp['configOptions'])['configOptions']);
  return [...options, ...modelOption(objectOf(acp['models'])['models'], options)]
    .filter(({ id }) => !OWN_OPTIONS.includes(textOf(id) ?? ''))
    .map((option) => withWish(option, wanted[textOf(option['id']) ?? '']));
}

const MODEL = 'model';

/** Agents from before config options list their models beside them; a client chooses one like any option. */
function modelOption(models: JsonValue | undefined, options: readonly JsonObject[]): JsonObject[] {
  const { availableModels, currentModelId } = objectOf(models);
  const choices = objectsOf(availableModels).flatMap(({ modelId, name, description }): Choice[] => {
    const value = textOf(modelId);
    const text = textOf(description);
    if (value === undefined) return [];
    return [{ value, name: textOf(name) ?? value, ...(text === undefined ? {} : { description: text }) }];
  });
  const current = textOf(currentModelId);
  if (current === undefined || choices.length === 0 || options.some(isModel)) return [];
  return [{ ...select(MODEL, 'Model', current, choices, 'The model of the agent.'), category: MODEL }];
}

function isModel({ id, category }: JsonObject): boolean {
  return id === MODEL || category === MODEL;
}

/** How an agent that offered this learns what a client chose. */
export function wishOf(
  name: string,
  value: JsonValue,
  offers: JsonObject,
): { method: string; params: JsonObject } {
  const hasOption = objectsOf(offers['configOptions']).some(({ id }) => id === name);
  if (name === 'mode') return { method: 'session/set_mode', params: { modeId: value } };
  if (name === MODEL && !hasOption && isObject(offers['models']))
    return { method: 'session/set_model', params: { modelId: value } };
  const type = typeof value === 'boolean' ? { type: 'boolean' } : {};
  return { method: 'session/set_config_option', params: { configId: name, value, ...type } };
}

/** What a Session wishes of the models of its agent. */
export interface ModelWish {
  provider: string;
  model: string;
  reasoning_effort?: string | undefined;
}

const THOUGHT_LEVEL = 'thought_level';

/**
 * A wish for a model in the words of what an agent offers: options by name. `unmet`: the members of the wish that it does not offer;
 * these are not told. A model is known by its id, or by it behind its provider and `:` or `/`.
 */
export function wishesOfModel(
  { provider, model, reasoning_effort: effort }: ModelWish,
  offers: JsonObject,
): { wishes: Record<string, string>; unmet: string[] } {
  const options = objectsOf(offers['configOptions']);
  const all = [...options, ...modelOption(objectOf(offers['models']), options)];
  const wishes: Record<string, string> = {};
  const unmet: string[] = [];
  const wish = (member: string, option: JsonObject | undefined, values: readonly string[]) => {
    const offered = valuesOf(option?.['options']);
    const value = values.find((each) => offered.includes(each));
    const id = textOf(option?.['id']);
    if (id === undefined || value === undefined) unmet.push(member);
    else wishes[id] = value;
  };
  wish('model', all.find(isModel), [model, `${provider}:${model}`, `${provider}/${model}`]);
  const isThought = ({ id, category }: JsonObject) => id === THOUGHT_LEVEL || category === THOUGHT_LEVEL;
  if (effort !== undefined) wish('reasoning_effort', all.find(isThought), [effort]);
  return { wishes, unmet };
}

/** The models that an agent offers, by its own names of them. */
export function modelsOffered(offers: JsonObject): { id: string; name: string; description?: string }[] {
  const options = objectsOf(offers['configOptions']);
  const all = [...options, ...modelOption(objectOf(offers['models']), options)];
  return choicesOf(all.find(isModel)?.['options']).map(({ value, ...rest }) => ({ id: value, ...rest }));
}

function choicesOf(options: JsonValue | undefined): Choice[] {
  return objectsOf(options).flatMap((option): Choice[] => {
    const value = textOf(option['value']);
    if (value === undefined) return choicesOf(option['options']);
    const description = textOf(option['description']);
    const name = textOf(option['name']) ?? value;
    return [{ value, name, ...(description === undefined ? {} : { description }) }];
  });
}

/** The values of a select, whose options may be grouped. */
export function valuesOf(options: JsonValue | undefined): string[] {
  return choicesOf(options).map(({ value }) => value);
}

function withWish(option: JsonObject, wish: JsonValue | undefined): JsonObject {
  return wish === undefined || isObject(wish) ? option : { ...option, currentValue: wish };
}

function select(
  id: string,
  name: string,
  currentValue: string,
  options: readonly Choice[],
  description: string,
): JsonObject {
  const known = options.some(({ value }) => value === currentValue);
  const all = known ? options : [...options, { value: currentValue, name: currentValue }];
  return {
    type: 'select',
    id,
    name,
    description,
    currentValue,
    options: all.map((choice) => ({ ...choice })),
  };
}
