import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { closeServer, listenOnLoopback, type Peer, type PeerOptions, RequestLog } from './peer.ts';
import {
  type Action,
  type Answer,
  rpcError,
  type Script,
  type ScriptedCall,
  type ScriptedReply,
} from './script.ts';
import { cards } from './scripted-cards.ts';

const CARD = '/.well-known/agent-card.json';
const FLOOD_CHUNK_BYTES = 64 * 1024;

export interface ScriptedAgentOptions extends PeerOptions {
  /** Builds the card from the origin. Default: a 1.0 card with JSON-RPC at /rpc. A script row for the card wins. */
  readonly card?: (origin: string) => unknown;
}

export interface ScriptedPeer extends Peer {
  /** Operations whose client left before the response was complete, in order. */
  readonly abandoned: readonly string[];
}

/** An agent whose every response is written by the test, down to the byte. The script may be changed while it runs. */
export async function startScriptedAgent(
  script: Script,
  options: ScriptedAgentOptions = {},
): Promise<ScriptedPeer> {
  const log = new RequestLog();
  const abandoned: string[] = [];
  const closing = new AbortController();
  const server = createServer();
  const url = await listenOnLoopback(server, options.port);
  const card = (options.card ?? cards.v1)(options.publicUrl ?? url);
  const withCard: Script = { [`GET ${CARD}`]: cardReply(card), ...script };
  server.on('request', (request, response) => {
    void respond(request, response, { withCard, script, log, abandoned, signal: closing.signal });
  });
  return {
    url,
    cardUrl: url + CARD,
    requests: log.requests,
    arrived: log.arrived,
    abandoned,
    close: async () => {
      closing.abort();
      await closeServer(server);
    },
  };
}

interface Scene {
  readonly withCard: Script;
  readonly script: Script;
  readonly log: RequestLog;
  readonly abandoned: string[];
  readonly signal: AbortSignal;
}

async function respond(request: IncomingMessage, response: ServerResponse, scene: Scene): Promise<void> {
  const left = new AbortController();
  const signal = AbortSignal.any([scene.signal, left.signal]);
  try {
    const text = await readText(request);
    const { operation } = scene.log.record(request.method ?? '', request.url ?? '', request.headers, text);
    response.once('close', () => {
      if (!response.writableFinished && !scene.signal.aborted) scene.abandoned.push(operation);
      left.abort();
    });
    const earlier = scene.log.requests.filter((seen) => seen.operation === operation).length - 1;
    const call = { ...rpcOf(text), earlier };
    await play(replyTo(operation, call, scene), call, response, signal);
  } catch (error) {
    if (!signal.aborted && request.complete) throw error; // Else the client left while it was sending.
  }
}

function replyTo(operation: string, call: ScriptedCall, scene: Scene): ScriptedReply {
  const row = scene.script[operation] ?? scene.withCard[operation] ?? rpcError(-32601, 'Not in the script.');
  const answer = isList(row) ? (row[call.earlier] ?? row[row.length - 1]) : row;
  if (answer === undefined) throw new Error(`The script for ${operation} is an empty list.`);
  return typeof answer === 'function' ? answer(call) : answer;
}

function isList(row: Answer | readonly Answer[]): row is readonly Answer[] {
  return Array.isArray(row);
}

async function play(
  reply: ScriptedReply,
  call: ScriptedCall,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const target = reply.bareSocket ? response.socket : response;
  if (target === null) return;
  if (!reply.bareSocket) {
    response.writeHead(reply.status ?? 200, reply.headers ?? {});
    response.flushHeaders();
  }
  for (const action of reply.actions) {
    if (await act(action, call, response, target, signal)) return;
  }
  target.end();
}

/** Returns true when the response must not be ended after this action. */
async function act(
  action: Action,
  call: ScriptedCall,
  response: ServerResponse,
  target: Writable,
  signal: AbortSignal,
): Promise<boolean> {
  if ('send' in action) target.write(action.send);
  else if ('frame' in action) target.write(event(action.frame));
  else if ('result' in action) target.write(event({ jsonrpc: '2.0', id: call.id, result: action.result }));
  else if ('delayMs' in action) await setTimeout(action.delayMs, undefined, { signal });
  else if ('drip' in action) await drip(action.drip, action.everyMs, target, signal);
  else if ('flood' in action) await flood(action.flood, target, signal);
  else if ('until' in action) await Promise.race([action.until, once(signal, 'abort')]);
  else if ('reset' in action) response.socket?.resetAndDestroy();
  return 'hang' in action || 'reset' in action;
}

function event(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

async function drip(text: string, everyMs: number, target: Writable, signal: AbortSignal): Promise<void> {
  for (const byte of Buffer.from(text)) {
    target.write(Buffer.of(byte));
    await setTimeout(everyMs, undefined, { signal });
  }
}

async function flood(bytes: number, target: Writable, signal: AbortSignal): Promise<void> {
  const chunk = Buffer.alloc(FLOOD_CHUNK_BYTES, 'x');
  for (let sent = 0; sent < bytes; sent += chunk.length) {
    if (!target.write(chunk.subarray(0, bytes - sent))) await once(target, 'drain', { signal });
  }
}

function cardReply(card: unknown): ScriptedReply {
  return { headers: { 'Content-Type': 'application/json' }, actions: [{ send: JSON.stringify(card) }] };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function rpcOf(text: string): { id: unknown; params: unknown } {
  if (text === '') return { id: undefined, params: undefined };
  const { id, params } = JSON.parse(text) as { id?: unknown; params?: unknown };
  return { id, params };
}
