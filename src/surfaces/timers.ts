/** Repeating and one-shot timers, injected so that heartbeats and grace periods can be tested without waiting. */
export interface Timers {
  /** Runs `run` every `intervalMs`; the returned function stops it. Never keeps the process alive. */
  every(intervalMs: number, run: () => void): () => void;
  /** Runs `run` once after `delayMs`; the returned function stops it. Never keeps the process alive. */
  after(delayMs: number, run: () => void): () => void;
}

/** The timers of Node. */
export const nodeTimers: Timers = {
  every(intervalMs, run) {
    const timer = setInterval(run, intervalMs).unref();
    return () => clearInterval(timer);
  },
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
