import { ProtocolError } from '#protocol/errors.ts';
import type { KeyRange, Store, StoreHealth, StoreSnapshot, WriteOp } from '#store/store.ts';

export type StoreCall = 'get' | 'getMany' | 'entries' | 'keys' | 'write' | 'reopen' | 'compact' | 'close';

/**
 * The n-th call (from 1) of one kind fails. A failed write is `lost` (nothing reached the disk) or a `ghost` (it did, but
 * the caller was told otherwise, as after a failed fsync).
 */
export interface StoreFault {
  call: StoreCall;
  nth: number;
  write?: 'lost' | 'ghost';
}

/** A Store whose planned call fails once, with the fence rule kept; for loops that fail call 1, 2, 3 and so on. */
export class FaultyStore implements Store {
  readonly #inner: Store;
  readonly #fault: StoreFault | undefined;
  readonly #calls = new Map<StoreCall, number>();
  readonly #fenceListeners = new Set<(cause: unknown) => void>();
  #fenced = false;
  #happened = false;

  constructor(inner: Store, fault?: StoreFault) {
    this.#inner = inner;
    this.#fault = fault;
    inner.onFence((cause) => this.#reportFence(cause));
  }

  /** Whether the planned fault was reached; a loop ends with the first n for which it was not. */
  get happened(): boolean {
    return this.#happened;
  }

  /** How often each kind of call was made. */
  calls(call: StoreCall): number {
    return this.#calls.get(call) ?? 0;
  }

  get health(): StoreHealth {
    return this.#fenced && this.#inner.health === 'open' ? 'fenced' : this.#inner.health;
  }

  get shortage(): Store['shortage'] {
    return this.#inner.shortage;
  }

  get lost(): Store['lost'] {
    return this.#inner.lost;
  }

  get(key: string): Buffer | undefined {
    this.#failWhenDue('get');
    return this.#inner.get(key);
  }

  async getMany(keys: readonly string[]): Promise<(Buffer | undefined)[]> {
    this.#failWhenDue('getMany');
    return this.#inner.getMany(keys);
  }

  async *entries(range: KeyRange): AsyncIterable<[string, Buffer][]> {
    this.#failWhenDue('entries');
    yield* this.#inner.entries(range);
  }

  async *keys(range: KeyRange): AsyncIterable<string[]> {
    this.#failWhenDue('keys');
    yield* this.#inner.keys(range);
  }

  snapshot(): StoreSnapshot {
    return this.#inner.snapshot();
  }

  async write(ops: readonly WriteOp[]): Promise<void> {
    if (this.health !== 'open') throw unavailable(`the store is ${this.health}`);
    if (!this.#due('write')) return this.#inner.write(ops);
    this.#fenced = true;
    if (this.#fault?.write === 'ghost') await this.#inner.write(ops);
    const failure = unavailable('planned fault of write');
    this.#reportFence(failure);
    throw failure;
  }

  onFence(listener: (cause: unknown) => void): () => void {
    this.#fenceListeners.add(listener);
    return () => this.#fenceListeners.delete(listener);
  }

  async reopen(): Promise<void> {
    if (this.#due('reopen')) {
      this.#fenced = true;
      throw unavailable('planned fault of reopen');
    }
    await this.#inner.reopen();
    this.#fenced = false;
  }

  async compact(range: { gte: string; lte: string }): Promise<void> {
    this.#failWhenDue('compact');
    await this.#inner.compact(range);
  }

  async purge(): Promise<void> {
    this.#failWhenDue('compact');
    await this.#inner.purge();
  }

  async close(): Promise<void> {
    const due = this.#due('close');
    await this.#inner.close();
    if (due) throw unavailable('planned fault of close');
  }

  #reportFence(cause: unknown): void {
    for (const listener of [...this.#fenceListeners]) listener(cause);
  }

  #failWhenDue(call: StoreCall): void {
    if (this.#due(call)) throw unavailable(`planned fault of ${call}`);
  }

  #due(call: StoreCall): boolean {
    const count = this.calls(call) + 1;
    this.#calls.set(call, count);
    const due = this.#fault?.call === call && this.#fault.nth === count;
    if (due) this.#happened = true;
    return due;
  }
}

const unavailable = (why: string): ProtocolError => new ProtocolError('service_unavailable', why);
