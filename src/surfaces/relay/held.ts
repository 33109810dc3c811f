import type { Readable } from 'node:stream';
import { ProtocolError } from '#protocol/errors.ts';

/** What was read of a body, and whether that is all of it. */
export interface Held {
  held: Buffer;
  isWhole: boolean;
}

/** Reads a body until it has more than may be held; the rest can be read behind that. Rejects when the client left in the middle. */
export async function held(body: Readable, maxBytes: number): Promise<Held> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  while (bytes < maxBytes && !body.readableEnded) {
    const chunk = (await nextChunk(body)) as Buffer | null;
    if (chunk === null) break;
    chunks.push(chunk);
    bytes += chunk.length;
  }
  return { held: Buffer.concat(chunks), isWhole: body.readableEnded };
}

/** Null at the end. */
function nextChunk(body: Readable): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void) => {
      body.off('readable', look).off('end', ended).off('close', left).off('error', left);
      settle();
    };
    const ended = () => done(() => resolve(null));
    const left = () =>
      done(() => reject(new ProtocolError('invalid_request', 'The body did not come whole.')));
    const look = () => {
      const chunk: unknown = body.read();
      if (chunk !== null) done(() => resolve(chunk));
    };
    body.on('readable', look).on('end', ended).on('close', left).on('error', left);
    look();
  });
}
