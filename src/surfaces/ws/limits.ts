/** Bounds of one WebSocket. Heartbeat, byte cap and number of sockets are those of SSE (`HttpLimits`). */
export const WS_LIMITS = {
  /** Largest client message; close 1009. Far above any message that is not an Artifact. */
  maxMessageBytes: 1024 * 1024,
  /** Pieces of one message, where it may have `maxMessageBytes`; tiny fragments cost memory beyond their bytes (CVE-2026-48779). */
  maxFragments: 256,
  /** Network reads held for one message of that size. */
  maxBufferedChunks: 1_024,
  /** Frames a client may send in the long run, control frames included; a person or a busy host stays far below. */
  framesPerSecond: 200,
  /** Frames a client may send at once: a host that subscribes to everything after a reconnect. */
  frameBurst: 400,
  /** Commands of one socket under way; more are refused one by one. */
  maxPendingCommands: 64,
  /** Subscriptions of one socket. */
  maxSubscriptions: 256,
  /** Time for a peer to answer the close handshake before it is cut. */
  closeTimeoutMs: 5_000,
  /** Wait of a client after a shutdown. */
  retryAfterDrainMs: 1_000,
} as const;

export type WsLimits = { readonly [Name in keyof typeof WS_LIMITS]: number };
