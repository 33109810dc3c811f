import { ProtocolError } from '#protocol/errors.ts';

/** Yields to the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The same, but refuses to go on once the caller has left. */
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
