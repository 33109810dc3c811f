import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream';
import { ProtocolError } from '#protocol/errors.ts';
import type { Clock } from '#protocol/ports.ts';
import { answerJson } from '../http/exchange.ts';
import type { HttpLimits } from '../http/limits.ts';
import { answerParseFailure, type ParseFailureDeps, writeRefusal } from '../http/parse-failure.ts';
import { RELAYED_FOR, type RelayedClients } from '../http/relayed-clients.ts';
import {
  checkExpectation,
  checkHeaders,
  type HostAllowList,
  type TransportSecurity,
} from '../http/request-checks.ts';
import { LEAVING_MS, type OpenDoor, openServer, type TlsSettings } from '../http/server.ts';
import { serveAsPlainRequest, wantsWebSocket } from '../ws/plain-request.ts';
import { type Destination, Destinations, type Target, unavailable, type Way } from './destinations.ts';
import { drop, passedHeaders, rawHead, timesThrough } from './headers.ts';
import { type Held, held } from './held.ts';

export interface RelayDeps extends ParseFailureDeps {
  clock: Clock;
  limits: HttpLimits;
  /** Absent for plain HTTP. */
  tls?: TlsSettings;
  hosts: HostAllowList;
  transport: TransportSecurity;
  /** Tells the next one where a request came from. Default: it is not told. */
  clients?: RelayedClients;
  /** Where the other nodes reach this one, an origin; its host and port are what `Via` calls it. */
  ownUrl: string;
  /** Of the gateway, for `/health`. */
  version: string;
  /**
   * Which of several deciding nodes a request is for; throws a ProtocolError for one that is for none. Default: there is one.
   */
  destinationOf?(req: IncomingMessage): string;
  /** Whether a deciding node is one of this process's own, which takes the names of this node. Default: none is. */
  isOwn?(owner: URL): boolean;
  /** Answers what is about all that decide; rejects with a ProtocolError. Undefined: it is handed on. Default: all is. */
  answers?(req: IncomingMessage, res: ServerResponse): Promise<void> | undefined;
}

/** Of a relay that hands all on to one node. */
const THE_ONE = '';

/** Bodies up to this size are held until they are answered, so that they can be sent once more. */
const MAX_HELD_BYTES = 256 * 1024;
/** Of all of them: nobody has said yet who sends them. What comes above is passed as it comes. */
const MAX_HELD_BYTES_OF_ALL = 64 * 1024 * 1024;
const ASK_MS = 2_000;
/** How long an answer may take before the owner is asked whether it is there at all, and again while it takes longer. */
const SILENT_MS = 2_000;
/** So many times in a row it may fail to say so: one that is busy is slow once. */
const MAX_SILENCES = 2;
const MAX_ASKED_BYTES = 1024 * 1024;
/** Time for a client to read what is left of a WebSocket. */
const LINGER_MS = 10_000;
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What came of one try to hand a request on. `unsent`: nobody has it. `unknown`: the owner may have carried it out. */
type Outcome = 'answered' | 'unsent' | 'unknown';

/** What a node that decides said when it was asked. */
export interface Asked {
  status: number;
  body: Buffer;
}

/** A request on its way. */
interface Passing extends Held {
  req: IncomingMessage;
}

/**
 * The door of a node that does not decide, or of one before several gateways: it hands every request, event stream and WebSocket on to
 * the one that decides, and lets it wait while another one takes over. It believes nobody and decides nothing: credentials are judged where the request is carried out.
 */
export class Relay implements OpenDoor {
  readonly server: Server;
  readonly #deps: RelayDeps;
  readonly #own: URL;
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true }),
  };
  readonly #destinations: Destinations;
  /** What ends only when somebody leaves. */
  readonly #streams = new Set<{ destroy(): unknown }>();
  #heldBytes = 0;
  #isClosed = false;
  #areStreamsCut = false;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#own = new URL(deps.ownUrl);
    this.#destinations = new Destinations(deps);
    this.server = openServer(deps);
    const listener = (req: IncomingMessage, res: ServerResponse) => void this.#take(req, res);
    this.server.on('request', listener);
    this.server.on('checkContinue', listener);
    this.server.on('checkExpectation', listener);
    this.server.on('clientError', (error, socket) => answerParseFailure(deps, error, socket));
    this.server.on('connect', (_req, socket) => this.#refuse(notProxy(), socket));
    this.server.on('upgrade', (req, socket, head) => {
      if (!wantsWebSocket(req)) return serveAsPlainRequest(this.server, req, head);
      socket.on('error', (error) => deps.logger.debug({ err: error }, 'socket failed'));
      void this.#upgrade(req, socket, head);
    });
  }

  /** Says who decides now. What is under way at another one is cut: it may never be answered. */
  ownerIs(url: string | undefined, name: string = THE_ONE): void {
    this.#destinations.ownerIs(url, name);
  }

  #of(req: IncomingMessage): Destination {
    return this.#destinations.named(this.#deps.destinationOf?.(req) ?? THE_ONE);
  }

  leave(): void {
    for (const event of ['request', 'checkContinue', 'checkExpectation', 'clientError', 'connect', 'upgrade'])
      this.server.removeAllListeners(event);
    this.ownerIs(this.#own.href);
  }

  /**
   * Takes no more, cuts the streams, whose clients resume, and waits for the rest for up to `graceMs`, also for another node to decide:
   * where nodes are restarted one after the other, one soon does. For a node that never decided.
   */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    const stopWaiting = this.#deps.timers.after(graceMs, () => this.#destinations.close());
    // Its answers close their connections, so that few are left to be closed under a client that is about to send.
    if (this.server.listening)
      await new Promise<void>((resolve) => this.#deps.timers.after(Math.min(LEAVING_MS, graceMs), resolve));
    this.#areStreamsCut = true;
    for (const each of [...this.#streams]) each.destroy();
    if (this.server.listening)
      await new Promise<void>((resolve) => {
        const stop = this.#deps.timers.after(graceMs, () => {
          this.#destinations.cut();
          this.server.closeAllConnections();
        });
        this.server.close(() => {
          stop();
          resolve();
        });
        this.server.closeIdleConnections();
      });
    stopWaiting();
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    res.on('error', (error) => this.#deps.logger.debug({ err: error }, 'answer failed'));
    try {
      this.#check(req);
      // Alive is this process, whoever decides.
      if (isPlainHealth(req))
        return answerJson(req, res, {
          body: { ok: true, status: 'ok', version: this.#deps.version },
          cacheControl: 'no-store',
        });
      const answering = this.#deps.answers?.(req, res);
      if (answering !== undefined) return await answering;
      const destination = this.#of(req);
      if (req.headers.expect !== undefined) res.writeContinue();
      const maxBytes = Math.min(MAX_HELD_BYTES, MAX_HELD_BYTES_OF_ALL - this.#heldBytes);
      const passing = { req, ...(await held(req, maxBytes)) };
      this.#heldBytes += passing.held.length;
      await this.#handOn(destination, passing, res).finally(() => {
        this.#heldBytes -= passing.held.length;
      });
    } catch (thrown) {
      if (!res.headersSent && !res.destroyed) this.#refuse(ProtocolError.from(thrown), req.socket);
    }
  }

  #check(req: IncomingMessage): void {
    const { limits, hosts, transport } = this.#deps;
    checkHeaders(req, limits.maxHeaders);
    hosts.check(req.headers.host, req.socket);
    // Its target is looked at by the node that decides, which refuses it in the words of its binding.
    checkExpectation(req);
    transport.check(req);
  }

  #laps({ headers }: IncomingMessage): number {
    return timesThrough(headers.via, this.#own.host);
  }

  async #handOn(destination: Destination, passing: Passing, res: ServerResponse): Promise<void> {
    const { req } = passing;
    await this.#destinations.untilOver(destination, res, this.#laps(req), async (target) => {
      const outcome = await this.#try(target, passing, res);
      if (outcome === 'answered' || res.destroyed) return true;
      if (outcome === 'unknown' && !(mayRepeat(req) && passing.isWhole)) throw unclear();
      if (!passing.isWhole) throw unavailable('The node that decides ended. Send the request again.');
      return false;
    });
  }

  /**
   * What the owner of a destination answers to a GET, or undefined where nobody decides, it does not answer in time, or says more than a
   * mebibyte.
   */
  async ask(name: string, path: string, headers: Record<string, string>): Promise<Asked | undefined> {
    const { owner } = this.#destinations.named(name);
    if (owner === undefined) return undefined;
    return this.#get(
      new URL(path, owner),
      headers,
      this.#agents[owner.protocol === 'https:' ? 'https:' : 'http:'],
    );
  }

  /** @param agent `false`: a connection of its own */
  async #get(
    url: URL,
    headers: Record<string, string>,
    agent: HttpAgent | HttpsAgent | false,
  ): Promise<Asked | undefined> {
    const late = new AbortController();
    const stop = this.#deps.timers.after(ASK_MS, () => late.abort());
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const ask = url.protocol === 'https:' ? httpsRequest : httpRequest;
        // This node asks for itself, of nodes that may be reached in plain HTTP by nodes alone.
        const own = { 'x-forwarded-proto': 'https', via: `1.1 ${this.#own.host}`, ...headers };
        ask(url, { headers: own, signal: late.signal, agent }, resolve).on('error', reject).end();
      });
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > MAX_ASKED_BYTES) return undefined;
        chunks.push(chunk);
      }
      return { status: answer.statusCode ?? 0, body: Buffer.concat(chunks) };
    } catch (error) {
      this.#deps.logger.debug({ err: error, owner: url.host }, 'a node that decides does not answer');
      return undefined;
    } finally {
      stop();
    }
  }

  /**
   * Calls when the owner is not there any more for this node, as long as an answer of it is waited for, though it may decide and be reached
   * by others. Returns what stops that.
   */
  #onSilence({ owner, way }: Target, lost: () => void): () => void {
    let isOver = false;
    let stop: () => void = () => undefined;
    const look = async () => {
      way.asking ??= this.#askWhetherThere(owner, way);
      await way.asking;
      if (isOver) return;
      if (way.silences < MAX_SILENCES) lookLater();
      else lost();
    };
    const lookLater = () => {
      stop = this.#deps.timers.after(SILENT_MS, () => void look());
    };
    lookLater();
    return () => {
      isOver = true;
      stop();
    };
  }

  async #askWhetherThere(owner: URL, way: Way): Promise<void> {
    // By a connection of its own: those that are open may lead nowhere though the way is back.
    const answer = await this.#get(new URL('/health', owner), {}, false);
    way.asking = undefined;
    if (answer !== undefined) way.silences = 0;
    else {
      way.silences += 1;
      if (way.silences === MAX_SILENCES)
        this.#deps.logger.warn({ owner: owner.host }, 'this node does not reach the one that decides');
    }
  }

  #request({ owner, underWay }: Target, req: IncomingMessage, connection: readonly string[]): ClientRequest {
    const isHttps = owner.protocol === 'https:';
    const outgoing = (isHttps ? httpsRequest : httpRequest)({
      host: owner.hostname.replace(/^\[|\]$/g, ''),
      port: owner.port || (isHttps ? 443 : 80),
      method: req.method,
      path: req.url,
      agent: this.#agents[isHttps ? 'https:' : 'http:'],
      setHost: false,
    });
    const { transport, clients } = this.#deps;
    const headers = passedHeaders(req.rawHeaders, {
      host: this.#isShared(req.headers.host, owner) ? undefined : owner.host,
      via: `${req.httpVersion} ${this.#own.host}`,
      // Of who asked this node; the owner believes it of the nodes that its operator trusts.
      'x-forwarded-proto': transport.isSecure(req) ? 'https' : 'http',
      [RELAYED_FOR]: clients?.headerFor(req),
    });
    for (const [name, value] of headers) outgoing.appendHeader(name, value);
    for (let at = 0; at < connection.length; at += 2)
      outgoing.setHeader(connection[at] ?? '', connection[at + 1] ?? '');
    underWay.add(outgoing);
    outgoing.on('close', () => underWay.delete(outgoing));
    return outgoing;
  }

  /** Whether the owner takes this host too: the name of this node another one does not. */
  #isShared(host: string | undefined, owner: URL): boolean {
    if (host === this.#own.host) return this.#deps.isOwn?.(owner) ?? false;
    return this.#deps.hosts.isNamed(host);
  }

  #try(target: Target, { req, held, isWhole }: Passing, res: ServerResponse): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const outgoing = this.#request(target, req, []);
      let wasReached = false;
      const stop = this.#onSilence(target, () => {
        reject(wasReached && !mayRepeat(req) ? unclear() : unreached());
        outgoing.destroy();
      });
      onceConnected(outgoing, () => {
        wasReached = true;
      });
      const leave = () => outgoing.destroy();
      res.on('close', leave);
      const over = (outcome: Outcome) => {
        res.off('close', leave);
        resolve(outcome);
      };
      outgoing.on('close', stop);
      outgoing.on('response', (answer) => {
        stop();
        target.way.silences = 0;
        res.sendDate = false;
        const closing = this.#isClosed ? ['Connection', 'close'] : [];
        res.writeHead(answer.statusCode ?? 502, answer.statusMessage, [
          ...drop(answer.rawHeaders),
          ...closing,
        ]);
        res.flushHeaders();
        if (answer.headers['content-type']?.startsWith('text/event-stream')) this.#isStream(outgoing);
        // A client sees an answer that broke off as one: what follows it resumes by its cursor.
        pipeline(answer, res, () => over('answered'));
      });
      outgoing.on('error', (error) => {
        this.#deps.logger.debug({ err: error, owner: target.owner.host }, 'a request could not be handed on');
        over(res.headersSent ? 'answered' : wasReached ? 'unknown' : 'unsent');
      });
      // Always framed: without, what a GET brings would be read as the next request of this connection.
      if (isWhole) {
        outgoing.removeHeader('Content-Length');
        if (held.length > 0 || !SAFE.has(req.method ?? '')) outgoing.setHeader('Content-Length', held.length);
        outgoing.end(held);
      } else {
        if (!outgoing.hasHeader('Content-Length')) outgoing.setHeader('Transfer-Encoding', 'chunked');
        outgoing.write(held);
        req.pipe(outgoing);
      }
    });
  }

  #isStream(upstream: { destroy(): unknown; on(event: 'close', listener: () => void): unknown }): void {
    if (this.#areStreamsCut) return void upstream.destroy();
    this.#streams.add(upstream);
    upstream.on('close', () => this.#streams.delete(upstream));
  }

  async #upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      this.#check(req);
      await this.#destinations.untilOver(this.#of(req), socket, this.#laps(req), (target) =>
        this.#tryUpgrade(target, req, socket, head),
      );
    } catch (thrown) {
      if (!socket.destroyed) this.#refuse(ProtocolError.from(thrown), socket);
    }
  }

  /** False when it can be tried again. */
  #tryUpgrade(target: Target, req: IncomingMessage, socket: Duplex, head: Buffer): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const outgoing = this.#request(target, req, ['Connection', 'Upgrade', 'Upgrade', 'websocket']);
      const stop = this.#onSilence(target, () => {
        reject(unreached());
        outgoing.destroy();
      });
      outgoing.on('close', stop);
      const leave = () => outgoing.destroy();
      socket.on('close', leave);
      outgoing.on('upgrade', (answer, upstream, first) => {
        stop();
        target.way.silences = 0;
        target.underWay.add(upstream);
        upstream.on('close', () => target.underWay.delete(upstream));
        this.#isStream(upstream);
        socket.write(rawHead(answer, ['Connection', 'Upgrade', 'Upgrade', 'websocket']));
        if (first.length > 0) socket.write(first);
        if (head.length > 0) upstream.write(head);
        socket.on('close', () => upstream.destroy());
        socket.pipe(upstream).pipe(socket);
        // What the owner said last still goes to a client that reads slowly: why it is closed.
        upstream.on('error', (error) => this.#deps.logger.debug({ err: error }, 'socket failed'));
        upstream.on('close', () => {
          socket.end();
          this.#deps.timers.after(LINGER_MS, () => socket.destroy());
        });
        resolve(true);
      });
      outgoing.on('response', (answer) => {
        stop();
        socket.write(rawHead(answer, ['Connection', 'close']));
        pipeline(answer, socket, () => undefined);
        resolve(true);
      });
      outgoing.on('error', (error) => {
        this.#deps.logger.debug(
          { err: error, owner: target.owner.host },
          'an upgrade could not be handed on',
        );
        socket.off('close', leave);
        resolve(false);
      });
      outgoing.end();
    });
  }

  #refuse(error: ProtocolError, socket: Duplex): void {
    writeRefusal(this.#deps, error, socket);
  }
}

/** Calls when the owner may read what is sent: not before the connection stands. */
function onceConnected(outgoing: ClientRequest, reached: () => void): void {
  outgoing.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', reached);
    else reached();
  });
}

/** Anything else that is asked of `/health` is judged where all requests are. */
function isPlainHealth({ method, url, headers }: IncomingMessage): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && url === '/health' && headers['idempotency-key'] === undefined;
}

/** Whether it may be sent once more although the owner may have carried it out. */
function mayRepeat({ method, headers }: IncomingMessage): boolean {
  return SAFE.has(method ?? '') || headers['idempotency-key'] !== undefined;
}

function notProxy(): ProtocolError {
  return new ProtocolError('resource_not_found', 'The gateway is no forward proxy.');
}

function unreached(): ProtocolError {
  return unavailable(
    'The node that decides does not answer this one. Send the request again, to another node where there is one.',
  );
}

function unclear(): ProtocolError {
  return unavailable(
    'The node that decides ended, or was lost, before it answered, so this may have been carried out. Look before you send it again; with an Idempotency-Key it would have been repeated for you.',
  );
}
