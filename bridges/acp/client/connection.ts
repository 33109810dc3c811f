import type { JsonMend, JsonObject, JsonValue, MendedJson } from '#protocol/json.ts';
import { isObject, objectOf, textOf } from '#protocol/json-shape.ts';
import { ACP_ERRORS } from '../../../mappings/acp/errors.ts';
import {
  encodeOffer,
  HOST_METHODS,
  type HostMethod,
  isHostMethod,
} from '../../../mappings/acp/host-methods.ts';
import { ASKING_METHODS } from '../../../mappings/acp/permission-answers.ts';
import { type Fault, timedOut, unavailable } from '../../wire/faults.ts';
import { methodNotFound, type RpcAnswer, RpcError } from '../../wire/json-rpc.ts';
import { messageIn, withoutNoise } from '../../wire/line-splitter.ts';
import { Peer, type RequestContext, type Waiting } from '../../wire/peer.ts';
import { type AgentSettings, type AgentWire, openWire } from './agent-wire.ts';
import { askHost } from './host-calls.ts';
import { AgentSession, BetweenTurns } from './session.ts';

const PROTOCOL_VERSION = 1;
const UNREADABLE = 'The message is JSON that readers disagree about: a number, a name twice, or nesting.';

/** One running agent and its sessions. It speaks ACP v1; what it sends is kept raw. */
export class AgentConnection {
  readonly sessions = new Map<string, AgentSession>();
  /** Sessions that are being opened, or were and have heard no prompt yet, by the Harn Session they are for. */
  readonly opening = new Map<string, Promise<AgentSession>>();
  /** What it said of itself. */
  initialized: JsonObject = {};
  /** Methods that it says it has, and answers as unknown. */
  readonly unserved = new Set<string>();
  readonly #settings: AgentSettings;
  readonly #peer: Peer;
  readonly #wire: AgentWire;
  #raw: { message: JsonObject; bytes: number; mended: JsonMend[] } = { message: {}, bytes: 0, mended: [] };
  #asked = 0;
  #dead: Fault | undefined;

  constructor(settings: AgentSettings) {
    this.#settings = settings;
    this.#peer = new Peer({
      cancelMethod: '$/cancel_request',
      send: (message) => this.#wire.send(JSON.stringify(message)),
      handlers: {
        request: (method, params, context) => this.#request(method, params, context),
        notification: (method, params) => this.#notification(method, params),
        failed: (error, method) => settings.deps.logger.error({ err: error, method }, 'agent request failed'),
      },
    });
    this.#wire = openWire(settings, {
      text: (text) => this.#receive(text),
      ended: (why) => this.#end(why),
    });
  }

  get isDead(): boolean {
    return this.#dead !== undefined;
  }

  get capabilities(): JsonObject {
    return objectOf(this.initialized['agentCapabilities']);
  }

  /** Throws Fault when it does not come up, or speaks no version that the gateway does. */
  async initialize(): Promise<void> {
    const { start_timeout_ms } = this.#settings.limits;
    const answer = await this.ask(
      'initialize',
      {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: {
          ...encodeOffer(this.#settings.offer),
          session: { configOptions: { boolean: {} }, compaction: {}, notices: {} },
          elicitation: { form: {}, url: {} },
        },
        clientInfo: { name: 'harn-gateway', title: 'Harn gateway', version: this.#settings.deps.version },
      },
      'start',
      start_timeout_ms,
    );
    if ('error' in answer) {
      const words =
        'The agent refused to start. What it says is in details.error, more may be on its standard error.';
      throw unavailable('refused', words, { error: { ...answer.error } });
    }
    if (!isObject(answer.result)) {
      throw unavailable('malformed', 'The agent did not answer initialize as ACP says.');
    }
    if (answer.result['protocolVersion'] !== PROTOCOL_VERSION) {
      throw unavailable('version', 'The agent speaks no version of ACP that the gateway does.', {
        protocol_version: answer.result['protocolVersion'] ?? null,
      });
    }
    this.initialized = answer.result;
  }

  /**
   * Asks the agent. `heard` gets the answer before anything that the agent says after it, which may come in one piece with
   * it. Throws Fault when the agent is gone or takes longer than `ms`.
   */
  async ask(
    method: string,
    params: JsonObject,
    name: string,
    ms: number,
    heard?: (answer: RpcAnswer) => void,
  ): Promise<RpcAnswer> {
    const { timers } = this.#settings.deps;
    const patience = new AbortController();
    const timer = timers.setTimeout(() => patience.abort(timedOut(name, ms)), ms);
    try {
      return await this.#peer.ask(method, params, patience.signal, heard);
    } finally {
      timers.clearTimeout(timer);
    }
  }

  /** Asks for as long as it takes. The answer is handed over before anything that the agent says after it. */
  request(method: string, params: JsonObject, waiting: Waiting): void {
    this.#peer.request(method, params, waiting);
  }

  notify(method: string, params: JsonObject): void {
    this.#peer.notify(method, params);
  }

  session(id: string): AgentSession {
    const { limits, overhear } = this.#settings;
    const known =
      this.sessions.get(id) ?? new AgentSession(id, new BetweenTurns(limits.max_turn_bytes, overhear));
    this.sessions.set(id, known);
    return known;
  }

  /** Closes a session at the agent. False where the agent does not offer that, refuses, or gives no answer in time. */
  async closeSession(session: AgentSession): Promise<boolean> {
    if (!isObject(objectOf(this.capabilities['sessionCapabilities'])['close'])) return false;
    const { session_timeout_ms } = this.#settings.limits;
    const params = { sessionId: session.id };
    const answer = await this.ask('session/close', params, 'session', session_timeout_ms).catch(
      (error: unknown) => ({ error }),
    );
    if ('error' in answer) {
      const { deps, config } = this.#settings;
      deps.logger.warn({ agent: config.id, err: answer.error }, 'an agent did not close its session');
      return false;
    }
    this.sessions.delete(session.id);
    session.terminals.abandon();
    return true;
  }

  /** Prompts under way, besides the ones of this session. */
  busyBeside(session: AgentSession | undefined): boolean {
    return [...this.sessions.values()].some(
      (other) => other !== session && other.current !== undefined && !other.current.isOver,
    );
  }

  async close(): Promise<void> {
    this.#end(unavailable('closed', 'The gateway has closed the agent.'));
    await this.#wire.close();
  }

  /**
   * A line that is no JSON is noise of a shell or a library; it harms nobody. Of what readers disagree about, requests and
   * answers are refused with an error to the agent; an update, which has no answer, is mended and kept. What comes after its
   * end is nothing.
   */
  #receive(text: string): void {
    if (this.#dead !== undefined) return;
    const { parseJson, mendJson, logger } = this.#settings.deps;
    const read = messageIn<MendedJson>(text, (given) => ({ value: parseJson(given), mended: [] }));
    if (read === undefined && this.#refused(text)) return;
    const found = read ?? messageIn(text, mendJson);
    if (found === undefined) {
      logger.debug({ agent: this.#settings.config.id, chars: text.length }, 'not ACP');
      return;
    }
    this.#raw = { message: objectOf(found.value), bytes: text.length, mended: found.mended };
    this.#peer.receive(found.value);
  }

  #refused(text: string): boolean {
    const refuses = (given: string) => this.#peer.receiveRefused(given, UNREADABLE);
    return refuses(text) || refuses(withoutNoise(text) ?? '');
  }

  #notification(method: string, params: JsonObject): void {
    if (method !== 'session/update') return;
    const { message, bytes, mended } = this.#raw;
    this.sessions.get(textOf(params['sessionId']) ?? '')?.update(message, bytes, mended);
  }

  #request(method: string, params: JsonObject, context: RequestContext): Promise<JsonValue> {
    const { message, bytes } = this.#raw;
    const session = this.sessions.get(textOf(params['sessionId']) ?? '');
    const prompt = session?.current;
    if (session === undefined || prompt === undefined || prompt.isOver)
      return Promise.reject(outOfTurn(method));
    if (!prompt.weigh(bytes)) return Promise.reject(outOfTurn(method));
    const isHosts = isHostMethod(method) && this.#offers(method) && prompt.hasHost;
    if (!isHosts && !ASKING_METHODS.includes(method)) {
      prompt.refused(message);
      return Promise.reject(methodNotFound(method));
    }
    this.#asked += 1;
    const key = `${this.#settings.deps.clock.now().toString(36)}-${this.#asked}`;
    if (!isHosts) return prompt.ask(key, message, context.signal);
    return prompt.serve(askHost({ session, prompt, key, method, message, signal: context.signal }));
  }

  #offers(method: HostMethod): boolean {
    return this.#settings.offer.includes(HOST_METHODS[method].capability);
  }

  #end(why: Fault): void {
    if (this.#dead !== undefined) return;
    this.#dead = why;
    this.#peer.close(why);
    for (const session of this.sessions.values()) session.fail(why);
  }
}

function outOfTurn(method: string): RpcError {
  return ASKING_METHODS.includes(method)
    ? new RpcError(ACP_ERRORS.invalid_params, 'sessionId: no prompt runs in this session.')
    : methodNotFound(method);
}

/** A way to take up a session that the agent has had before. */
export type WayBack =
  | { how: 'resumed'; method: 'session/resume' }
  | { how: 'loaded'; method: 'session/load' };

/** The ways that an agent offers, the best one first: resuming repeats nothing. Without those that it turned out not to serve. */
export function waysBack({ capabilities, unserved }: AgentConnection): WayBack[] {
  const resumes = isObject(objectOf(capabilities['sessionCapabilities'])['resume']);
  const ways: WayBack[] = [
    ...(resumes ? [{ how: 'resumed' as const, method: 'session/resume' as const }] : []),
    ...(capabilities['loadSession'] === true
      ? [{ how: 'loaded' as const, method: 'session/load' as const }]
      : []),
  ];
  return ways.filter(({ method }) => !unserved.has(method));
}
