import type { Event, StoredEvent } from './event-log.ts';

/** An event on its way to subscribers. The SSE frame is made when the first of them asks and shared by all. */
export class EventFrame implements StoredEvent {
  readonly event: Event;
  readonly bytes: Buffer;
  #sse: Buffer | undefined;
  readonly #shown: { toInternal?: EventFrame; toOthers?: EventFrame } = {};

  constructor({ event, bytes }: StoredEvent) {
    this.event = event;
    this.bytes = bytes;
  }

  get id(): string {
    return this.event.id;
  }

  get kind(): string {
    return this.event.event;
  }

  /** The form that readers of one kind are shown; made once, however many read it. */
  shown(to: 'toInternal' | 'toOthers', make: (frame: EventFrame) => EventFrame): EventFrame {
    this.#shown[to] ??= make(this);
    return this.#shown[to];
  }

  /** LF line ends; the SSE id equals the event id. JSON text has no line breaks, so nothing can split it. */
  get sse(): Buffer {
    this.#sse ??= Buffer.concat([
      Buffer.from(`id: ${this.id}\nevent: ${this.kind}\ndata: `),
      this.bytes,
      Buffer.from('\n\n'),
    ]);
    return this.#sse;
  }
}
