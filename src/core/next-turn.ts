import { ProtocolError } from '#protocol/errors.ts';

/** Whoever waits for the event loop gets it. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The same as long as there is somebody who waits for the work. */
export function turnsOf(signal: AbortSignal): () => Promise<void> {
  return async () => {
    await nextTurn();
    refuseLeft(signal);
  };
}

/** Throws `client_closed_request` when the caller went away. */
export function refuseLeft(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new ProtocolError('client_closed_request', 'The client left before the work for it was done.');
}
