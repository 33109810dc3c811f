import { GatewayError, type HarnClient, harnClient } from '../../client/index.ts';
import { Following } from './following.ts';

/** What the gateway says of its console to everybody. */
export interface ConsoleSettings {
  version: string;
  issuers: { issuer: string; client_id: string }[];
}

/** What signs in: a key, or a token that its issuer renews. It lives in memory alone: it is gone with the page. */
export interface Credential {
  key: string;
  /** The next token, where this one ended. Rejects where there is none. */
  renew?: () => Promise<string>;
  /** Ends it at its issuer. */
  giveBack?: () => Promise<void>;
}

/** Who is signed in. */
export interface Account {
  readonly client: HarnClient;
  readonly following: Following;
  /** What the credential may do; undefined where the gateway did not say. */
  readonly scopes: readonly string[] | undefined;
  /** A call of any path of the gateway, with the credential of who is signed in. */
  call(path: string, init: RequestInit): Promise<Response>;
  /** A socket of the gateway, with the same. */
  socket(path: string, protocol: string): WebSocket;
  /** Told whenever the gateway begins or ceases to answer; answers with how to be told no more. */
  onReach(listener: (isReached: boolean) => void): () => void;
  /** Signs out. */
  leave(): void;
}

const ORIGIN = window.location.origin;

/** A client that renews its credential, and signs out when that is taken no more. */
export function accountOf(
  credential: Credential,
  scopes: Account['scopes'],
  end: (reason: string | undefined) => void,
): Account {
  const listeners = new Set<(isReached: boolean) => void>();
  let wasReached = true;
  const tell = (isReached: boolean) => {
    if (isReached === wasReached) return;
    wasReached = isReached;
    for (const listener of listeners) listener(isReached);
  };
  const current = renewed(credential);
  const ask = async (request: Request): Promise<Response> => {
    try {
      const again = credential.renew === undefined ? undefined : request.clone();
      let response = await fetch(request);
      if (response.status === 401 && again !== undefined && (await current.renew(request)))
        response = await fetch(withKey(again, current.key));
      if (response.status === 401) end('Your key or sign-in is no longer valid. Sign in again.');
      tell(response.status !== 503);
      return response;
    } catch (error) {
      if (error instanceof TypeError) tell(false);
      throw error;
    }
  };
  const client = harnClient({ url: ORIGIN, key: () => current.key, fetch: ask });
  const call = (path: string, init: RequestInit) =>
    ask(withKey(new Request(ORIGIN + path, init), current.key));
  const socket = (path: string, protocol: string) => socketOf(path, protocol, current.key);
  const onReach = (listener: (isReached: boolean) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const leave = () => {
    end(undefined);
    // Whoever leaves is gone here at once; an issuer that does not answer lets the token end by itself.
    credential.giveBack?.().catch(() => undefined);
  };
  const following = new Following(client, (path, protocol) => socket(path, protocol));
  return { client, following, scopes, call, socket, onReach, leave };
}

/** Browsers send no header with a socket: the credential is one of the protocols that are offered. */
const socketOf = (path: string, protocol: string, key: string) =>
  new WebSocket(ORIGIN.replace(/^http/, 'ws') + path, [protocol, `harn.bearer.${key}`]);

const withKey = (request: Request, key: string) => {
  const headers = new Headers(request.headers);
  headers.set('Authorization', `Bearer ${key}`);
  return new Request(request, { headers });
};

/** The key of now. Calls that are refused at the same time are helped by one renewal. */
function renewed({ key, renew }: Credential) {
  let renewing: Promise<boolean> | undefined;
  const current = {
    key,
    /** Whether there is another key than the one that a request was refused with. */
    async renew(refused: Request): Promise<boolean> {
      if (refused.headers.get('Authorization') !== `Bearer ${current.key}`) return true;
      renewing ??= (async () => {
        try {
          current.key = (await renew?.()) ?? current.key;
          return true;
        } catch {
          return false;
        } finally {
          renewing = undefined;
        }
      })();
      return renewing;
    },
  };
  return current;
}

export async function loadSettings(): Promise<ConsoleSettings> {
  const response = await fetch('/console/settings.json');
  if (!response.ok) throw new Error(`The gateway answered with status ${response.status}.`);
  return (await response.json()) as ConsoleSettings;
}

/** The key of the link that the gateway printed at its start; undefined without a code. Throws an Error in words. */
export async function redeemCode(fragment: string): Promise<string | undefined> {
  const code = /^#code=([\w-]+)$/.exec(fragment)?.[1];
  if (code === undefined) return undefined;
  window.history.replaceState(null, '', window.location.pathname);
  const response = await fetch('/console/sign-in', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  const answer = (await response.json()) as { key?: string; error?: { message: string } };
  if (answer.key === undefined) throw new Error(answer.error?.message ?? 'The link was not accepted.');
  return answer.key;
}

/** The scopes of a key, where the gateway says them. Throws what is wrong with the key, in words. */
export async function tryKey(key: string): Promise<readonly string[] | undefined> {
  const client = harnClient({ url: ORIGIN, key, retries: 0 });
  try {
    return (await client.get('/v1/caller')).scopes;
  } catch (error) {
    if (error instanceof GatewayError && error.status !== 401) return undefined;
    throw error;
  }
}

/** An error in the words of the API, with the id that finds the request in the log. */
export function wordsOf(error: unknown): string {
  if (error instanceof GatewayError)
    return error.requestId === undefined ? error.message : `${error.message} (${error.requestId})`;
  if (error instanceof TypeError) return 'The gateway cannot be reached.';
  return error instanceof Error ? error.message : String(error);
}
