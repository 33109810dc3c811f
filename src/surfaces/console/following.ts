import { GatewayError, type HarnClient, type StreamedEvent } from '../../client/index.ts';

/** What is followed: all that its user may see from now on, or one session with its history. */
export type Followed = { stream: 'events' } | { stream: 'session'; session_id: string };

export interface Reader {
  /** Each event once, in order, over cuts and restarts of the gateway. */
  onEvent(event: StreamedEvent): void;
  /** There is nothing more to come: the session is closed, or it cannot be followed, with why. */
  onEnd(fault: unknown): void;
}

interface Subscription extends Reader {
  readonly target: Followed;
  cursor: string | undefined;
  /** Id of the frame that asked for it last. */
  asked: string;
  isOpen: boolean;
  /** Ends its stream over HTTP, where it has one. */
  end?: () => void;
}

type Frame =
  | { type: 'event'; subscription: string; event: StreamedEvent }
  | { type: 'ack'; id: string | null; subscription: string | null; cursor: string | null }
  | { type: 'error'; id: string | null; error: ConstructorParameters<typeof GatewayError>[1] }
  | { type: 'heartbeat'; cursors: Readonly<Record<string, string>> }
  | { type: 'end'; subscription: string; reason: 'complete' | 'draining' | 'unauthenticated' | 'failed' }
  | { type: 'request' };

/** How long to wait before each new try: a gateway that is started again is there soon. */
const AGAIN_MS = 1_000;
/** Who comes next finds the socket: pages follow one another. */
const LINGER_MS = 1_000;
/** The gateway speaks after 15 s of silence at the latest: a socket that says nothing for so long is dead. */
const SILENT_MS = 40_000;
/** Sockets that do not open although the gateway answers: something on the way lets none through. */
const MOST_UNOPENED = 2;
const RESUME_DELAYS_MS = Array(3_600).fill(AGAIN_MS) as number[];
const PASSING: ReadonlySet<string | undefined> = new Set(['conflict', 'rate_limited', 'service_unavailable']);

/**
 * All that a page follows, over one WebSocket: of streams over HTTP a browser has six to one gateway, for all its tabs together,
 * and with the sixth no call goes through any more. Where no WebSocket comes through, the streams are read over HTTP.
 */
export class Following {
  readonly #client: HarnClient;
  readonly #open: (path: string, protocol: string) => WebSocket;
  readonly #followed = new Map<string, Subscription>();
  #socket: WebSocket | undefined;
  #heardAt = 0;
  #frames = 0;
  #unopened = 0;
  #watch: ReturnType<typeof setInterval> | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;

  /** `open` opens a socket with the credential of now. */
  constructor(client: HarnClient, open: (path: string, protocol: string) => WebSocket) {
    this.#client = client;
    this.#open = open;
  }

  /** Follows until what it answers with is called. The newest reader of a stream has it. */
  follow(target: Followed, reader: Reader): () => void {
    const name = nameOf(target);
    const subscription: Subscription = { ...reader, target, cursor: undefined, asked: '', isOpen: false };
    if (this.#isBlocked) return this.#followOverHttp(subscription);
    this.#leave(name, this.#followed.get(name));
    this.#followed.set(name, subscription);
    if (this.#socket === undefined && this.#again === undefined) this.#connect();
    else this.#ask(name, subscription);
    return () => {
      this.#leave(name, subscription);
      subscription.end?.();
    };
  }

  get #isBlocked(): boolean {
    return this.#unopened >= MOST_UNOPENED;
  }

  #leave(name: string, subscription: Subscription | undefined): void {
    if (subscription === undefined || this.#followed.get(name) !== subscription) return;
    this.#followed.delete(name);
    if (subscription.isOpen) this.#send({ type: 'unsubscribe', subscription: name });
    setTimeout(() => this.#followed.size === 0 && this.#drop(), LINGER_MS);
  }

  #connect(): void {
    const socket = this.#open('/v1/ws', 'harn.v1');
    let hasOpened = false;
    socket.onopen = () => {
      hasOpened = true;
      this.#unopened = 0;
      this.#heardAt = Date.now();
      for (const [name, subscription] of this.#followed) this.#ask(name, subscription);
    };
    socket.onmessage = ({ data }) => {
      this.#heardAt = Date.now();
      this.#take(JSON.parse(String(data)) as Frame);
    };
    socket.onclose = () => {
      this.#drop();
      this.#reconnect(hasOpened);
    };
    this.#socket = socket;
    this.#watch = setInterval(() => {
      if (socket.readyState === WebSocket.OPEN && Date.now() - this.#heardAt >= SILENT_MS) this.#renew();
    }, SILENT_MS / 4);
    // The network was another one before: what was sent over that is lost, and nobody says so.
    window.addEventListener('online', this.#renew);
  }

  /** A refused upgrade tells a page nothing: a call says whether the credential or the gateway is gone, and renews what it can. */
  #reconnect(hasOpened: boolean): void {
    this.#again = setTimeout(async () => {
      this.#again = undefined;
      if (this.#followed.size === 0) return;
      try {
        await this.#client.get('/v1/caller');
        if (!hasOpened) this.#unopened += 1;
      } catch (error) {
        // Signed out: the page is going.
        if (error instanceof GatewayError && error.status === 401) return;
        // Who may not ask who they are may follow all the same.
        if (!(error instanceof GatewayError) || error.status >= 500) return this.#reconnect(true);
      }
      if (this.#socket !== undefined) return;
      if (!this.#isBlocked) return this.#connect();
      for (const subscription of this.#followed.values())
        subscription.end = this.#followOverHttp(subscription);
      this.#followed.clear();
    }, AGAIN_MS);
  }

  readonly #renew = (): void => {
    this.#drop();
    this.#reconnect(true);
  };

  #drop(): void {
    clearInterval(this.#watch);
    window.removeEventListener('online', this.#renew);
    const socket = this.#socket;
    this.#socket = undefined;
    for (const subscription of this.#followed.values()) subscription.isOpen = false;
    if (socket === undefined) return;
    socket.onopen = socket.onclose = socket.onmessage = null;
    socket.close();
  }

  #ask(name: string, subscription: Subscription): void {
    if (this.#followed.get(name) !== subscription) return;
    this.#frames += 1;
    subscription.asked = `${name}#${this.#frames}`;
    const { target, cursor, asked: id } = subscription;
    this.#send({ type: 'subscribe', id, ...target, ...(cursor === undefined ? {} : { cursor }) });
  }

  #send(frame: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #take(frame: Frame): void {
    switch (frame.type) {
      case 'event': {
        const subscription = this.#followed.get(frame.subscription);
        // What was asked for by an earlier reader comes again for this one.
        if (subscription?.isOpen !== true) return;
        subscription.cursor = frame.event.id;
        subscription.onEvent(frame.event);
        return;
      }
      case 'ack':
        this.#opened(frame);
        return;
      case 'error':
        this.#refused(frame);
        return;
      case 'heartbeat':
        for (const [name, cursor] of Object.entries(frame.cursors)) {
          const subscription = this.#followed.get(name);
          if (subscription?.isOpen === true && cursor !== '') subscription.cursor = cursor;
        }
        return;
      case 'end':
        this.#ended(frame);
    }
  }

  #opened({ id, subscription: name, cursor }: Extract<Frame, { type: 'ack' }>): void {
    if (name === null || id === null) return;
    const subscription = this.#followed.get(name);
    // Left before it was open.
    if (subscription === undefined) this.#send({ type: 'unsubscribe', subscription: name });
    if (subscription?.asked !== id) return;
    subscription.isOpen = true;
    subscription.cursor ??= cursor ?? undefined;
  }

  #refused({ id, error }: Extract<Frame, { type: 'error' }>): void {
    const [name, subscription] = [...this.#followed].find(([, { asked }]) => asked === id) ?? [];
    if (name === undefined || subscription === undefined) return;
    if (error.code === 'cursor_expired') {
      subscription.cursor = undefined;
      this.#ask(name, subscription);
    } else if (PASSING.has(error.code)) setTimeout(() => this.#ask(name, subscription), AGAIN_MS);
    else {
      this.#followed.delete(name);
      subscription.onEnd(new GatewayError(200, error));
    }
  }

  #ended({ subscription: name, reason }: Extract<Frame, { type: 'end' }>): void {
    const subscription = this.#followed.get(name);
    if (subscription?.isOpen !== true) return;
    subscription.isOpen = false;
    if (reason === 'failed') setTimeout(() => this.#ask(name, subscription), AGAIN_MS);
    if (reason !== 'complete') return;
    this.#followed.delete(name);
    subscription.onEnd(undefined);
  }

  #followOverHttp({ target, cursor, onEvent, onEnd }: Subscription): () => void {
    const ending = new AbortController();
    const follow = {
      signal: ending.signal,
      resumeDelaysMs: RESUME_DELAYS_MS,
      ...(cursor === undefined ? {} : { lastEventId: cursor }),
    };
    const events =
      target.stream === 'events'
        ? this.#client.events('/v1/events/stream', follow)
        : this.#client.events('/v1/sessions/{session_id}/events/stream', {
            ...follow,
            params: { path: { session_id: target.session_id } },
          });
    void (async () => {
      try {
        for await (const event of events) onEvent(event);
        onEnd(undefined);
      } catch (error) {
        if (!ending.signal.aborted) onEnd(error);
      }
    })();
    return () => ending.abort();
  }
}

const nameOf = (target: Followed) => (target.stream === 'events' ? 'events' : `session:${target.session_id}`);
