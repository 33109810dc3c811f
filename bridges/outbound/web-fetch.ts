import type { Agent } from 'undici';

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
  /** Largest number of open connections. */
  connections: number;
  /** Headers that every request carries, read anew for each; they replace those of the library. */
  headers(): Promise<Record<string, string>>;
}

/** The library is loaded with the first request. */
export function createWebFetch(options: WebFetchOptions): WebFetch {
  let opened: Promise<Opened> | undefined;
  const request: Fetch = async (url, init = {}) => {
    opened ??= open(options);
    const { dispatcher, send } = await opened;
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(await options.headers())) headers.set(name, value);
    const link = linkedTo(init.signal ?? undefined);
    try {
      const given = { ...init, headers, redirect: 'manual', signal: link.signal, dispatcher };
      return (await send(url, given as never)) as unknown as Response;
    } finally {
      link.release();
    }
  };
  return { request, close: async () => (await opened)?.dispatcher.destroy() };
}

interface Opened {
  dispatcher: Agent;
  send: typeof import('undici')['fetch'];
}

async function open({ connections, connectTimeoutMs }: WebFetchOptions): Promise<Opened> {
  const { Agent: Dispatcher, fetch: send } = await import('undici');
  const dispatcher = new Dispatcher({
    connections,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { dispatcher, send };
}

/** A library that hands one long-lived signal to every request would pile up listeners on it. */
function linkedTo(outer: AbortSignal | undefined): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort(outer?.reason);
  if (outer?.aborted) abort();
  outer?.addEventListener('abort', abort, { once: true });
  return { signal: controller.signal, release: () => outer?.removeEventListener('abort', abort) };
}
