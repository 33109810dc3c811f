import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer, AnswerBody } from '../../gateway.ts';
import { cutAnswer, JSON_TYPE, send, sendEmpty, sendJson, writeHead } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w.+-]+=(?:[\w.+-]+|"[\w .+-]*"))*$/;
const REPEATED = ['Idempotency-Replayed', 'true'] as const;
const FIRST: readonly string[] = [];
/** Read of an answer that is made while it is sent, before its head goes out: most are whole by then. */
const HELD_BYTES = 1024 * 1024;

/** Writes an Answer. Stored JSON goes out as it is; bytes go out as a download. */
export async function encodeAnswer(exchange: Exchange, answer: Answer): Promise<void> {
  const headers = answer.repeated === true ? REPEATED : FIRST;
  const { body, status } = answer;
  switch (body.kind) {
    case 'json':
      sendJson(exchange, status, body.value, headers);
      return;
    case 'raw_json':
      send(exchange, status, JSON_TYPE, join(body.chunks), headers);
      return;
    case 'json_stream':
      await sendJsonStream(exchange, status, body.chunks);
      return;
    case 'document':
      send(exchange, status, body.mimeType, body.bytes, headers);
      return;
    case 'bytes':
      await sendDownload(exchange, status, body);
      return;
    case 'none':
      sendEmpty(exchange, status, headers);
      return;
    default:
      body satisfies never;
  }
}

function join(chunks: Buffer[]): Buffer {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

async function sendJsonStream(
  exchange: Exchange,
  status: number,
  chunks: AsyncIterable<Buffer>,
): Promise<void> {
  const begun = await withBeginning(chunks, HELD_BYTES);
  if (exchange.isGone) return;
  writeHead(exchange, status, ['Content-Type', JSON_TYPE]);
  await sendChunks(exchange, begun);
}

/**
 * The same chunks, of which so many bytes are read already, or all there are: what fails there can still be answered with an
 * error.
 */
async function withBeginning(
  chunks: AsyncIterable<Uint8Array>,
  minBytes: number,
): Promise<AsyncIterable<Uint8Array>> {
  const rest = chunks[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let bytes = 0;
  let next = await rest.next();
  for (; next.done !== true; next = await rest.next()) {
    held.push(next.value);
    bytes += next.value.byteLength;
    if (bytes >= minBytes) break;
  }
  const isWhole = next.done === true;
  return (async function* () {
    try {
      for (let chunk = held.shift(); chunk !== undefined; chunk = held.shift()) yield chunk;
      if (isWhole) return;
      for (next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
    } finally {
      await rest.return?.();
    }
  })();
}

/** Sends a body as it comes; what fails under way cuts the answer, and is logged. Of a client that left meanwhile the log says so when its exchange closes; it is no failure. */
async function sendChunks(exchange: Exchange, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const { req, res, signal } = exchange;
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  try {
    await pipeline(Readable.from(watched(exchange, chunks), { objectMode: false }), res, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The end of the pipeline closes the connection, so that it looks as if the client had left: the cause is told before. */
async function* watched(exchange: Exchange, chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    cutAnswer(exchange, error);
    throw error;
  }
}

/** A browser must save the bytes, never show or run them: they come from agents and callers. */
async function sendDownload(
  exchange: Exchange,
  status: number,
  body: Extract<AnswerBody, { kind: 'bytes' }>,
): Promise<void> {
  // What has a known size was looked through before; what is made under way may fail at any place.
  const begun = await withBeginning(body.chunks, body.size === undefined ? HELD_BYTES : 1);
  if (exchange.isGone) return;
  writeHead(exchange, status, [
    'Content-Type',
    MEDIA_TYPE.test(body.mimeType) ? body.mimeType : 'application/octet-stream',
    ...(body.size === undefined ? [] : ['Content-Length', String(body.size)]),
    'Content-Disposition',
    disposition(body.fileName),
  ]);
  await sendChunks(exchange, begun);
}

/** RFC 6266: a plain name for old readers, the exact one in UTF-8. */
function disposition(fileName: string): string {
  const plain = fileName.replace(/[^\w.-]/g, '_').slice(0, 200) || 'artifact';
  const exact = encodeURIComponent(wellFormed(fileName.slice(0, 200))).replace(/['()*]/g, percent);
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** Half surrogate pairs, which cannot be escaped, become U+FFFD. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}

function percent(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
}
