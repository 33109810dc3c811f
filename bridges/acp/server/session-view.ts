import type { JsonObject } from '#protocol/json.ts';
import { isObject, objectOf, textOf } from '#protocol/json-shape.ts';
import type { ServerAgent } from '#protocol-server.ts';
import type { Session } from '#resources/session/schema.ts';
import {
  type Choice,
  configOptions,
  modesOf,
  type Offered,
  OPTIONS_REFUSED,
} from '../../../mappings/acp/config-options.ts';
import type { OutEvent } from '../../../mappings/acp/events-out.ts';
import type { GatewayCalls } from './calls.ts';
import type { WholeEvents } from './contents.ts';

/** Kinds of agent updates that change what a client can choose. */
const ABOUT_OPTIONS: readonly string[] = ['modes', 'configOptions', 'models', 'config_option_update'];

/** What a client sees of the settings of its Sessions; the metadata is kept as events change it. */
export class SessionView {
  readonly #agents: () => readonly ServerAgent[];
  readonly #calls: GatewayCalls;
  readonly #whole: WholeEvents;
  readonly #metadata = new Map<string, JsonObject>();
  /** The persona that a Session was opened with; it never changes. */
  readonly #ownPersonas = new Map<string, string>();
  #personas: Choice[] = [];

  constructor(agents: () => readonly ServerAgent[], calls: GatewayCalls, whole: WholeEvents) {
    this.#agents = agents;
    this.#calls = calls;
    this.#whole = whole;
  }

  /** Members of a session setup answer: modes where the agent has some, and all options. */
  async begin({ id, metadata: kept, persona_id }: Session): Promise<JsonObject> {
    const metadata = await this.#whole.metadata(kept);
    this.#metadata.set(id, metadata);
    if (persona_id !== null) this.#ownPersonas.set(id, persona_id);
    const { data } = await this.#calls
      .json<{ data: { id: string; name?: string }[] }>('listPersonas', { query: { limit: '100' } })
      // Without the scope for personas there is none to choose.
      .catch(() => ({ data: [] }));
    this.#personas = data.map(({ id, name }) => ({ value: id, name: name ?? id }));
    const modes = modesOf(metadata);
    return { ...(modes === undefined ? {} : { modes }), configOptions: this.options(id) };
  }

  options(sessionId: string): JsonObject[] {
    const ownPersona = this.#ownPersonas.get(sessionId);
    return configOptions(this.#metadata.get(sessionId) ?? {}, { ...this.#offered(), ownPersona });
  }

  metadata(sessionId: string): JsonObject {
    return this.#metadata.get(sessionId) ?? {};
  }

  /** The agent that works on the next prompt. */
  route(sessionId: string): string {
    return textOf(this.metadata(sessionId)['route']) ?? this.#offered().defaultAgent;
  }

  async set(sessionId: string, metadata: JsonObject): Promise<void> {
    this.#metadata.set(sessionId, await this.#whole.metadata(metadata));
  }

  /** Takes note of an event; the updates it means for somebody who chooses. */
  updatesOf(sessionId: string, { event, payload }: OutEvent): JsonObject[] {
    const known = this.#metadata.get(sessionId) ?? {};
    if (event === 'vendor.harn_gateway.session_updated') {
      const metadata = objectOf(payload['changes'])['metadata'];
      if (!isObject(metadata)) return [];
      this.#metadata.set(sessionId, metadata);
      return this.#changed(sessionId, known);
    }
    if (event !== 'vendor.harn_gateway.agent_update' || payload['about'] !== 'session') return [];
    const kind = textOf(payload['kind']) ?? '';
    const body = objectOf(payload['update'])['body'];
    if (!isObject(body)) return [];
    this.#metadata.set(sessionId, { ...known, acp: { ...objectOf(known['acp']), [kind]: body } });
    if (kind === OPTIONS_REFUSED) return this.#changed(sessionId, known);
    return ABOUT_OPTIONS.includes(kind) ? this.#optionUpdate(sessionId) : [];
  }

  #changed(sessionId: string, before: JsonObject): JsonObject[] {
    const mode = modesOf(this.#metadata.get(sessionId) ?? {})?.currentModeId;
    const isNew = mode !== undefined && mode !== modesOf(before)?.currentModeId;
    const modes = isNew ? [{ sessionUpdate: 'current_mode_update', currentModeId: mode }] : [];
    return [...modes, ...this.#optionUpdate(sessionId)];
  }

  #optionUpdate(sessionId: string): JsonObject[] {
    return [{ sessionUpdate: 'config_option_update', configOptions: this.options(sessionId) }];
  }

  #offered(): Omit<Offered, 'ownPersona'> {
    const agents = this.#agents();
    return {
      agents: agents.map(({ route, id, description }) => ({ value: route, name: description?.name ?? id })),
      defaultAgent: agents.find(({ isDefault }) => isDefault)?.route ?? '',
      personas: this.#personas,
    };
  }
}
