/** Lets so many posts of one tenant run at a time; the others wait in order. */
export class TenantSlots {
  readonly #limit: number;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    await this.#take(tenant);
    try {
      return await work();
    } finally {
      this.#give(tenant);
    }
  }

  async #take(tenant: string): Promise<void> {
    const taken = this.#taken.get(tenant) ?? 0;
    if (taken < this.#limit) {
      this.#taken.set(tenant, taken + 1);
      return;
    }
    const queue = this.#waiting.get(tenant) ?? [];
    this.#waiting.set(tenant, queue);
    // The slot is handed over, so nobody can slip in between.
    await new Promise<void>((resolve) => queue.push(resolve));
  }

  #give(tenant: string): void {
    const queue = this.#waiting.get(tenant);
    const next = queue?.shift();
    if (queue?.length === 0) this.#waiting.delete(tenant);
    if (next) {
      next();
      return;
    }
    const left = (this.#taken.get(tenant) ?? 1) - 1;
    if (left === 0) this.#taken.delete(tenant);
    else this.#taken.set(tenant, left);
  }
}
