import type { Server } from 'node:http';
import type { Timers } from '../timers.ts';

/**
 * Stops accepting and waits for answers under way; after `graceMs` the remaining connections are cut.
 * Returns true when nothing had to be cut.
 */
export async function drainServer(server: Server, timers: Timers, graceMs: number): Promise<boolean> {
  if (!server.listening) return true;
  return await new Promise<boolean>((resolve) => {
    let clean = true;
    const stop = timers.after(graceMs, () => {
      clean = false;
      server.closeAllConnections();
    });
    server.close(() => {
      stop();
      resolve(clean);
    });
    server.closeIdleConnections();
  });
}
