/** Prefix of the list of Sessions that have live clients in the log. What is known of them stands in the state of the Session. */
export const liveClientKeys = {
  liveSessions: 'l/live-client/',
} as const;
