import { expect } from 'vitest';
import type { EventFrame, FrameSink } from '#eventlog/subscription.ts';

/** A client that takes everything, or nothing until `drain`. */
export class RecordingClient implements FrameSink {
  readonly frames: EventFrame[] = [];
  ended: string | undefined;
  error: unknown;
  stalled = false;
  unsent = 0;
  /** Frames of each write to the network. */
  readonly writes: number[] = [];
  #corkedAt: number | undefined;
  #wake: () => void = () => undefined;

  get ids(): number[] {
    return this.frames.map(({ id }) => Number(id));
  }
  write(frame: EventFrame): number {
    this.frames.push(frame);
    if (this.stalled) this.unsent += frame.sse.length;
    return this.unsent;
  }
  cork(): void {
    this.#corkedAt = this.frames.length;
  }
  uncork(): void {
    const held = this.frames.length - (this.#corkedAt ?? this.frames.length);
    if (held > 0) this.writes.push(held);
    this.#corkedAt = undefined;
  }
  drained(): Promise<void> {
    expect(this.#corkedAt).toBeUndefined();
    if (this.unsent === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
  drain(): void {
    this.stalled = false;
    this.unsent = 0;
    this.#wake();
  }
  end(reason: string, error?: unknown): void {
    this.ended = reason;
    this.error = error;
  }
}
