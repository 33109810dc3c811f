import createClient, {
  type Client,
  type FetchResponse,
  type MaybeOptionalInit,
  type Middleware,
} from 'openapi-fetch';
import type { MediaType, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
import { refusalOf } from './errors.ts';
import {
  type Follow,
  type Followed,
  type FollowOptions,
  followEvents,
  LAST,
  type StreamedEvent,
  type StreamPath,
} from './events.ts';
import { KEYED as KEYED_2026_04_25, type paths as Paths20260425 } from './types-2026-04-25.ts';
import { KEYED as KEYED_2026_10_11, type paths as Paths20261011 } from './types-2026-10-11.ts';

/** The operations of each version of the protocol, by path and method. */
export interface PathsOf {
  'agents-protocol-2026-04-25': Paths20260425;
  'agents-protocol-2026-10-11': Paths20261011;
}
export type VersionId = keyof PathsOf;

/** Operations that take an Idempotency-Key, as `POST /v1/tasks`. */
const KEYED: Readonly<Record<VersionId, ReadonlySet<string>>> = {
  'agents-protocol-2026-04-25': KEYED_2026_04_25,
  'agents-protocol-2026-10-11': KEYED_2026_10_11,
};

export interface HarnClientOptions<Version extends VersionId = VersionId> {
  /** Origin of the gateway, as `http://127.0.0.1:8080`. */
  url: string;
  /** An API key or access token, or what gives the one to use now; undefined for public operations only. */
  key?: string | (() => string | Promise<string>);
  /** Version of the protocol to speak. Default: agents-protocol-2026-04-25. */
  version?: Version;
  /** Default: that of the platform. */
  fetch?: (request: Request) => Promise<Response>;
  /**
   * How often a call that was not answered, or with 429 or 503, is sent again: what only reads, and what carries an
   * Idempotency-Key. Default 2.
   */
  retries?: number;
  /** Makes the Idempotency-Key of a command that is given none. Default: a random UUID, where `retries` is not 0. */
  newIdempotencyKey?: () => string;
  /** Waits between tries. Default: a timer; rejects with its reason when the signal aborts. */
  pause?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete';
type InitParam<Init> = RequiredKeysOf<Init> extends never ? [Init?] : [Init];
type DataAs<Operation extends Record<string | number, unknown>, Init, Media extends MediaType> = Extract<
  FetchResponse<Operation, Init, Media>,
  { error?: never }
>['data'];
/** What an answer without JSON has: bytes, or nothing. */
type OtherData<Operation extends Record<string | number, unknown>, Init> = [
  DataAs<Operation, Init, MediaType>,
] extends [never]
  ? undefined
  : DataAs<Operation, Init, MediaType>;
type Data<Operation extends Record<string | number, unknown>, Init> = [
  DataAs<Operation, Init, 'application/json'>,
] extends [never]
  ? OtherData<Operation, Init>
  : DataAs<Operation, Init, 'application/json'>;

/** Calls an operation by its path, as the OpenAPI document has it. Answers with the body; throws GatewayError for a refusal. */
export type Call<Paths extends object, Of extends Method> = <
  Path extends PathsWithMethod<Paths, Of>,
  Init extends MaybeOptionalInit<Paths[Path], Extract<Of, keyof Paths[Path]>>,
>(
  path: Path,
  ...init: InitParam<Init>
) => Promise<Data<OperationOf<Paths[Path], Of>, Init>>;

type OperationOf<Operations, Of extends Method> = Operations extends {
  [Each in Of]: infer Operation extends Record<string | number, unknown>;
}
  ? Operation
  : never;

/** A client of one gateway, of the operations of one version of the protocol. */
export interface HarnClient<Version extends VersionId = 'agents-protocol-2026-04-25'> {
  readonly version: Version;
  readonly get: Call<PathsOf[Version], 'get'>;
  readonly put: Call<PathsOf[Version], 'put'>;
  readonly post: Call<PathsOf[Version], 'post'>;
  readonly patch: Call<PathsOf[Version], 'patch'>;
  readonly delete: Call<PathsOf[Version], 'delete'>;
  /** The Events of a stream, over cuts and restarts of the gateway; see Follow. */
  events<Path extends StreamPath<PathsOf[Version]>>(
    path: Path,
    ...follow: InitParam<Follow<PathsOf[Version], Path>>
  ): AsyncGenerator<StreamedEvent, void>;
  /** The same calls with the Response beside the body, for its headers (openapi-fetch). They throw GatewayError too. */
  readonly http: Client<PathsOf[Version]>;
}

const DEFAULT_VERSION = 'agents-protocol-2026-04-25';
const VERSION_HEADER = 'Harn-Agents-Protocol-Version';
const KEY_HEADER = 'Idempotency-Key';
const DEFAULT_RETRIES = 2;
/** Longer than this is for the caller to wait. */
const MAX_WAIT_MS = 10_000;
const FIRST_WAIT_MS = 250;
/** The gateway took nothing of the call. */
const NOT_NOW: ReadonlySet<number> = new Set([429, 503]);

/** Makes a client. It connects with its first call; what it is given is not checked before. */
export function harnClient<Version extends VersionId = typeof DEFAULT_VERSION>(
  options: HarnClientOptions<Version>,
): HarnClient<Version> {
  const version = options.version ?? (DEFAULT_VERSION as Version);
  const pause = options.pause ?? waitMs;
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const retries = options.retries ?? DEFAULT_RETRIES;
  const http = createClient<PathsOf[Version]>({
    baseUrl: options.url,
    redirect: 'error',
    bodySerializer: (body: unknown) => (body instanceof Blob ? body : JSON.stringify(body)),
    fetch: (request) => sendAgain(request, { send, pause, retries }),
  });
  http.use({
    async onRequest({ request, schemaPath }) {
      const { key } = options;
      const credential = typeof key === 'function' ? await key() : key;
      if (credential !== undefined) request.headers.set('Authorization', `Bearer ${credential}`);
      request.headers.set(VERSION_HEADER, version);
      const takesKey = retries > 0 && KEYED[version].has(`${request.method} ${schemaPath}`);
      if (takesKey && !request.headers.has(KEY_HEADER))
        request.headers.set(KEY_HEADER, options.newIdempotencyKey?.() ?? randomKey());
    },
    async onResponse({ response }) {
      if (!response.ok) throw await refusalOf(response);
    },
  } satisfies Middleware);
  const call = (method: Method) =>
    (async (path: never, init: { body?: unknown } = {}) => {
      const answer = await http.request(method as never, path, ...([withMediaType(init)] as never));
      return (answer as { data?: unknown }).data;
    }) as never;
  return {
    version,
    http,
    get: call('get'),
    put: call('put'),
    post: call('post'),
    patch: call('patch'),
    delete: call('delete'),
    events: (path, follow = {} as never) =>
      followEvents(followed(http as never, path as string, follow), follow, pause),
  };
}

/** Sends a request until it is answered with something that trying again would not change. */
async function sendAgain(
  request: Request,
  {
    send,
    pause,
    retries,
  }: Required<Pick<HarnClientOptions, 'pause' | 'retries'>> & {
    send: NonNullable<HarnClientOptions['fetch']>;
  },
): Promise<Response> {
  const isRepeatable = ['GET', 'HEAD'].includes(request.method) || request.headers.has(KEY_HEADER);
  const left = isRepeatable ? retries : 0;
  for (let tries = 0; ; tries += 1) {
    const waits = FIRST_WAIT_MS * 2 ** tries;
    if (tries >= left) return send(request);
    try {
      const response = await send(request.clone());
      if (!NOT_NOW.has(response.status)) return response;
      const { retryAfterSeconds } = await refusalOf(response.clone());
      const waitMs = (retryAfterSeconds ?? 0) * 1_000 || waits;
      if (waitMs > MAX_WAIT_MS) return response;
      await response.body?.cancel();
      await pause(waitMs, request.signal);
    } catch (error) {
      // fetch rejects with a TypeError where there was no answer.
      if (!(error instanceof TypeError) || request.signal.aborted) throw error;
      await pause(waits, request.signal);
    }
  }
}

const ENDED: ReadonlySet<unknown> = new Set(['COMPLETED', 'FAILED', 'CANCELED', 'CLOSED']);

/** The connections of a stream. */
function followed(
  http: Client<PathsOf[VersionId]>,
  path: string,
  { signal, params = {} }: FollowOptions & { params?: object },
): Followed {
  const asked = { params, ...(signal === undefined ? {} : { signal }) };
  const get = async (at: string, init: object) => {
    const { data } = await http.GET(at as never, { ...asked, ...init } as never);
    return data as unknown;
  };
  return {
    connect: async (lastEventId) => {
      const headers = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
      return (await get(path, { parseAs: 'stream', headers })) as ReadableStream<Uint8Array>;
    },
    isLast: LAST[path] ?? (() => false),
    isOver: async () => {
      if (LAST[path] === undefined) return false;
      const { status, state } = (await get(path.replace(/(\/events)?\/stream$/, ''), {})) as {
        status?: string;
        state?: string;
      };
      return ENDED.has(status ?? state);
    },
  };
}

/** Bytes go as what they are. */
function withMediaType(init: { body?: unknown; headers?: object }): object {
  if (!(init.body instanceof Blob)) return init;
  const type = init.body.type || 'application/octet-stream';
  return { ...init, headers: { 'Content-Type': type, ...init.headers } };
}

/** `crypto.randomUUID` is there in secure contexts alone. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

function waitMs(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
