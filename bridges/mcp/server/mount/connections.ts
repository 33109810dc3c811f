import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { ServerDeps } from '#protocol-server.ts';
import { MCP_ERRORS } from '../../../../mappings/mcp/errors.ts';
import { Fault } from '../../../wire/faults.ts';
import { RpcError } from '../../../wire/json-rpc.ts';
import { timersOf } from '../../../wire/waits.ts';
import { FIXED_LIMITS } from '../../client/config.ts';
import { type Connection, type Patience, type ServerPeer, whileAway } from '../../client/connection.ts';
import { type Lease, SessionConnections } from '../../client/session-connections.ts';
import type { MountedServer } from '../../mounted-server.ts';
import { SESSION_ID_BYTES } from '../session-table.ts';

/** Whose connections are used, and by whose policy the tools are opened. */
export interface Owner {
  actor: string;
  workspaceId: string;
}

/**
 * The connections of a mount whose clients have no session: one per caller for all that is not asked back, and others for
 * requests during which the server may ask, one at a time, because nothing on the wire names the request it asks for.
 */
export class MountConnections {
  /** Apart from those that are asked on: the answers to what is asked come on them. */
  readonly #common: SessionConnections;
  readonly #own: SessionConnections;
  /** Connections on which one caller may be asked at a time. */
  readonly #mostOfOne: number;
  /** Longest wait for a connection that is free. */
  readonly #waitMs: number;
  readonly #patience: Omit<Patience, 'isWanted'>;
  readonly #notes = new WeakMap<Connection, Notes>();

  constructor(deps: ServerDeps, server: MountedServer) {
    const timers = timersOf(deps.timers);
    const open = (peer: ServerPeer, key: string) => server.connect(peer, offeredIn(key));
    this.#waitMs = server.limits.idle_timeout_ms;
    this.#patience = { clock: deps.clock, timers, forMs: server.limits.restart_wait_ms };
    this.#mostOfOne = Math.ceil(server.limits.max_connections / 2);
    const injected = { clock: deps.clock, timers };
    this.#common = new SessionConnections(open, server.limits.max_connections, injected);
    this.#own = new SessionConnections(open, server.limits.max_connections, injected);
  }

  /** Rejects with a Fault. */
  common(owner: Owner, peer: ServerPeer, signal: AbortSignal): Promise<Lease> {
    const options = { isShared: true, waitMs: this.#waitMs, signal };
    return this.#whileAway(() => this.#common.lease(keyOf(owner, {}, 0), peer, options), signal);
  }

  /**
   * One that nobody else uses meanwhile, for a client that may be asked for what it offers. A caller uses no more than half of
   * them at a time, so that others are served: further calls wait for the ones before, and are refused where those wait for
   * the caller's own answers. Rejects with a Fault.
   */
  async own(owner: Owner, offered: JsonObject, peer: ServerPeer, signal: AbortSignal): Promise<Lease> {
    const isTheirs = (key: string) => isOf(key, owner);
    const free = (): string | undefined => {
      if (this.#own.asking(isTheirs) >= this.#mostOfOne) throw UNANSWERED;
      if (this.#own.inUse(isTheirs) >= this.#mostOfOne) return undefined;
      let number = 1;
      while (!this.#own.isFree(keyOf(owner, offered, number))) number += 1;
      return keyOf(owner, offered, number);
    };
    return this.#whileAway(() => this.#own.lease(free, peer, { waitMs: this.#waitMs, signal }), signal);
  }

  #whileAway(lease: () => Promise<Lease>, signal: AbortSignal): Promise<Lease> {
    return whileAway(lease, { ...this.#patience, isWanted: () => !signal.aborted });
  }

  /** Definitions that a connection listed and that are held back, by tool: not all processes of a server list the same. */
  heldBack(connection: Connection): Map<string, JsonValue> {
    return this.#notesOf(connection).heldBack;
  }

  /** Somebody listens for changes of these resources, until the function that is returned is called. Rejects with an RpcError. */
  async watch(connection: Connection, uris: readonly string[]): Promise<() => Promise<void>> {
    if (uris.length === 0) return async () => undefined;
    const { watched } = this.#notesOf(connection);
    const all = new Set([...watched, ...uris]);
    const most = FIXED_LIMITS.watchedResources;
    if (all.size > most)
      throw new RpcError(
        MCP_ERRORS.invalid_params,
        `notifications.resourceSubscriptions: at most ${most} resources are watched.`,
      );
    await connection.watch([...all]);
    watched.push(...uris);
    return async () => {
      for (const uri of uris) watched.splice(watched.indexOf(uri), 1);
      // A connection that was lost watches nothing.
      await connection.watch([...new Set(watched)]).catch(() => undefined);
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#common.close(), this.#own.close()]);
  }

  #notesOf(connection: Connection): Notes {
    const notes = this.#notes.get(connection) ?? { heldBack: new Map(), watched: [] };
    this.#notes.set(connection, notes);
    return notes;
  }
}

const UNANSWERED = new Fault(
  'upstream_unavailable',
  'Half of the connections to the server wait for your answers. Answer first, or retry later.',
  { reason: 'max_connections' },
);

interface Notes {
  heldBack: Map<string, JsonValue>;
  /** A resource stands here as often as somebody listens for it. */
  watched: string[];
}

function keyOf({ actor, workspaceId }: Owner, offered: JsonObject, number: number): string {
  return JSON.stringify([actor, workspaceId, offered, number]);
}

function isOf(key: string, { actor }: Owner): boolean {
  return (JSON.parse(key) as JsonValue[])[0] === actor;
}

function offeredIn(key: string): JsonObject {
  return objectOf((JSON.parse(key) as JsonValue[])[2]);
}

interface Question {
  request: JsonObject;
  resolve(answer: JsonObject): void;
}

type Outcome = { result: JsonObject } | { error: unknown };

/**
 * A request of a client without a session that runs on a server with one. What the server asks meanwhile is put in a
 * result, and answered by the next request of the client; the request of the server waits for it.
 */
export class HeldRequest implements ServerPeer {
  readonly #questions = new Map<string, Question>();
  readonly #stopper = new AbortController();
  #numbered = 0;
  #outcome: Outcome | undefined;
  #wake: () => void = () => undefined;
  /** Gets what the server says while a request of the client is open. */
  listener: (method: string, params: JsonObject) => void = () => undefined;

  /** Aborted when the client gave the request up, or does not come back. */
  get signal(): AbortSignal {
    return this.#stopper.signal;
  }

  follow(request: Promise<JsonObject>): void {
    const end = (outcome: Outcome) => {
      this.#outcome ??= outcome;
      this.#wake();
    };
    request.then(
      (result) => end({ result }),
      (error: unknown) => end({ error }),
    );
  }

  asked(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    this.#numbered += 1;
    if (this.#numbered > FIXED_LIMITS.questionsPerCall || this.signal.aborted)
      return Promise.reject(new RpcError(MCP_ERRORS.invalid_request, 'The client is not asked any more.'));
    const key = `question_${this.#numbered}`;
    signal.addEventListener('abort', () => this.#questions.delete(key), { once: true });
    return new Promise((resolve) => {
      this.#questions.set(key, { request: { method, params: shared(params) }, resolve });
      this.#wake();
    });
  }

  notified(method: string, params: JsonObject): void {
    this.listener(method, params);
  }

  /** Answers to what was asked; others are ignored, as the revision wants it. */
  answer(responses: JsonObject): void {
    for (const [key, response] of Object.entries(responses)) {
      const question = this.#questions.get(key);
      if (question === undefined || typeof response !== 'object' || response === null) continue;
      this.#questions.delete(key);
      question.resolve(response as JsonObject);
    }
  }

  /** Takes it back from the server; its client gets the error. */
  end(error: Error): void {
    this.#outcome ??= { error };
    this.stop();
  }

  stop(): void {
    this.#stopper.abort();
    this.#wake();
  }

  /** The result, or `inputRequests` when the server asks first. Rejects with what the request was rejected with. */
  async standstill(): Promise<{ result: JsonObject } | { inputRequests: JsonObject }> {
    for (;;) {
      if (this.#outcome !== undefined && 'error' in this.#outcome) throw this.#outcome.error;
      if (this.#outcome !== undefined) return this.#outcome;
      const asked = [...this.#questions].map(([key, { request }]) => [key, request] as const);
      if (asked.length > 0 && !this.signal.aborted) return { inputRequests: Object.fromEntries(asked) };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Pages to open have no id in the revision without sessions. */
function shared({ elicitationId, ...params }: JsonObject): JsonObject {
  return params;
}

/** What is held for one caller, and of which request it is a part. */
interface Held {
  request: HeldRequest;
  /** Whose request it is, and its method and name. */
  what: string;
  stopWaiting(): void;
}

/** Requests whose clients were asked something, until they come back. They are in memory, and end with the gateway. */
export class HeldRequests {
  readonly #held = new Map<string, Held>();
  readonly #deps: Pick<ServerDeps, 'random' | 'timers'>;

  constructor(deps: Pick<ServerDeps, 'random' | 'timers'>) {
    this.#deps = deps;
  }

  get isHolding(): boolean {
    return this.#held.size > 0;
  }

  /** Waits for the client to come back with the state that is returned. */
  hold(request: HeldRequest, what: string): string {
    const [oldest] = this.#held.size < FIXED_LIMITS.heldRequests ? [] : this.#held.keys();
    if (oldest !== undefined) this.#drop(oldest);
    const state = Buffer.from(this.#deps.random.bytes(SESSION_ID_BYTES)).toString('hex');
    const stopWaiting = this.#deps.timers.after(FIXED_LIMITS.questionIdleMs, () => this.#drop(state));
    this.#held.set(state, { request, what, stopWaiting });
    return state;
  }

  /** The request of a state, each of which counts once. Throws an RpcError for one that is not of `what`. */
  resume(state: string, what: string): HeldRequest {
    const held = this.#held.get(state);
    if (held?.what !== what) {
      const message =
        'requestState names no request of yours that waits. Send it back as it came, or ask again without it.';
      throw new RpcError(MCP_ERRORS.invalid_params, message);
    }
    this.#held.delete(state);
    held.stopWaiting();
    return held.request;
  }

  close(): void {
    for (const state of this.#held.keys()) this.#drop(state);
  }

  #drop(state: string): void {
    const held = this.#held.get(state);
    this.#held.delete(state);
    held?.stopWaiting();
    held?.request.stop();
  }
}
