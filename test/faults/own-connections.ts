import { Agent } from 'undici';

/**
 * Of the 5 s that the gateway keeps an idle connection. A process that gets no processor for a second must not send on one that is
 * closed at that moment.
 */
const KEEP_ALIVE_MARGIN_MS = 4_500;

/** Connections that are given up long before the gateway does: a request on one that it closes just then is neither done nor refused. */
export function ownConnections(): Agent {
  return new Agent({ keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS });
}
