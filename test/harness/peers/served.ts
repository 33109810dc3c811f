import { createServer, type RequestListener } from 'node:http';
import { afterEach } from 'vitest';
import { closeServer, listenOnLoopback } from './peer.ts';

/** Starts servers on 127.0.0.1 that are closed after the test; each is told by its origin. Call once per test file. */
export function servedPerTest(): (listener: RequestListener) => Promise<string> {
  const open: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });
  return (listener) => {
    const server = createServer(listener);
    open.push(() => closeServer(server));
    return listenOnLoopback(server);
  };
}
