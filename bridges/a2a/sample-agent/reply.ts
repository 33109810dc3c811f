import type { ServerResponse } from 'node:http';
import { formatSSEEvent, SSE_HEADERS } from '@a2a-js/sdk';

/** Proxies drop silent connections after 30 to 60 s. */
const PING_INTERVAL_MS = 15_000;

export type Reply =
  | { readonly status: number; readonly body: unknown; readonly contentType?: string }
  | { readonly frames: AsyncIterable<unknown> };

/**
 * Turns a stream of results into a reply. The first result is awaited before the headers go out, so that an early
 * error is a plain reply; a later one becomes the last frame.
 */
export async function streamReply(
  results: AsyncGenerator<unknown>,
  onEarlyError: (error: unknown) => Reply,
  lateErrorFrame: (error: unknown) => unknown,
): Promise<Reply> {
  try {
    const first = await results.next();
    return { frames: framesOf(first, results, lateErrorFrame) };
  } catch (error) {
    return onEarlyError(error);
  }
}

async function* framesOf(
  first: IteratorResult<unknown>,
  rest: AsyncGenerator<unknown>,
  lateErrorFrame: (error: unknown) => unknown,
): AsyncGenerator<unknown> {
  if (first.done) return;
  yield first.value;
  try {
    yield* rest;
  } catch (error) {
    yield lateErrorFrame(error);
  }
}

export async function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
  if ('frames' in reply) return sendFrames(response, reply.frames);
  response.writeHead(reply.status, { 'Content-Type': reply.contentType ?? 'application/json' });
  response.end(JSON.stringify(reply.body));
}

/** Reads the frames to their end even when the client is gone: the SDK stores a task only while it is read. */
async function sendFrames(response: ServerResponse, frames: AsyncIterable<unknown>): Promise<void> {
  response.writeHead(200, SSE_HEADERS);
  response.flushHeaders();
  const ping = setInterval(() => response.write(': ping\n\n'), PING_INTERVAL_MS);
  response.once('close', () => clearInterval(ping));
  try {
    for await (const frame of frames) {
      if (!response.destroyed && !response.write(formatSSEEvent(frame))) await drained(response);
    }
  } finally {
    clearInterval(ping);
    response.end();
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
