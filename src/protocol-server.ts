import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AdmittedCaller, Call, Gateway, StreamFrame, StreamSink, Subscription } from './gateway.ts';
import type { SideEffectClass } from './protocol/autonomy.ts';
import type { ProtocolError } from './protocol/errors.ts';
import type { JudgedTool } from './protocol/intended-call.ts';
import type { JsonValue } from './protocol/json.ts';
import type { Clock, Logger, Random } from './protocol/ports.ts';
import type { AgentDescription, ProtocolClient } from './protocol-client.ts';
import type { CardForm } from './resources/discovery/schema.ts';
import type { CommandId, IdsOfKind, QueryId, StreamId } from './resources/operations.ts';
import type { Persona } from './resources/persona/schema.ts';

/**
 * The contract of the half of a bridge that clients call. It brings routes and sockets; the HTTP surface serves them on
 * its own server behind the same edge as everything else: host allow list, origins, header checks, TLS, request log,
 * limits, drain. It decodes, calls the gateway port and encodes; it decides nothing.
 */
export interface ProtocolServer {
  readonly routes: readonly ServerRoute[];
  readonly sockets?: readonly ServerSocket[];
  /**
   * Requests of this protocol that no route took: for a path that none has, or not with this method, or for what is checked of
   * every request. They are refused in its own words.
   */
  readonly unknownPaths?: {
    readonly prefix: string;
    refuse(exchange: ServerExchange, refused: RefusedPath): void;
  };
  /** Headers of this protocol that browser pages may send, and read on an answer. */
  readonly browserHeaders?: { readonly sent: readonly string[]; readonly read: readonly string[] };
  /** Its services on the port of gRPC. Asked for only where the operator serves gRPC, so that nothing of it is loaded before. */
  readonly grpc?: () => Promise<readonly GrpcService[]>;
  /** Shutdown begins. Streams and sockets are ended by the surface; a protocol server stops what it does on its own account. */
  drain?(): void;
  /** An operator has halted something: ends what a protocol server runs there beside the Tasks. */
  endHalted?(): Promise<void>;
  close?(): Promise<void>;
}

/** The operation that each method of the protocol is: it gives the scope. A method without one does not compile. */
export type ServerMethods<Method extends string> = Readonly<Record<Method, ServerOperation>>;
export type ServerOperation = CommandId | QueryId | StreamId;

export interface ServerDeps {
  gateway: Gateway;
  clock: Clock;
  random: Random;
  timers: ServerTimers;
  logger: Logger;
  /** Fresh request id, `req_<ULID>`. */
  newRequestId(): string;
  /** Origin that clients use, without a trailing slash; asked at each use, as a free port is known only after listening. */
  publicUrl(): string;
  /** Version of the gateway. */
  version: string;
  /**
   * The signed A2A card of an agent as it is sent, without an id of the default one; undefined for an unknown agent. The
   * public ones are served at their well-known paths. `form`: for readers of A2A 1.0 alone, or of 0.3 too.
   */
  card(agentId: string | undefined, form: CardForm): ServerCard | undefined;
  /** The signed A2A card of a persona that the caller may read. */
  personaCard(persona: Persona, form: CardForm): ServerCard;
  /** Every agent behind the gateway, by route, as it describes itself now. */
  agents(): readonly ServerAgent[];
  /**
   * Throws `invalid_request` with the param `url` for a receiver that no push config may name; asks the resolver. A host that
   * does not resolve now is judged at each delivery.
   */
  checkReceiver(url: string): Promise<void>;
  /** The protocol client of a route, for a bridge whose clients reach the peer through it. */
  client(route: string): ProtocolClient | undefined;
  /**
   * Why the policy keeps a tool of a route from being called for a Workspace beside the Tasks, where nobody can be asked; undefined
   * where it may be called.
   */
  keptBack(workspaceId: string, route: string, tool: JudgedTool): KeptBack | undefined;
  /**
   * Reads JSON with the limits of every request: at once, or a large text in turns with everything else. Throws, or rejects with,
   * `invalid_request` for what readers disagree about. Half of a character becomes U+FFFD.
   */
  parseJson(text: string): JsonValue | Promise<JsonValue>;
  /** Drafts of protocols that the operator offers. */
  drafts: readonly DraftProtocol[];
  /**
   * Whether the policy of a Workspace refuses what runs on a route, whatever is asked of it and by whom: a tool of this
   * class, or a run of an agent.
   */
  refuses(workspaceId: string, route: string, sideEffect: SideEffectClass): boolean;
  /** Why an operator has halted what is on a route, or one tool of it; undefined where nobody has. */
  haltOf(route: string, tool?: string): KeptBack | undefined;
  limits: ServerLimits;
}

/** Why something is not done, in one sentence, and the id of the rule that says so. */
export interface KeptBack {
  rule: string;
  because: string;
}

/** Versions of protocols that may change with every release of their library. */
export type DraftProtocol = 'acp-v2';

/** Timers, injected so that tests decide when time passes; the returned function stops the timer. Milliseconds. */
export interface ServerTimers {
  every(intervalMs: number, run: () => void): () => void;
  after(delayMs: number, run: () => void): () => void;
}

export interface ServerLimits {
  maxBodyBytes: number;
  maxJsonDepth: number;
  /** Unsent bytes at which a slow stream is closed. */
  streamBufferBytes: number;
  /** Silence after which a stream gets a heartbeat. */
  heartbeatIntervalMs: number;
}

export interface ServerCard {
  text: string;
  /** Entity tag with its quotes. */
  tag: string;
}

/** An agent that tasks can run on. */
export interface ServerAgent {
  /** Its id in the configuration; unique among all agents. */
  id: string;
  /** Value of `metadata.route` that sends a task to it, for example `a2a:shop`. */
  route: string;
  /** True for the one that runs what names no route. */
  isDefault: boolean;
  /** Undefined while it has not been reached yet. */
  description: AgentDescription | undefined;
}

export interface ServerRoute {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path from the origin root; `{name}` is one segment or a part of one. Routes are tried in order; case counts. */
  path: string;
  /** A thrown ProtocolError is answered with the Harn envelope: for protocols whose own errors are no HTTP errors. */
  handle(exchange: ServerExchange, path: Readonly<Record<string, string>>): Promise<void> | void;
}

/** A request that no route took. */
export interface RefusedPath {
  method: string;
  path: string;
  /** `resource_not_found`, whose message names the methods of a path that is known; any other error is of the request. */
  error: ProtocolError;
  /** Headers of the answer, names and values in turn: `Allow` for a path that is known; else those of the error. */
  headers: readonly string[];
}

/** What a protocol server adds to a request to make a Call of it. */
export type ServerCall = Partial<
  Pick<Call, 'path' | 'query' | 'body' | 'idempotencyKey' | 'saidAgain' | 'lastEventId' | 'traceparent'>
>;

/** What every request has, whichever binding it came by. */
export interface ServerRequest {
  readonly requestId: string;
  /** Headers of HTTP, or the metadata of gRPC. */
  readonly headers: IncomingHttpHeaders;
  /** Decoded query of the target; an array where a name came twice. */
  readonly query: Readonly<Record<string, string | string[]>>;
  /** Aborted when the client went away, or its deadline passed, before its answer was complete. */
  readonly signal: AbortSignal;
  /**
   * Who is calling, resolved by the first who asks; throws `unauthenticated`. For protocols whose method stands in the body, which
   * is read for callers only, and for those that keep something per caller.
   */
  caller(): AdmittedCaller;
  /** The message that it carries says its trace itself: that counts, and not the header. */
  tracedBy(traceparent: string): void;
  /** A Call with what the request says of itself: its caller, trace, `Idempotency-Key`, `Last-Event-ID`. Throws as `caller` does. */
  call(given?: ServerCall): Call;
  /** Notes the error that was answered with, for the request log; a 5xx is logged with its cause. */
  failed(error: ProtocolError): void;
  /** Headers that an answer with this error has besides the usual ones: `WWW-Authenticate`, `Retry-After`. */
  errorHeaders(error: ProtocolError): readonly string[];
  /** Answers with a stream of events. Throws `service_unavailable` when there are too many. */
  openStream(options: ServerStreamOptions): ServerStream;
}

/** One HTTP request and its answer. Whatever is sent carries the safety headers and the request id. */
export interface ServerExchange extends ServerRequest {
  /**
   * Reads the body; empty when there is none. Throws `payload_too_large` above `maxBytes` (default `limits.maxBodyBytes`),
   * `invalid_request` for a content encoding. Authenticate the caller first: nobody else's body is read.
   */
  readBody(maxBytes?: number): Promise<Buffer>;
  /**
   * Reads JSON with the limits of every request, a large text in turns with everything else; rejects with `invalid_request` for
   * what readers disagree about.
   */
  parseJson(bytes: Buffer): Promise<JsonValue>;
  /** Answers with a whole text; `headers` are names and values in turn. `Cache-Control` is `no-store` unless given. */
  send(status: number, contentType: string, body: string | Buffer, headers?: readonly string[]): void;
  /** Answers without a body. */
  sendEmpty(status: number, headers?: readonly string[]): void;
  /**
   * Hands the bare request and response over, for a library that reads and writes itself. The safety headers are set; it is
   * counted as an open stream until it closes. `onDrain` is called when the gateway shuts down, and when the credential of its
   * caller ends after the answer has begun.
   */
  takeOver(onDrain: () => void): { req: IncomingMessage; res: ServerResponse };
}

/** A service of gRPC. Messages are bytes here: the bridge reads and writes them. */
export interface GrpcService {
  /** Its full name, for example `lf.a2a.v1.A2AService`. */
  readonly name: string;
  /** The protocol files it is made of, each a FileDescriptorProto, for clients that ask by reflection. */
  readonly files: readonly Uint8Array[];
  readonly methods: readonly GrpcMethod[];
  /** How an error leaves. */
  statusOf(error: ProtocolError): GrpcStatus;
}

export interface GrpcMethod {
  /** Its name in the service. */
  readonly name: string;
  /** Answers with a stream. */
  readonly streams: boolean;
  /**
   * The answer, or nothing where it opened a stream. Its caller is known and counted by then. A thrown ProtocolError is answered by
   * `statusOf`.
   */
  handle(request: GrpcRequest, message: Uint8Array): Promise<Uint8Array | undefined>;
}

/** One call over gRPC. */
export interface GrpcRequest extends ServerRequest {
  /** Metadata that go before the answer, names and values in turn. */
  addMetadata(headers: readonly string[]): void;
}

/** A status of gRPC. */
export interface GrpcStatus {
  /** Number of its `google.rpc.Code`. */
  code: number;
  message: string;
  /** The `google.rpc.Status` with its details, as bytes. */
  details: Uint8Array;
}

export interface ServerStreamOptions {
  /** True when the client resumes: comments may then come before the first event. */
  isResumed: boolean;
  /** Headers of the answer besides the usual ones. */
  headers?: readonly string[];
  /** The last frame of a stream that fails after it began, or nothing. */
  failureFrame(error: ProtocolError): Buffer | string;
}

/** A stream of server-sent events, or of messages of gRPC. Opened by its first frame or by `attach`; counted, drained and kept alive by the surface. */
export interface ServerStream extends StreamSink {
  /** True once the head is sent; from then on errors are sent in the stream. */
  readonly hasStarted: boolean;
  /** Takes the running subscription, to close it with the stream, and opens the stream when no frame has yet. */
  attach(subscription: Subscription): void;
  /** Writes the finished frame `sse`; `id` is the cursor by which a client goes on after it. */
  write(frame: Pick<StreamFrame, 'sse'> & { id?: string }): number;
  /** Gives the connection back for an ordinary answer. */
  discard(): void;
  /** Called once, when the stream is over, whoever ended it. */
  onClose(run: () => void): void;
}

/** A path that takes WebSocket upgrades. */
export interface ServerSocket {
  path: string;
  /** The operation whose scope the caller needs to open it. */
  operation: ServerOperation | IdsOfKind<'socket'>;
  /** Subprotocols spoken, best first; one that carries a credential is never echoed. */
  subprotocols: readonly string[];
  /** Largest message in bytes. */
  maxMessageBytes: number;
  /** Called once the upgrade is complete. */
  open(connection: ServerConnection): ServerConnectionOwner;
}

/** One open WebSocket. Pings, floods, slow readers and sizes are the surface's. */
export interface ServerConnection {
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  /** The subprotocol chosen; empty when none was offered. */
  readonly subprotocol: string;
  /** Aborted when the connection is over. */
  readonly signal: AbortSignal;
  /** Who opened the connection. */
  readonly caller: AdmittedCaller;
  /** Counts one request of that caller; a protocol server calls it for each message that asks something. Throws `rate_limited`. */
  count(): void;
  /** A Call of that caller, with what the upgrade said. */
  call(given?: ServerCall): Call;
  /** Sends one text message; returns the unsent bytes, without those of large ones. A client that does not keep up is closed. */
  send(text: string): number;
  /**
   * Sends one text message however large, when most of what was sent before has left: one after the other, and none makes a client
   * slow. Resolves when it is on its way; other messages may overtake it.
   */
  sendLarge(text: string): Promise<void>;
  /** Several messages follow: until `uncork` they are one write to the network. */
  cork(): void;
  uncork(): void;
  /** Resolves when the unsent bytes are below half the cap, or the connection is over. */
  drained(): Promise<void>;
  close(code: number, reason?: string): void;
}

export interface ServerConnectionOwner {
  /** Takes one message; the next one comes when this one is read. */
  message(text: string): Promise<void> | void;
  /** The connection is over, with the code of its close frame; 1006 when there was none. */
  closed(code: number): void;
  /** The gateway shuts down: end what is under way and close. Cut after the grace period. */
  drain(): void;
}
