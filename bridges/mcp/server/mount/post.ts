import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { ServerDeps, ServerExchange } from '#protocol-server.ts';
import { MCP_ERRORS } from '../../../../mappings/mcp/errors.ts';
import { errorAnswer, type RpcError } from '../../../wire/json-rpc.ts';
import { timersOf } from '../../../wire/waits.ts';
import { whileAway } from '../../client/connection.ts';
import { NOT_REACHED, neverArrived } from '../../client/faults.ts';
import { type OpenServer, openTools, type Post } from '../../mounted-server.ts';

/** Headers that belong to the message. Credentials, cookies and the like are between the client and the gateway. */
const PASSED = /^(accept|mcp-protocol-version|mcp-method|mcp-name|mcp-param-.*|traceparent|tracestate)$/;
/** The credential of the gateway was refused: the client cannot mend that with another one of its own. */
const REFUSED = [401, 403];
/** Longest list of tools that is read to hold some of them back. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/**
 * One request of the revision without sessions (2026-07-28), handed to a server of that revision as it came, and the answer
 * handed back as it comes. Only what the operator closed is held back. A client that goes away takes its call back.
 */
export async function passPost(
  exchange: ServerExchange,
  server: OpenServer,
  post: Post,
  body: JsonObject,
  { clock, timers }: Pick<ServerDeps, 'clock' | 'timers'>,
): Promise<void> {
  const { method, id = null, params } = body;
  const refuse = (status: number, code: number, message: string) =>
    exchange.send(status, 'application/json', errorAnswer(id, { code, message }));
  const { name } = objectOf(params);
  const isCall = method === 'tools/call';
  const refusal = isCall ? server.refusal(String(name)) : undefined;
  if (refusal !== undefined) return refuse(200, refusal.code, refusal.message);
  const halted = new AbortController();
  const over = isCall ? server.begins(String(name), (why) => halted.abort(why)) : () => undefined;
  exchange.signal.addEventListener('abort', over, { once: true });
  const signal = AbortSignal.any([exchange.signal, halted.signal]);
  const fail = (message: string, cause?: unknown) => {
    exchange.failed(new ProtocolError('upstream_unavailable', message, { cause }));
    refuse(502, MCP_ERRORS.internal_error, message);
  };
  let answer: Response;
  try {
    const text = JSON.stringify(body);
    answer = await whileAway(() => arrived(post(text, passedHeaders(exchange), signal)), {
      clock,
      timers: timersOf(timers),
      forMs: server.limits.restart_wait_ms,
      isWanted: () => !signal.aborted,
    });
  } catch (error) {
    over();
    const why = halted.signal.aborted ? (halted.signal.reason as RpcError) : undefined;
    if (why !== undefined) return refuse(200, why.code, why.message);
    return fail('The server could not be reached. Retry later.', error);
  }
  if (REFUSED.includes(answer.status)) {
    await answer.body?.cancel();
    return fail('The server does not accept the credential of the gateway.');
  }
  if (method !== 'tools/list') return sendAnswer(exchange, answer, halted.signal).finally(over);
  const list = await readText(answer).catch((error: unknown) => {
    fail('The server broke off its list of tools.', error);
    return undefined;
  });
  if (list !== undefined) exchange.send(answer.status, typeOf(answer), openList(server, list));
}

/** Rejects with `NOT_REACHED` where no connection came up. */
async function arrived(answer: Promise<Response>): Promise<Response> {
  try {
    return await answer;
  } catch (error) {
    throw neverArrived(error) ? NOT_REACHED : error;
  }
}

function passedHeaders({ headers }: ServerExchange): Record<string, string> {
  const passed = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && PASSED.test(name) ? [[name, value]] : [],
  );
  return { ...Object.fromEntries(passed), 'content-type': 'application/json' };
}

function typeOf(answer: Response): string {
  return answer.headers.get('content-type') ?? 'application/json';
}

/** Byte by byte, at the pace of the client. Either side may end it. */
async function sendAnswer(exchange: ServerExchange, answer: Response, halted: AbortSignal): Promise<void> {
  const { res } = exchange.takeOver(() => res.end());
  // Of an answer that has begun nobody knows where an error could stand.
  halted.addEventListener('abort', () => res.destroy(), { once: true });
  res.writeHead(answer.status, { 'content-type': typeOf(answer) });
  const reader = answer.body?.getReader();
  // Whoever leaves ends the reading; what was asked for is then given up by the server.
  res.once('close', () => void reader?.cancel().catch(() => undefined));
  try {
    for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read())
      if (!res.write(read.value)) await new Promise<void>((resolve) => whenWritable(res, resolve));
    res.end();
  } catch {
    // The server broke off in the middle: so does the answer, which a client must not take for a whole one.
    res.destroy();
  }
}

function whenWritable(res: NodeJS.EventEmitter, run: () => void): void {
  const done = () => {
    res.off('drain', done);
    res.off('close', done);
    run();
  };
  res.on('drain', done);
  res.on('close', done);
}

async function readText(answer: Response): Promise<string> {
  const reader = answer.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
    chunks.push(read.value);
    size += read.value.length;
    if (size <= MAX_LIST_BYTES) continue;
    await reader?.cancel();
    throw new Error(`more than ${MAX_LIST_BYTES} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The list in either form of an answer: a JSON text, or server-sent events whose data is one. */
function openList(server: OpenServer, text: string): string {
  if (!/^(?:event|id|data|retry)?:/m.test(text) || text.startsWith('{')) return openMessage(server, text);
  return text.replace(/^data: ?(.*)$/gm, (_line, data: string) => `data: ${openMessage(server, data)}`);
}

/** What is no message is handed on as it is: it lists nothing. */
function openMessage(server: OpenServer, text: string): string {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return text;
  }
  const { result } = objectOf(message);
  return result === undefined
    ? text
    : JSON.stringify({ ...objectOf(message), result: openTools(server, objectOf(result)) });
}
