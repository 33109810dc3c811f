import type { JsonObject } from '#protocol/json.ts';
import { isObject, objectOf, textOf } from '#protocol/json-shape.ts';
import type {
  AgentDescription,
  Frame,
  OfferedModel,
  PermissionAnswer,
  ProtocolClient,
  Turn,
} from '#protocol-client.ts';
import { modelsOffered } from '../../../mappings/acp/config-options.ts';
import type { BridgeDeps } from '../../bridge.ts';
import { unavailable, unsent } from '../../wire/faults.ts';
import { queuedFrames, runTurn } from '../../wire/turn.ts';
import { unlessAborted } from '../../wire/waits.ts';
import { type Host, Hosts } from '../host.ts';
import { type AcpClientConfig, type AcpLimits, DEFAULT_LIMITS } from './config.ts';
import { faultOf } from './faults.ts';
import { interpret } from './interpret.ts';
import { AgentPools } from './pool.ts';
import type { PromptTurn } from './prompt-turn.ts';
import type { InputsRecord } from './record.ts';
import { frameOf } from './record.ts';
import { preparePrompt } from './requests.ts';
import type { Overhear } from './session.ts';
import { environmentInputs, type ReadInputs, tellingOf } from './session-inputs.ts';

/** An ACP agent as the gateway calls it. Recorded frames are records (`record.ts`); `interpret` needs nothing else. */
export class AcpClient implements ProtocolClient {
  readonly route: string;
  readonly materialPrefix: string;
  readonly takesModel = true;
  /** Machines of clients that work in Sessions; the server half brings them. */
  hosts = new Hosts();
  readonly interpret = interpret;
  readonly #config: AcpClientConfig;
  readonly #limits: AcpLimits;
  readonly #deps: BridgeDeps;
  readonly #pools: AgentPools;
  readonly #prompts = new Map<string, PromptTurn>();
  /** What it offered with the newest session that it opened. */
  #offers: JsonObject = {};
  #overhear: Overhear = async () => undefined;

  constructor(config: AcpClientConfig, deps: BridgeDeps) {
    this.route = `acp:${config.id}`;
    this.materialPrefix = this.route;
    this.#config = config;
    this.#limits = { ...DEFAULT_LIMITS, ...config.limits };
    this.#deps = deps;
    const overhear: Overhear = (taskId, frame) => this.#overhear(taskId, frame);
    this.#pools = new AgentPools({ config, limits: this.#limits, deps, overhear });
  }

  run(turn: Turn, signal: AbortSignal): AsyncGenerator<Frame> {
    return runTurn(signal, {
      timers: this.#deps.timers,
      frames: (watched) =>
        turn.kind === 'reattach' ? this.#takeUp(turn, watched) : this.#prompt(turn, watched),
      failed: (error) => faultOf(error).toFrame(),
    });
  }

  /** Sends the cancel to the agent, and reads what it still sends when the turn itself is let go. */
  async *cancel(turn: Turn, signal: AbortSignal): AsyncGenerator<Frame> {
    const prompt = this.#prompts.get(turn.taskId);
    if (prompt === undefined) return;
    prompt.cancel();
    await unlessAborted(prompt.ended, signal).catch(() => undefined);
    if (prompt.isFollowed) return;
    yield* prompt.frames.drain();
    if (prompt.isOver) this.#forget(turn, prompt);
  }

  answer(taskId: string, answer: PermissionAnswer): boolean {
    return this.#prompts.get(taskId)?.answer(answer) ?? false;
  }

  listen(overhear: Overhear): void {
    this.#overhear = overhear;
  }

  describe(): AgentDescription {
    return describeAgent(this.#config.id, objectOf(this.#pools.initialized));
  }

  succeed(before: ProtocolClient): void {
    if (before instanceof AcpClient) this.hosts = before.hosts;
  }

  offeredModels(): OfferedModel[] {
    return modelsOffered(this.#offers);
  }

  async inputsChanged(sessionId: string, given: ReadInputs): Promise<boolean> {
    const { names = [] } = this.#config.inputs ?? {};
    const inputs = environmentInputs(this.#config, given);
    await this.#pools.stopOthers(sessionId, inputs);
    if (names.length === 0) return false;
    const told: (InputsRecord | undefined)[] = [];
    for (const connection of await this.#pools.running())
      for (const session of connection.sessions.values()) {
        if (session.inputs?.sessionId !== sessionId) continue;
        const telling = tellingOf(connection, session, this.#limits, this.#deps);
        told.push(await session.inputs.tell(telling, () => given(names)));
      }
    return told.length > 0 && told.every((record) => record === undefined || record.outcome === 'taken');
  }

  /** An agent is started by its first turn: most of them cost a process. */
  start(): void {}

  /** It is stopped like one whose turn is over. */
  async reach(): Promise<AgentDescription> {
    const pool = await this.#pools.of([], undefined);
    try {
      await pool.use(async () => undefined);
    } catch (error) {
      throw faultOf(error);
    }
    return this.describe();
  }

  async close(): Promise<void> {
    await this.#pools.close();
  }

  async *#prompt(turn: Turn, signal: AbortSignal): AsyncGenerator<Frame> {
    const host = () => this.#hostOf(turn);
    const inputs = environmentInputs(this.#config, (names) => turn.sessionInputs?.(names) ?? []);
    const own = inputs && { sessionId: turn.sessionId, inputs };
    const bound = textOf(turn.sessionBinding?.['session_id']);
    const pool = await this.#pools.of(host()?.offer ?? [], bound, own);
    const lateInputs = Object.keys(inputs ?? {}).filter((name) => pool.inputs?.[name] !== inputs?.[name]);
    const offered = (offers: JsonObject) => {
      this.#offers = offers;
    };
    const opener = {
      config: this.#config,
      limits: this.#limits,
      deps: this.#deps,
      host,
      offered,
      lateInputs,
    };
    const prepared = await pool
      .use((connection) => preparePrompt({ ...opener, connection }, turn, signal))
      .catch((error: unknown) => Promise.reject(unsent(faultOf(error))));
    if ('unsent' in prepared) return yield* prepared.unsent.map(frameOf);
    const { prompt } = prepared;
    this.#prompts.set(turn.taskId, prompt);
    void prompt.ended.then(() => pool.rest());
    yield* this.#follow(turn, prompt, signal);
  }

  /** The store was away while the agent went on; after a restart of the gateway there is nobody to listen to. */
  async *#takeUp(turn: Turn, signal: AbortSignal): AsyncGenerator<Frame> {
    const prompt = this.#prompts.get(turn.taskId);
    if (prompt !== undefined) return yield* this.#follow(turn, prompt, signal);
    throw unavailable(
      'harness_restarted',
      'The gateway restarted while the agent worked on this task. What it did so far is in the events; send the next prompt to go on.',
    );
  }

  async *#follow(turn: Turn, prompt: PromptTurn, signal: AbortSignal): AsyncGenerator<Frame> {
    const { total_timeout_ms: totalMs, idle_timeout_ms: idleMs } = this.#limits;
    prompt.isFollowed = true;
    try {
      yield* queuedFrames(prompt, signal, { timers: this.#deps.timers, idleMs, totalMs });
    } finally {
      prompt.isFollowed = false;
      if (prompt.frames.isClosed) this.#forget(turn, prompt);
    }
  }

  #hostOf({ sessionId, actor }: Turn): Host | undefined {
    return this.#config.client_files === false ? undefined : this.hosts.of(sessionId, actor);
  }

  #forget({ taskId }: Turn, prompt: PromptTurn): void {
    if (this.#prompts.get(taskId) === prompt) this.#prompts.delete(taskId);
  }
}

/** What is known of an agent: its own words once it has run, its id until then. */
function describeAgent(id: string, initialized: JsonObject): AgentDescription {
  const info = objectOf(initialized['agentInfo']);
  const name = textOf(info['title']) ?? textOf(info['name']) ?? id;
  const prompts = objectOf(objectOf(initialized['agentCapabilities'])['promptCapabilities']);
  const media = (['image', 'audio'] as const).filter((kind) => prompts[kind] === true);
  return {
    name,
    description: `${name}, an agent that speaks the Agent Client Protocol.`,
    version: textOf(info['version']) ?? 'unknown',
    skills: [{ id: 'prompt', name, description: 'Works on a prompt.', tags: ['acp'] }],
    inputModes: ['text/plain', ...media.map((kind) => `${kind}/*`)],
    outputModes: ['text/plain'],
    streaming: true,
    raw: isObject(initialized['agentInfo']) ? initialized : null,
  };
}
