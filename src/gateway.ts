import type { ProtocolError } from './protocol/errors.ts';
import type { JsonObject, JsonValue } from './protocol/json.ts';
import type { SenderProof } from './protocol/sender-proof.ts';
import type { TraceContext } from './protocol/trace-context.ts';
import type {
  CommandId,
  IdsOfKind,
  QueryId,
  RawBody,
  SpooledBody,
  StreamId,
} from './resources/operations.ts';

/**
 * The port every surface uses. A surface decodes its wire into a Call, hands it over, and encodes the Answer or the
 * ProtocolError. The
 * caller is resolved at its door; authorization, validation, idempotency and audit happen behind it.
 */
export interface Gateway {
  /**
   * Takes the time that judging a credential may need, a token of an issuer and its proof, so that `enter` can decide at once.
   * Undefined when it can already. A surface awaits it before `enter`; never rejects.
   */
  recognize(credential: CredentialOfCall): Promise<void> | undefined;
  /**
   * The door: decides who is calling, once per request or connection, which has one credential object. Throws
   * `unauthenticated`, `service_unavailable` (the issuer cannot be asked), then `unsupported_protocol_version`.
   * @param version value of the version header; `exempt` for surfaces that negotiate otherwise
   */
  enter(credential: CredentialOfCall, version: string | undefined | 'exempt'): AdmittedCaller;
  /** The door of operations that are signed by their sender; the signature covers the body. Throws `unauthenticated`. */
  enterSigned(delivery: Pick<Call, 'path' | 'body'>): AdmittedCaller;
  /** False for a credential that lets nobody in; `enter` judges the same object no second time. */
  knows(credential: CredentialOfCall): boolean;
  /**
   * Refuses a call for its credential, scope or key before its body is read. `call` asks for the scope itself, so only a surface
   * that has the body still to read asks first.
   */
  admit(id: CommandId | QueryId | StreamId | IdsOfKind<'socket'>, call: CallHead): void;
  /** Counts what a surface refuses beside the operations, under the one that it stands for, and records what the policy refused. */
  refused(id: CommandId | QueryId, call: CallHead, error: ProtocolError): void;
  /** Notifies a connection that the credential of its caller has ended, after the streams of that caller. Returns what stops it. */
  watch(caller: AdmittedCaller, ended: (error: ProtocolError) => void): () => void;
  /** Runs a command or a query. Rejects with a ProtocolError only. */
  call(id: CommandId | QueryId, call: Call): Promise<Answer>;
  /**
   * Follows events: history, then live, without gap or duplicate. Rejects with a ProtocolError before the first frame
   * (bad cursor, hidden resource); afterwards the sink learns how it ended.
   */
  subscribe(id: StreamId, call: Call, sink: StreamSink): Promise<Subscription>;
  /** A connection opens whose clients may attach to Sessions; its calls carry this id. */
  connected(connectionId: string): void;
  /** Shows a connection as a live client of a Session, whose stream it is allowed to follow. */
  follows(client: FollowingClient): void;
  /** It follows the Session no more; a client that attached itself stays. */
  unfollows(connectionId: string, sessionId: string): void;
  /** The connection is over, and so are its clients. */
  disconnected(connectionId: string): void;
}

/** Bounds what callers ask, over all surfaces. */
export interface CallMeter {
  /** Counts one request of a caller. */
  take(caller: Identity): Taken;
  /** Counts a body of a caller until what it returns is called. Throws `rate_limited` where too many are under way. */
  hold(caller: Identity): () => void;
}

/** What came of counting a request. */
export interface Taken {
  /** Header fields of the answer, names and values in turn. Spec: draft-ietf-httpapi-ratelimit-headers-10. */
  fields: readonly string[];
  /** `rate_limited`: it is one too many, and was not counted. */
  refused?: ProtocolError;
}

/** The meter in force; undefined while nothing is bounded, so that asking costs nothing. A reload puts another one there. */
export interface Metering {
  meter: CallMeter | undefined;
}

declare const throughTheDoor: unique symbol;

/** A caller, as surfaces may know it. Only the door makes one: a surface passes on what it was given. */
export interface AdmittedCaller extends Identity {
  readonly [throughTheDoor]: true;
}

/** A connection that follows a Session, and what its client says of itself. */
export interface FollowingClient {
  connectionId: string;
  caller: AdmittedCaller;
  sessionId: string;
  clientId: string;
  metadata: JsonObject;
}

/** Who somebody is. */
export interface Identity {
  actor: string;
  tenant: string;
  /** The Workspace of what names none. */
  defaultWorkspace: string;
  /** Whether it is shown what is internal. */
  seesInternal: boolean;
}

/** One call as a surface decoded it, nothing checked yet. */
export interface Call {
  requestId: string;
  /** As the door resolved it for this request or connection. */
  caller: AdmittedCaller;
  path: Record<string, string>;
  query: Record<string, string | string[]>;
  body: JsonValue | RawBody | SpooledBody | undefined;
  idempotencyKey: string | undefined;
  /** What a retry under the same key has to say again; left out where that is the whole body. */
  saidAgain?: JsonValue;
  /** Resume cursor of a stream (`Last-Event-ID`). */
  lastEventId: string | undefined;
  /** What the surface calls the resume cursor, for a refusal. Default `Last-Event-ID`. */
  cursorParam?: string | undefined;
  /** Accept header, for the operations that answer in several forms; left out for JSON. */
  accept?: string | undefined;
  /** W3C trace context as received; malformed values are ignored. */
  traceparent: string | undefined;
  /** What follows the request for its trace; left out where none is followed. */
  request?: TracedRequest | undefined;
  /** Called when the caller is let in and what is asked can be decided. Default: nobody asks. */
  admitted?: () => void;
  /** Aborted when the caller went away. */
  signal: AbortSignal;
  /** The connection that it came on, for one that may be a client of Sessions (`Gateway.connected`). */
  connectionId?: string | undefined;
}

/** Follows one request of a surface for its trace. */
export interface TracedRequest {
  /** Its span; undefined while no caller of it has called. */
  readonly place: TraceContext | undefined;
  end(answered: AnsweredRequest): void;
}

/** How a request ended. `route`: path pattern; `-` where none matched. */
export interface AnsweredRequest {
  method: string;
  route: string;
  status: number;
  errorCode: string | undefined;
}

/** A call whose body is not read yet. */
export type CallHead = Omit<Call, 'body'>;

/** Who a request or a connection says it is of; one object for each. */
export interface CredentialOfCall {
  /** Value of the Authorization header, or undefined. */
  authorization: string | undefined;
  /** What the request, or the connection, shows for an access token that is bound to a key or a certificate. */
  proof?: SenderProof | undefined;
}

export type AnswerBody =
  | { kind: 'json'; value: unknown }
  /** JSON assembled from stored bytes. */
  | { kind: 'raw_json'; chunks: Buffer[] }
  /** One JSON value whose size nobody knows yet; the connection breaks when it cannot be finished. */
  | { kind: 'json_stream'; chunks: AsyncIterable<Buffer> }
  /** A whole document under a media type the caller asked for. */
  | { kind: 'document'; mimeType: string; bytes: Buffer }
  /** `size` undefined: known only when all of it was made. */
  | {
      kind: 'bytes';
      mimeType: string;
      size: number | undefined;
      fileName: string;
      chunks: AsyncIterable<Buffer>;
    }
  | { kind: 'none' };

export interface Answer {
  status: number;
  body: AnswerBody;
  /** True when a stored answer was given again (Idempotency-Key). */
  repeated?: boolean;
}

/** What a surface reads of an Event. */
export interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  readonly task_id: string | null;
  readonly created_at: string;
  readonly payload: JsonObject;
}

/** An event on its way to subscribers; `sse` is the finished frame, built once and shared. */
export interface StreamFrame {
  id: string;
  kind: string;
  bytes: Buffer;
  /** What the bytes say, read once for all followers: nobody changes it. */
  event: StreamedEvent;
  sse: Buffer;
}

export type StreamEnd = 'complete' | 'overflow' | 'draining' | 'unauthenticated' | 'failed';

/** Where a surface takes delivered events. */
export interface StreamSink {
  /**
   * Takes one frame; returns the bytes accepted but not yet handed to the network. `replayed` is true for what was
   * recorded before the subscription began; default false.
   */
  write(frame: StreamFrame, replayed?: boolean): number;
  /** Called once, when everything recorded so far is delivered and live delivery begins. */
  caughtUp?(): void;
  /** Several frames follow; they may be held until `uncork`, so that they cost one write to the network. */
  cork?(): void;
  uncork?(): void;
  /** Resolves when the buffered bytes are below half the cap; history reading waits for it. */
  drained(): Promise<void>;
  /** The stream is over; the error, if any, is sent to the client first. */
  end(reason: StreamEnd, error?: ProtocolError): void;
}

export interface Subscription {
  /** Newest event id up to which this stream is complete; heartbeats carry it. */
  cursor(): string;
  close(): void;
}
