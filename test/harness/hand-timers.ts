/** Timers that run when the test says so. */
export function handTimers() {
  const waiting = new Map<number, { run: () => void; ms: number }>();
  let count = 0;
  return {
    waiting,
    setTimeout(run: () => void, ms: number): unknown {
      count += 1;
      waiting.set(count, { run, ms });
      return count;
    },
    clearTimeout(handle: unknown): void {
      waiting.delete(handle as number);
    },
    pass(): void {
      const due = [...waiting.values()];
      waiting.clear();
      for (const { run } of due) run();
    },
  };
}
