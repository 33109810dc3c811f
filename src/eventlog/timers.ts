/** One-shot timers of the log (checkpoint interval, reopen backoff), injected so that tests decide when time passes. */
export interface Timers {
  /** Runs `run` once after `delayMs`; the returned function stops it. Never keeps the process alive. */
  after(delayMs: number, run: () => void): () => void;
}
