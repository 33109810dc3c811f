/**
 * Which tasks run and which wait. A session is a lane with one working task at a time, tasks of a lane start in the
 * order they were accepted; slots bound what runs per route and in all.
 */
export class Lanes {
  readonly #waiting = new Map<string, { sessionId: string; route: string }>();
  readonly #running = new Map<string, string>();
  readonly #perRoute = new Map<string, number>();
  readonly #limits: { perRoute: (route: string) => number; total: number };

  constructor(limits: { perRoute: (route: string) => number; total: number }) {
    this.#limits = limits;
  }

  hasSlot(route: string): boolean {
    return (
      this.#running.size < this.#limits.total &&
      (this.#perRoute.get(route) ?? 0) < this.#limits.perRoute(route)
    );
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  wait(taskId: string, sessionId: string, route: string): void {
    this.#waiting.set(taskId, { sessionId, route });
  }

  forget(taskId: string): void {
    this.#waiting.delete(taskId);
  }

  /** Takes a slot; a task that has one keeps it. */
  take(taskId: string, route: string): void {
    this.#waiting.delete(taskId);
    if (this.#running.has(taskId)) return;
    this.#running.set(taskId, route);
    this.#perRoute.set(route, (this.#perRoute.get(route) ?? 0) + 1);
  }

  /** Forgets what was claimed or begun for tasks other than these. */
  keepOnly(taskIds: ReadonlySet<string>): void {
    for (const taskId of [...this.#running.keys()]) if (!taskIds.has(taskId)) this.release(taskId);
    this.#waiting.clear();
  }

  release(taskId: string): void {
    const route = this.#running.get(taskId);
    if (route === undefined) return;
    this.#running.delete(taskId);
    this.#perRoute.set(route, (this.#perRoute.get(route) ?? 1) - 1);
  }

  /** Waiting tasks that could start now: the oldest of each free session whose route has a slot. */
  startable(sessionIsFree: (sessionId: string) => boolean): string[] {
    const seen = new Set<string>();
    const found: string[] = [];
    for (const [taskId, { sessionId, route }] of this.#waiting) {
      if (this.#running.size + found.length >= this.#limits.total) break;
      if (seen.has(sessionId)) continue;
      seen.add(sessionId);
      if (this.hasSlot(route) && sessionIsFree(sessionId)) found.push(taskId);
    }
    return found;
  }
}
