import { setMaxListeners } from 'node:events';
import type { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';

/** The platform's fetch, as libraries that bring their own HTTP logic ask for it. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface WebFetch {
  /** Redirects are answers, never followed. Nothing is timed but the connection: the library times its calls. */
  readonly request: Fetch;
  /** Breaks what is still open. */
  close(): Promise<void>;
}

export interface WebFetchOptions {
  connectTimeoutMs: number;
  /** Largest number of open connections, besides those of GET requests: streams that are open for as long as somebody listens. */
  connections: number;
  /** Headers that every request carries, read anew for each; they replace those of the library. */
  headers(): Promise<Record<string, string>>;
}

/** The library is loaded with the first request. */
export function createWebFetch(options: WebFetchOptions): WebFetch {
  let opened: Promise<Opened> | undefined;
  const request: Fetch = async (url, init = {}) => {
    opened ??= open(options);
    const { send } = await opened;
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(await options.headers())) headers.set(name, value);
    const link = linkedTo(init.signal ?? undefined);
    try {
      return await send(new URL(url), { ...init, headers, signal: link.signal });
    } finally {
      link.release();
    }
  };
  return {
    request,
    close: async () => {
      const dispatchers = (await opened)?.dispatchers ?? [];
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

interface Opened {
  dispatchers: readonly Agent[];
  send(url: URL, init: RequestInit & { headers: Headers; signal: AbortSignal }): Promise<Response>;
}

async function open({ connections, connectTimeoutMs }: WebFetchOptions): Promise<Opened> {
  const { Agent: Opened } = await import('./undici.ts');
  const agent = (most?: number) =>
    new Opened({
      ...(most === undefined ? {} : { connections: most }),
      connect: { timeout: connectTimeoutMs },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  const requests = agent(connections);
  const listening = agent();
  // A request of the platform's fetch costs twice as much: its texts are streams both ways.
  const send: Opened['send'] = async (
    { origin, pathname, search },
    { method = 'GET', body, headers, signal },
  ) => {
    const answer = await (method === 'GET' ? listening : requests).request({
      origin,
      path: pathname + search,
      method: method as 'GET',
      headers: { ...ALWAYS, ...Object.fromEntries(headers) },
      // The libraries send texts.
      body: (body ?? null) as string | null,
      signal,
    });
    return responseOf(answer);
  };
  return { dispatchers: [requests, listening], send };
}

/** Nothing here unpacks what a server packs. */
const ALWAYS = { 'accept-encoding': 'identity', 'user-agent': 'harn-gateway' };

/** Statuses whose answers say nothing more. Spec: Fetch, "null body status"; MCP, "Streamable HTTP" for 202. */
const WITHOUT_BODY = [202, 204, 205, 304];
/** What such an answer may hold all the same, for its connection to be used again. */
const MAX_UNREAD_BYTES = 1_024;

function responseOf({ statusCode, headers, body }: Dispatcher.ResponseData): Response {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, one ?? '']),
  );
  const isBare = WITHOUT_BODY.includes(statusCode) || headers['content-length'] === '0';
  if (isBare) body.dump({ limit: MAX_UNREAD_BYTES }).catch(() => undefined);
  return new Response(isBare ? null : streamOf(body), { status: statusCode, headers: given });
}

/** The bytes as they come, at the pace of the reader. Whoever stops reading ends the request. */
function streamOf(body: Readable): ReadableStream<Uint8Array> {
  let isOver = false;
  const once = (run: () => void) => () => {
    if (!isOver) run();
    isOver = true;
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      body.on('data', (chunk: Uint8Array) => {
        if (isOver) return;
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) body.pause();
      });
      body.once(
        'end',
        once(() => controller.close()),
      );
      body.on('error', (error) => once(() => controller.error(error))());
    },
    pull: () => void body.resume(),
    cancel: once(() => void body.destroy()),
  });
}

/** A library that hands one long-lived signal to every request would pile up listeners on it. */
function linkedTo(outer: AbortSignal | undefined): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort(outer?.reason);
  // One for each open request is no leak.
  if (outer !== undefined) setMaxListeners(0, outer);
  if (outer?.aborted) abort();
  outer?.addEventListener('abort', abort, { once: true });
  return { signal: controller.signal, release: () => outer?.removeEventListener('abort', abort) };
}
