import { WebSocket } from 'ws';
import type { HostOffer } from '../../../mappings/acp/host-methods.ts';
import type { BridgeDeps } from '../../bridge.ts';
import { type ChildEnd, detailsOfEnd, startChild } from '../../wire/child.ts';
import { childEnvironment } from '../../wire/child-environment.ts';
import {
  type Fault,
  retryAfterOf,
  TRANSPORT_MESSAGES,
  transportFault,
  unavailable,
} from '../../wire/faults.ts';
import { credentialHeaders } from '../../wire/http-client.ts';
import type { AcpClientConfig, AcpLimits } from './config.ts';
import { faultOf, tooLong } from './faults.ts';
import type { Overhear } from './session.ts';

/** The way to one running agent: whole messages as text, both ways. */
export interface AgentWire {
  send(text: string): void;
  /** Ends it in good order, or by force after a while. Resolves when nothing of it is left. */
  close(): Promise<void>;
}

interface WireListener {
  /** One message; `noise` says how to read a line that is none. */
  text(text: string): void;
  /** Called once: the agent is gone. */
  ended(why: Fault): void;
}

interface WireSettings {
  config: AcpClientConfig;
  limits: AcpLimits;
  deps: BridgeDeps;
}

/** What all agents of a route are run with. */
export interface RouteSettings extends WireSettings {
  overhear: Overhear;
}

/** How one agent is run: with what its clients offer, and for one session what its inputs add to the environment. */
export interface AgentSettings extends RouteSettings {
  offer: HostOffer;
  inputs?: Readonly<Record<string, string>> | undefined;
}

/** Starts an agent on standard streams, one message per line. It ends with its standard input, or is ended. */
function openProcess(settings: AgentSettings, command: readonly string[], listener: WireListener): AgentWire {
  const { config, limits, deps, inputs } = settings;
  const end = once((why: Fault) => listener.ended(why));
  const child = startChild({
    command,
    env: { ...childEnvironment(config.env, deps.environment, (ref) => deps.readSecret(ref)), ...inputs },
    ...(config.cwd === undefined ? {} : { cwd: config.cwd }),
    timers: deps.timers,
    guard: deps.guard,
    maxLineBytes: limits.max_frame_bytes,
    onLine: (line) => {
      const text = line.trim();
      if (text !== '') listener.text(text);
    },
    onOverlong: () => end(tooLong(limits.max_frame_bytes)),
    onNoise: (line) => deps.logger.debug({ agent: config.id, line }, 'agent'),
  });
  void child.ended.then((how) => end(died(how)));
  return {
    send: (text) => {
      // That an agent takes no more is seen by its end.
      child.send(text).catch(() => undefined);
    },
    close: () => child.close(),
  };
}

function died(end: ChildEnd): Fault {
  const { notStarted, exitCode, signal } = end;
  if (notStarted !== undefined) {
    return unavailable('not_started', 'The program of the agent could not be started.', { code: notStarted });
  }
  const how = signal === null ? `with code ${exitCode}` : `by ${signal}`;
  return unavailable('exited', `The agent ended ${how}.`, detailsOfEnd(end));
}

function once<T>(run: (value: T) => void): (value: T) => void {
  let isDone = false;
  return (value) => {
    if (isDone) return;
    isDone = true;
    run(value);
  };
}

/** Codes of `ws` for a message above its limits. */
const TOO_LONG = ['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', 'WS_ERR_TOO_MANY_BUFFERED_PARTS'];

/** Connects to an agent that serves ACP on a WebSocket: one JSON-RPC message per text frame. */
function openSocket(settings: WireSettings, url: string, listener: WireListener): AgentWire {
  const unsent: string[] = [];
  let socket: WebSocket | undefined;
  let isClosed = false;
  const connected = credentialHeaders(settings.config.auth, settings.deps).then(
    (headers) => {
      if (!isClosed) socket = connect(settings, url, headers, { listener, unsent });
    },
    (error: unknown) => listener.ended(faultOf(error)),
  );
  return {
    send: (text) => {
      if (socket === undefined || socket.readyState === WebSocket.CONNECTING) unsent.push(text);
      else if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: async () => {
      isClosed = true;
      await connected;
      if (socket !== undefined) await closed(socket, settings);
    },
  };
}

function connect(
  { limits, deps }: WireSettings,
  url: string,
  headers: Record<string, string>,
  { listener, unsent }: { listener: WireListener; unsent: string[] },
): WebSocket {
  const socket = new WebSocket(url, {
    maxPayload: limits.max_frame_bytes,
    handshakeTimeout: limits.start_timeout_ms,
    headers,
    perMessageDeflate: false,
    followRedirects: false,
  });
  let isOpened = false;
  socket.once('open', () => {
    isOpened = true;
    for (const text of unsent.splice(0)) socket.send(text);
  });
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) listener.text(data.toString('utf8'));
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    deps.logger.debug({ err: error }, 'agent socket');
    // Before it is open nobody has heard anything.
    if (!isOpened) listener.ended(notConnected(error));
    if (TOO_LONG.includes(error.code ?? '')) listener.ended(tooLong(limits.max_frame_bytes));
  });
  socket.once('unexpected-response', (_request, response) => {
    listener.ended(
      unavailable('refused', 'The agent refused the connection.', {
        http_status: response.statusCode ?? 0,
        ...retryAfterOf(response.headers['retry-after']),
      }),
    );
    socket.terminate();
  });
  socket.once('close', (code) =>
    listener.ended(unavailable('lost', 'The connection to the agent is over.', { close_code: code })),
  );
  return socket;
}

function notConnected(error: unknown): Fault {
  const reason = transportFault(error);
  return unavailable(reason, TRANSPORT_MESSAGES[reason]);
}

async function closed(socket: WebSocket, { deps: { timers } }: WireSettings): Promise<void> {
  if (socket.readyState === WebSocket.CLOSED) return;
  const over = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.close(1000);
  const timer = timers.setTimeout(() => socket.terminate(), CLOSE_MS);
  await over;
  timers.clearTimeout(timer);
}

/** A close handshake takes a round trip; a dead peer is cut. */
const CLOSE_MS = 2_000;

/** Starts the configured program, or connects to the configured URL. */
export function openWire(settings: AgentSettings, listener: WireListener): AgentWire {
  const { command, url } = settings.config;
  return url === undefined
    ? openProcess(settings, command ?? [], listener)
    : openSocket(settings, url, listener);
}
