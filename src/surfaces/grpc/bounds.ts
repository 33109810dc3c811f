/** Calls that one connection may have open at a time; more of them wait at their client. */
export const CALLS_PER_CONNECTION = 1_000;
/** Time for a client to answer a ping before its connection counts as lost. */
export const PING_TIMEOUT_MS = 20_000;
/** What a call is told whose message does not come. */
export const LATE =
  'The message of the call did not come in time. Send it at once, and end your side of the call.';
