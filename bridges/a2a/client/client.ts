import { textOf } from '#protocol/json-shape.ts';
import type { AgentDescription, Frame, ProtocolClient, Turn } from '#protocol-client.ts';
import { HINT_PATH } from '../../../mappings/a2a/operations.ts';
import type { BridgeDeps } from '../../bridge.ts';
import { Fault, unavailable, unsent } from '../../wire/faults.ts';
import {
  createHttpClient,
  credentialHeaders,
  type HttpClient,
  type HttpReply,
} from '../../wire/http-client.ts';
import { runTurn, Watchdog } from '../../wire/turn.ts';
import { unlessAborted } from '../../wire/waits.ts';
import { type A2aClientConfig, type AgentOnDemand, DEFAULT_LIMITS, FIXED_LIMITS } from './config.ts';
import { type TurnPorts, TurnRun } from './connection.ts';
import { Discovery, LearnedStreaming } from './discovery.ts';
import { faultOf } from './faults.ts';
import type { GrpcLine } from './grpc.ts';
import { Hints } from './hints.ts';
import { interpret } from './interpret.ts';
import { cancelTask, follow, sendMessage } from './requests.ts';

/** An A2A agent as the gateway calls it. Recorded frames are records (`record.ts`); `interpret` needs nothing else. */
export class A2aClient implements ProtocolClient {
  readonly route: string;
  readonly materialPrefix: string;
  readonly cancelsByBinding = true;
  readonly #ports: TurnPorts;
  readonly #http: HttpClient;
  #line: Promise<GrpcLine> | undefined;
  readonly #deps: BridgeDeps;
  readonly interpret = interpret;

  constructor(config: A2aClientConfig, deps: BridgeDeps) {
    const limits = { ...DEFAULT_LIMITS, ...config.limits };
    this.route = `a2a:${config.id}`;
    this.materialPrefix = this.route;
    this.#deps = deps;
    const http = createHttpClient({
      timers: deps.timers,
      connectTimeoutMs: limits.connect_timeout_ms,
      connections: { turn: limits.concurrency, control: FIXED_LIMITS.controlConnections },
      linger: { ms: FIXED_LIMITS.lingerMs, bytes: FIXED_LIMITS.lingerBytes },
    });
    this.#http = config.onDemand === undefined ? http : onDemand(http, config.card, config.onDemand);
    // They go to the card's origin only: interfaces on another one are refused.
    const credentials = () => credentialHeaders(config.auth, deps);
    const grpc = () => {
      this.#line ??= import('./grpc.ts').then(({ GrpcLine }) => new GrpcLine(limits));
      return this.#line;
    };
    let requests = 0;
    const nextRequestId = () => {
      requests += 1;
      return `harn-${requests}`;
    };
    this.#ports = {
      wire: {
        http: this.#http,
        limits,
        parseJson: deps.parseJson,
        credentials,
        ...(config.inputs && { inputs: config.inputs.headers }),
        nextRequestId,
        grpc,
        redact: deps.redact,
      },
      discovery: new Discovery({
        route: this.route,
        cardUrl: config.card,
        pin: config,
        pinnedKeys: config.card_keys,
        needsSignature: config.card_signature === 'required',
        http: this.#http,
        credentials,
        deps,
      }),
      timers: deps.timers,
      learned: new LearnedStreaming(this.route, deps),
      hints: config.push ? new Hints(() => hintUrl(config.id, deps), deps.random, deps.partition) : undefined,
    };
  }

  run(turn: Turn, signal: AbortSignal): AsyncGenerator<Frame> {
    const ports = this.#ports;
    let run: TurnRun | undefined;
    return runTurn(signal, {
      timers: ports.timers,
      totalMs: ports.wire.limits.total_timeout_ms,
      frames: async function* (watched) {
        const target = await ports.discovery.targetOfTurn(watched);
        run = new TurnRun(ports, turn, target, watched);
        try {
          if (turn.kind !== 'reattach') yield* sendMessage(run);
          if (!run.progress.isSettled) yield* follow(run);
        } finally {
          run.hint?.close();
        }
      },
      // Without a card nothing was sent: another agent may do what this one was asked.
      failed: (error) =>
        this.#ending(run === undefined && turn.kind !== 'reattach' ? unsent(faultOf(error)) : error, run),
    });
  }

  /** Yields nothing while the agent has not named its task: there is nothing to cancel, and nothing has ended. */
  async *cancel(turn: Turn, signal: AbortSignal): AsyncGenerator<Frame> {
    if (textOf(turn.binding?.['task_id']) === undefined) return;
    try {
      const target = await this.#ports.discovery.target(signal);
      yield* cancelTask(new TurnRun(this.#ports, turn, target, signal));
      yield { kind: 'end' };
    } catch (error) {
      const fault = signal.aborted ? unanswered() : faultOf(error);
      yield new Fault(fault.code, fault.message, { ...fault.details, operation: 'CancelTask' }).toFrame();
    }
  }

  hinted(secret: string): boolean {
    const { hints } = this.#ports;
    hints?.arrived(secret);
    return hints !== undefined;
  }

  describe(): AgentDescription | undefined {
    const { discovery, learned } = this.#ports;
    const { description, currentTarget } = discovery;
    if (description === undefined || currentTarget === undefined) return undefined;
    const { protocol, others } = currentTarget;
    return { ...description, spokenBy: protocol, spokenElse: others, ...learned.describe(currentTarget) };
  }

  start(): void {
    this.#ports.discovery.start();
  }

  async reach(): Promise<AgentDescription> {
    await this.#ports.discovery.reach();
    const description = this.describe();
    if (description === undefined) throw unavailable('card', 'The agent has no card.');
    return description;
  }

  async close(): Promise<void> {
    this.#ports.discovery.close();
    (await this.#line)?.close();
    await this.#http.close();
  }

  /** Waiting for a human is no failure: when its time is over the turn ends and the task stays blocked. */
  #ending(error: unknown, run: TurnRun | undefined): Frame {
    const fault = faultOf(error);
    const isTimeout = fault.code === 'deadline_exceeded';
    if (isTimeout && run?.progress.awaitsAuth) return { kind: 'end' };
    if (fault.code === 'upstream_unavailable') this.#ports.discovery.distrust();
    if (isTimeout && run?.progress.taskId !== undefined) this.#abandon(run);
    return fault.toFrame();
  }

  /** Nobody waits for the answer: a task that ran out of time must not go on at the agent's cost. */
  #abandon(run: TurnRun): void {
    const patience = new Watchdog(new AbortController().signal, this.#deps.timers);
    patience.watch('total', FIXED_LIMITS.abandonMs);
    const { taskId = '', contextId = '' } = run.progress;
    const turn = { ...run.turn, binding: { task_id: taskId, context_id: contextId } };
    void (async () => {
      for await (const frame of this.cancel(turn, patience.signal)) {
        if (frame.kind === 'fault')
          this.#deps.logger.warn(
            { route: this.route, task_id: run.turn.taskId },
            'timed out task was not canceled',
          );
      }
      patience.close();
    })();
  }
}

function hintUrl(id: string, { publicUrl }: BridgeDeps): string | undefined {
  const url = publicUrl();
  return url === undefined ? undefined : `${url}${HINT_PATH}/${encodeURIComponent(id)}`;
}

/** Nobody waits for the answer any more. Whether the agent heard of the cancel is unknown. */
function unanswered(): Fault {
  return new Fault('deadline_exceeded', 'The agent did not answer the cancel in time.', {
    timeout: 'cancel',
  });
}

/**
 * The way to an agent that is started with its first call: its card is answered here, every other call goes to where the agent
 * listens. Rejects with a Fault that says why it does not start.
 */
export function onDemand(http: HttpClient, cardUrl: string, { card, agent }: AgentOnDemand): HttpClient {
  const cardHref = new URL(cardUrl).href;
  return {
    request: async (call) => {
      if (call.url.href === cardHref) return cardReply(card);
      // The caller may leave; the start goes on for the others.
      const host = agent.host ?? (await unlessAborted(started(agent), call.signal));
      const url = new URL(call.url);
      url.host = host;
      return http.request({ ...call, url });
    },
    close: () => http.close(),
  };
}

function started(agent: AgentOnDemand['agent']): Promise<string> {
  return agent.start().catch((error: Error) => {
    throw new Fault('upstream_unavailable', error.message, { reason: 'agent_start' });
  });
}

function cardReply(card: string): HttpReply {
  return {
    status: 200,
    header: () => undefined,
    body: (async function* () {
      yield Buffer.from(card);
    })(),
    release: () => undefined,
  };
}
